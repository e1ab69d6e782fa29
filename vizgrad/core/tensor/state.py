"""The history in a tensor's slots, the slots that few tensors need, and the record of a view's origin."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from vizgrad.core.errors import E, explained, place_of
from vizgrad.core.tensor.first_use import FIRST_USE
from vizgrad.core.tensor.source_location import caller, written_name
from vizgrad.core.tensor.storage import InferenceStorage, LooseInferenceStorage

if TYPE_CHECKING:
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.core.tensor.tensor import Tensor


# How much of a tensor's history can be read off its slots. A recording function tests only this.
UNTRACKED = 0  #: no gradient is wanted
RESULT = 1  #: `_edge` is the producer, up to date
LEAF = 2  #: requires grad; `_edge` is a weak reference to its AccumulateGrad, or None
VIEW = 3  #: ask `vizgrad.core.graph.edges.edge_of`: the base may have been written meanwhile


class Rare:
    """Rarely used attributes, kept out of the hot slots."""

    __slots__ = (
        "accumulate", "detached", "detached_at", "hooks", "name", "post_accumulate", "retains_grad",
        "tangent_root", "tangents", "view_leaf",
    )  # fmt: skip

    def __init__(self) -> None:
        #: Weak reference to the AccumulateGrad of a view that is a leaf.
        self.accumulate: Any = None
        #: Tick of the `detach_()` that took the tensor's history away, or 0.
        self.detached = 0
        #: The line that did so.
        self.detached_at: Site | None = None
        self.hooks: Any = None
        self.post_accumulate: Any = None
        self.retains_grad = False
        self.name = ""
        #: `requires_grad_()` was called on this view: it is a leaf of its own (V-14).
        self.view_leaf = False
        #: Forward mode: the tangents, and whose tangent this is a part of (`vizgrad.core.tensor.duals`).
        self.tangents: Any = None
        self.tangent_root: Any = None


def rare_of(tensor: Tensor) -> Rare:
    rare = tensor._rare
    if rare is None:
        with FIRST_USE:
            rare = tensor._rare
            if rare is None:
                rare = tensor._rare = Rare()
    return rare


def forget_accumulator(tensor: Tensor) -> None:
    """Makes a leaf another one for the graphs that are recorded from now on; older ones keep theirs."""
    if tensor._tracked == LEAF:
        tensor._edge = None
    if tensor._rare is not None:
        tensor._rare.accumulate = None


# The explanation of a call that cannot be understood: the line of the call, and how to call it.


def wrong_call(error: E, fix: str, kind: str = "wrong-call", title: str = "") -> E:
    """`error`, blamed on the nearest line outside vizgrad; raise what this returns."""
    return explained(error, kind=kind, culprit=place_of(caller()), fix=fix, title=title)


# The check of an assignment to `.grad`: a gradient of the tensor's own kind (E-11).


def check_assigned(tensor: Tensor, value: Any) -> None:
    """TypeError for what is no Tensor; RuntimeError for the tensor itself, or another shape, dtype or
    device.
    """
    if not hasattr(value, "_array"):
        raise wrong_call(
            TypeError(
                f"assigned grad expected to be a Tensor or None but got {type(value).__name__}"
            ),
            "assign a Tensor, or None to clear it",
        )
    if value is tensor:
        raise wrong_call(
            RuntimeError("can't assign Variable as its own grad"), "assign a clone of it"
        )
    if value._array.shape != tensor._array.shape:
        raise wrong_call(
            RuntimeError(
                f"assigned grad has data of a different size: {list(value._array.shape)}, but the "
                f"tensor has {list(tensor._array.shape)}"
            ),
            "assign a gradient of the tensor's shape",
            "shape-broadcast",
        )
    if value._array.dtype != tensor._array.dtype:
        raise wrong_call(
            RuntimeError(
                f"assigned grad has data of a different type: {value.dtype}, but the tensor is "
                f"{tensor.dtype}"
            ),
            f"convert it with .to({tensor.dtype})",
        )
    if value.device != tensor.device:
        raise wrong_call(
            RuntimeError(
                f"assigned grad has data located on a different device: {value.device}, but the "
                f"tensor is on {tensor.device}"
            ),
            f"move it with .to({str(tensor.device)!r})",
        )


# The error for attributes of a tensor that cannot be deleted, with the probable intention.


class NotDeletable(AttributeError, RuntimeError):
    """Both, because PyTorch raises now one, now the other."""


def not_deletable(name: str, instead: str) -> NotDeletable:
    """To be raised where `del tensor.<name>` is asked for."""
    return wrong_call(
        NotDeletable(f"Deleting {name} of a tensor is not allowed: every tensor has it; {instead}"),
        instead,
    )


# Inference tensors: what may not be done with them outside inference mode (M-24, M-25).


def refuse_saved(node: Any) -> None:
    """Raises RuntimeError if a node that was just recorded has saved an inference tensor."""
    for name, form in node.saved_values().items():
        if isinstance(getattr(form, "_storage", None), InferenceStorage):
            raise explained(
                RuntimeError(
                    "Inference tensors cannot be saved for backward. Please do not use Tensors "
                    "created in inference mode in computation tracked by autograd. To work around "
                    "this, you can make a clone to get a normal tensor and use it in autograd."
                ),
                kind="grad-mode",
                culprit=place_of(node.site),
                tensor=node.name(),
                fix=f"clone `{name}` outside inference_mode before this line",
                story=f"{node.name()} needs `{name}` for its backward, and its memory is not tracked.",
            )


def refuse_inference_write(tensor: Tensor) -> None:
    """RuntimeError for an in-place write outside inference mode, but into its `.data` or `detach()`."""
    if isinstance(tensor._storage, LooseInferenceStorage):
        return
    site = caller()
    raise explained(
        RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a "
            "clone to get a normal tensor before doing inplace update."
        ),
        kind="forbidden-write",
        culprit=place_of(site),
        tensor=written_name(site),
        fix="clone the tensor first, or write inside inference_mode",
    )


# The error for code that is not allowed inside of a function that a transform calls (spec C-7).


def requires_grad_error() -> RuntimeError:
    """For `requires_grad_()`: which arguments are differentiated is for the transform to say."""
    return _unsupported(
        "requires_grad_", "make the tensor an argument that the transform differentiates"
    )


def retain_grad_error() -> RuntimeError:
    """For `retain_grad()`: a transform fills no `.grad`."""
    return _unsupported(
        "retain_grad", "return the value, and differentiate by it with vizgrad.func.vjp"
    )


def _unsupported(method: str, fix: str) -> RuntimeError:
    return explained(
        RuntimeError(
            f"You are attempting to call Tensor.{method}() inside of a function being transformed by a "
            "functorch transform. This is unsupported: use the transforms (grad, vjp, jacrev, ...) there, or "
            f"call {method}() outside of them"
        ),
        kind="grad-mode",
        culprit=place_of(caller()),
        fix=fix,
    )


# --- views: the record of their origin (spec 03 D, E) -------------------------------------------------


class Creation(Enum):
    """How a view was made: it decides what an in-place write through it may do (V-40 ... V-47)."""

    DEFAULT = "normally"
    NO_GRAD = "in no_grad mode"
    MULTI_OUTPUT = "by a function that returns multiple views"
    CUSTOM_FUNCTION = "inside a custom Function"
    INFERENCE = "in inference mode"


class ViewInfo:
    """`base` is the root: a view of a view points to the same base (V-29).

    `clock` is the storage's `last_write` when the view's history was last brought up to date: a later
    write means that it has to be regenerated from the base's (V-30).
    """

    __slots__ = ("base", "clock", "creation", "maker", "sequence_nr")

    def __init__(self, base: Tensor, creation: Creation, clock: int, maker: str) -> None:
        self.base = base
        self.creation = creation
        self.clock = clock
        #: Name of the operation that made the view, for messages.
        self.maker = maker
        #: For the node of the history after a write through this very view; 0 before.
        self.sequence_nr = 0


def view_requires_grad(view: Tensor) -> bool:
    """A view requires grad if it was recorded, made a leaf, or its base requires grad (V-50)."""
    if view._edge is not None or (view._rare is not None and view._rare.view_leaf):
        return True
    return view._view is not None and view._view.base.requires_grad


def set_view_leaf(view: Tensor, requires_grad: bool) -> None:
    """`requires_grad_()` of a view without history of its own (V-14)."""
    rare_of(view).view_leaf = requires_grad

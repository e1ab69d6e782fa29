"""Views: sharing memory, and following the base when it is written in place (spec 03 D)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.errstate import nameless
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.graph.edges import split_edge
from vizgrad.core.tensor.modes import GUARD, MODES
from vizgrad.core.tensor.source_location import caller, written_name
from vizgrad.core.tensor.state import Creation, ViewInfo
from vizgrad.core.tensor.storage import InferenceStorage, LooseInferenceStorage, Storage
from vizgrad.core.tensor.tensor import VIEW, Tensor, storage_of

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


_ndarray = xp.ndarray
_new = object.__new__


def become_view(
    out: Tensor, source: Tensor, maker: str, creation: Creation = Creation.DEFAULT
) -> bool:
    """Makes `out`, which shares memory with `source`, a view of the root of `source`.

    A sparse tensor has no views: writing it replaces its entries, which another one then still has.
    Returns whether the operation may be recorded: that of an inference tensor may not (Y-13).
    """
    if source._array.__class__ is not _ndarray and is_sparse(source._array):
        return True
    storage = out._storage = source._storage or storage_of(source)
    # views of memory of the usual kind are the usual case
    if storage.__class__ is not Storage and isinstance(
        storage, InferenceStorage
    ):  # views of inference tensors are not tracked (M-20)
        if isinstance(storage, LooseInferenceStorage):
            out._storage = storage.of_views()
        return False
    parent = source._view
    if GUARD.no_grad and not MODES.grad:
        creation = Creation.NO_GRAD if MODES.inference is None else Creation.INFERENCE
    if parent is None:
        base = source
    else:
        base = parent.base
        # what the parent may not do, this may not (V-44)
        if creation is Creation.DEFAULT or parent.creation is Creation.INFERENCE:
            creation = parent.creation
    info = out._view = _new(ViewInfo)  # without a call of its `__init__`
    info.base = base
    info.creation = creation
    info.clock = storage.last_write
    info.maker = maker
    info.sequence_nr = 0
    out._tracked = VIEW
    return True


#: For each kind: why writes cannot be followed, and what to do.
_REFUSALS = {
    Creation.NO_GRAD: (
        "Autograd does not know how such a view depends on its base.",
        (
            "make the view and write through it in one mode: both in no_grad, or both outside; or write to a "
            "clone"
        ),
    ),
    Creation.MULTI_OUTPUT: (
        (
            "This view is the output of a function that returns multiple views. Such functions do not allow "
            "the output views to be modified inplace."
        ),
        "write to a clone, or take the parts one by one with indexing or narrow()",
    ),
    Creation.CUSTOM_FUNCTION: (
        (
            "This view was created inside a custom Function (or because an input was returned as-is) and the "
            "autograd logic to handle view+inplace would override the custom backward associated with the "
            "custom Function."
        ),
        "clone the output of the custom Function before writing to it",
    ),
    Creation.INFERENCE: (
        "What is made there from a normal tensor is not followed by autograd.",
        (
            "make the view and write through it in one mode: both in inference mode, or both outside; or "
            "write to a clone"
        ),
    ),
}


def refuse(view: Tensor, by_base: bool) -> RuntimeError:
    """The error for a view of a kind that in-place writes cannot be followed through (V-42 ... V-47).

    Without a node of its own the view was made where nothing is recorded: then that mode is the cause.
    """
    info = view._view
    assert info is not None
    why, fix = _REFUSALS[info.creation]
    node, nr = (None, 0) if view._edge is None else split_edge(view._edge)
    where = ""
    if node is None or info.creation in (Creation.NO_GRAD, Creation.INFERENCE):
        inference = info.creation is Creation.INFERENCE
        mode = "inference" if inference else "no_grad"
        what = f"A view was created in {mode} mode and"
        where = " in normal mode" if inference else " with grad mode enabled"
        if node is not None:
            what = f"Output {nr} of {node.name()} is a view of a view which was created in {mode} mode and"
    else:
        what = f"Output {nr} of {node.name()} is a view and"
    written = storage_of(view).first_write_after(info.clock) if by_base else None
    done = "its base or another view of its base has been" if by_base else "is being"
    return errors.explained(
        RuntimeError(f"{what} {done} modified inplace{where}. {why}"),
        kind="forbidden-write",
        culprit=errors.place_of(caller() if not by_base else written and written.site),
        tensor=node.name() if node is not None else info.maker,
        fix=fix,
    )


# Writing where several elements are one place in memory: after `expand`, and in windows that overlap.


def refuse_repeated(target: Tensor) -> None:
    """RuntimeError for a tensor that shows the same elements again and again, as after `expand`.

    Windows that overlap may be written (Y-18): what stays where several elements meet is nobody's promise.
    """
    if layout.repeats_itself(target._array):
        raise _shared_place("an expanded tensor shows one element at several places")


def refuse_recorded_windows(target: Tensor) -> None:
    """The same for windows that overlap, where a result computed from them is copied into them and recorded:
    the gradient of a place would be counted once for each window.
    """
    if not MODES.grad or target._view is None or not target.requires_grad:
        return
    if layout.overlaps_itself(target._array):
        raise _shared_place(
            "its windows overlap, and each would be given the gradient of the whole"
        )


def _shared_place(why: str) -> RuntimeError:
    return errors.explained(
        RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a "
            "single memory location. Please clone() the tensor before performing the operation."
        ),
        kind="forbidden-write",
        culprit=errors.place_of(caller()),
        tensor=written_name(caller()),
        fix=f"clone it first: {why}",
    )


@nameless
def write_windows(array: Any, result: Any) -> None:
    """`array[...] = result` where elements share places: what changes is not undone by what does not."""
    changed = result != array
    array[changed] = result[changed]

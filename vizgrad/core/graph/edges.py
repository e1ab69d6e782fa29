"""AccumulateGrad, the node of a leaf; and from a tensor to its place in the graph, and back.

`edge_of` is what recording asks of an input whose history cannot be read off its slots: a leaf, whose
AccumulateGrad is made at first use and known to it only weakly (E-5), or a view, whose base may have
been written since (V-30).
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays.backend import Device, device_of
from vizgrad.core.graph.node import LAST, Edge, Node, hooks_of
from vizgrad.core.tensor.first_use import FIRST_USE
from vizgrad.core.tensor.modes import GUARD, in_a_transform
from vizgrad.core.tensor.state import not_deletable, retain_grad_error, wrong_call
from vizgrad.core.tensor.tensor import (
    LEAF,
    RESULT,
    UNTRACKED,
    VIEW,
    Tensor,
    rare_of,
    view_requires_grad,
)
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


# --- the end of every path ----------------------------------------------------------------------------


#: Two threads may reach one leaf at once (E-93).
accumulation_lock = threading.Lock()


class AccumulateGrad(Node):
    """Stores what arrives in `variable.grad`. The engine decides how, see `vizgrad.core.engine.leaf`."""

    __slots__ = ("mark", "variable")

    #: Which of all leaves this is, for recorders: their ticks are all the same. Unset until one meets it.
    mark: int

    input_names = ()
    runs_first = True

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.sequence_nr = LAST
        self.edges = ()
        self.hooks = None
        self.shape = variable._array.shape
        self.dtype = variable._array.dtype
        self.code = None
        self.lasti = 0
        self.scope = None

    def __repr__(self) -> str:
        return f"<AccumulateGrad of {list(self.shape)} at {id(self):#x}>"

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        UPCALLS.accumulate_tensor(self.variable, grads[0])
        return ()


# --- from a tensor to its edge, and back --------------------------------------------------------------


def edge_of(tensor: Tensor) -> Node | Edge | None:
    """Where the gradient of `tensor` is to be sent; None when it needs none."""
    tracked = tensor._tracked
    if tracked == RESULT:
        return tensor._edge
    if tracked == VIEW:
        edge, storage = tensor._edge, tensor._storage
        info: Any = tensor._view
        if edge is not None and (storage is None or storage.last_write == info.clock):
            return edge  # as nearly all views: nothing was written since
        return _view_edge(tensor)
    if tracked == LEAF:
        known: Any = tensor._edge
        if known is not None:
            node = known()
            if node is not None:
                return node
        with FIRST_USE:
            if tensor._edge is not known:  # another thread has made it since
                return edge_of(tensor)
            node = AccumulateGrad(tensor)
            tensor._edge = weakref.ref(node)
            return node
    return None


def _view_edge(view: Tensor) -> Node | Edge | None:
    bring_up_to_date(view)
    if view._edge is not None:
        return view._edge
    rare = view._rare
    if rare is None or not rare.view_leaf:
        return None
    with FIRST_USE:
        node = None if rare.accumulate is None else rare.accumulate()
        if node is None:
            node = AccumulateGrad(view)
            rare.accumulate = weakref.ref(node)
        return node


def cut_off(*tensors: Tensor) -> bool:
    """Does a tensor require grad although its gradient has nowhere to go (V-50)?

    Such is a view made under no_grad of a tensor that requires grad: what is computed from it is recorded,
    without an edge to it.
    """
    for tensor in tensors:  # noqa: SIM110  each recorded operation on no leaf asks
        if tensor._tracked == VIEW and view_requires_grad(tensor):
            return True
    return False


def bring_up_to_date(view: Tensor) -> None:
    """Regenerates a view's history if its memory was written since (V-30 (5))."""
    info, storage = view._view, view._storage
    assert info is not None
    if storage is None or storage.last_write == info.clock:
        return
    recorded = view._edge is not None or info.base.requires_grad
    if recorded and storage.first_write_after(info.clock) is not None:
        UPCALLS.regenerate_view(view)


def grad_fn(tensor: Tensor) -> Any:
    """The node that made this tensor, as people see it; None for a leaf.

    Reading it on a view brings the view's history up to date, which can raise.
    """
    # V-42 ... V-47
    tracked = tensor._tracked
    if tracked in (UNTRACKED, LEAF):
        return None
    if tracked == VIEW:
        bring_up_to_date(tensor)
    edge = tensor._edge
    node = edge.node if isinstance(edge, Edge) else edge
    return None if node is None else node.public


def set_history(tensor: Tensor, node: Node, input_nr: int = 0) -> None:
    """Makes `tensor` output `input_nr` of `node`."""
    tensor._edge = node if input_nr == 0 else Edge(node, input_nr)
    if tensor._view is None:
        tensor._tracked = RESULT


@contextmanager
def retaining(tensor: Tensor) -> Iterator[None]:
    """Around giving `tensor` a new producer: `retain_grad` moves to it, hooks stay (E-73, V-33)."""
    if not tensor.retains_grad or tensor._edge is None:
        yield
        return
    old, nr = split_edge(tensor._edge)
    yield
    if old.hooks is not None and nr in old.hooks.retain:
        new, new_nr = split_edge(tensor._edge)
        hooks_of(new).retain[new_nr] = old.hooks.retain.pop(nr)


def split_edge(edge: Node | Edge) -> tuple[Node, int]:
    """(node, input_nr) of either form of edge."""
    return (edge.node, edge.input_nr) if isinstance(edge, Edge) else (edge, 0)


def gradient_edge(tensor: Tensor) -> tuple[Node, int]:
    """(node, input_nr) for a tensor that requires grad."""
    edge: Any = edge_of(tensor)
    if edge is None:
        raise wrong_call(
            RuntimeError(
                "the tensor does not require grad, so there is no edge its gradient could go to"
            ),
            "call requires_grad_() on it before the forward pass",
            "cut-detach",
            "Does not require grad",
        )
    return split_edge(edge)


def _retain_grad(tensor: Tensor) -> None:
    """Makes backward fill `.grad` of this non-leaf, after all its hooks."""
    # E-71
    if not tensor.requires_grad:
        raise wrong_call(
            RuntimeError("can't retain_grad on Tensor that has requires_grad=False"),
            "make it from tensors that require grad, outside no_grad and without detach()",
            "cut-detach",
            "Does not require grad",
        )
    if GUARD.transforms and in_a_transform():
        raise retain_grad_error()
    if not tensor._has_producer() or tensor.retains_grad:
        return
    node, nr = gradient_edge(tensor)
    hooks_of(node).retain[nr] = weakref.ref(tensor)
    rare_of(tensor).retains_grad = True


def _delete_grad_fn(tensor: Tensor) -> None:
    raise not_deletable("grad_fn", "use x.detach() for a tensor without history")


Tensor.grad_fn = property(grad_fn, None, _delete_grad_fn)  # pyright: ignore[reportAttributeAccessIssue]  given to Tensor from here
Tensor.retain_grad = _retain_grad  # pyright: ignore[reportAttributeAccessIssue]  given to Tensor from here


# --- the device of a node's output, found when it is asked for ----------------------------------------


def output_device(node: Node, known: dict[Node, Device | None]) -> Device | None:
    """The device of the node's outputs, and of the gradients that come to it.

    None where nothing tells: of a node that leads nowhere and has saved nothing. Devices found on
    the way are added to `known`.
    """
    way: list[Node] = []
    device: Device | None = None
    while (device := known.get(node) or _own(node)) is None:
        way.append(node)
        edge = next((edge for edge in node.edges if edge is not None), None)
        following = edge.node if type(edge) is Edge else edge
        if following is None or node in known:
            device = _of_saved(node)
            break
        node = following
    known.update(dict.fromkeys(way, device))
    return device


def _own(node: Node) -> Device | None:
    if isinstance(node, AccumulateGrad):
        return device_of(node.variable._array)
    if "device" in node.plain_names:
        device: Any = getattr(node, "_device", None)
        return device if isinstance(device, Device) else None
    # what is recorded for an operation says no device
    return None if type(node).meta is Node.meta else node.meta(0).device


def _of_saved(node: Node) -> Device | None:
    """For a node whose inputs need no gradient: where its saved values are."""
    for value in node.saved_values().values():
        array = getattr(value, "_array", None)
        if array is not None:
            return device_of(array)
    return None

"""A write through a view in the history of its base, and the new history of its views.

A write becomes a CopySlices in the base's history (V-30, V-31); a view whose memory was written is given a
history anew from that of its base.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from vizgrad.core.function.strided import (
    Geometry,
    as_strided,
    as_strided_node,
    fill_strided,
    geometry_of,
    replace,
    take,
)
from vizgrad.core.function.views import refuse
from vizgrad.core.graph.edges import edge_of, retaining
from vizgrad.core.graph.node import Node, NodeHooks
from vizgrad.core.graph.saved import freed_error
from vizgrad.core.tensor.state import Creation
from vizgrad.core.tensor.storage import tick
from vizgrad.core.tensor.tensor import RESULT, Tensor, storage_of
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from vizgrad.core.graph.node import Edge
    from vizgrad.core.graph.saved import Freed


class CopySlices(Node):
    """Gives the view's region of the gradient to the operation `fn`, and puts its answer back there.

    Edges: those of `fn`, with the base's old history in place of the view's, at `position`. `fn` is run from
    here alone: of the output that it has saved, gradients come as those of a region of the base
    (`region_node`).
    """

    __slots__ = ("fn", "freed", "geometry", "position", "wants_tensors")

    fn: Node
    #: Which backward has released it: it runs once then, also where `fn` has saved nothing.
    freed: Freed | None
    geometry: Geometry
    position: int

    def __init__(
        self,
        base: Tensor,
        base_edge: Node | Edge | None,
        fn: Node,
        geometry: Geometry,
        position: int = 0,
    ) -> None:
        edges = (*fn.edges[:position], base_edge, *fn.edges[position + 1 :])
        if fn.edges[position] is None:
            fn.edges = edges  # it answers for the view, even if the view had no history
        self.fn = fn
        self.freed = None
        self.position = position
        self.wants_tensors = fn.wants_tensors
        self.geometry = geometry
        self.sequence_nr = tick()
        self.edges = edges
        self.hooks = None if fn.hooks is None else NodeHooks()  # for what `fn` has packed
        self.shape = base._array.shape
        self.dtype = base._array.dtype
        self.code = fn.code
        self.lasti = fn.lasti
        self.scope = fn.scope

    def region_node(self) -> Node:
        """Makes the written region of the base: the history for the output that `fn` has saved."""
        cls: Any = as_strided.node_class
        node = object.__new__(cls)
        fill_strided(node, self, self.fn.shape, self.fn.dtype, self.geometry)
        return node

    @property
    # here it follows fn
    def input_names(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleVariableOverride]
        names, at = self.fn.input_names, self.position
        return (*names[:at], "base", *names[at + 1 :])

    def run(self, grad: Any) -> tuple[Any, ...]:
        self._check_not_freed()
        region = take(grad, self.geometry)
        answers = self.fn.run(region)
        return self._put_back(grad, region, answers)

    def run_tensors(self, grads: tuple[Any, ...]) -> tuple[Any, ...]:
        (grad,) = grads
        self._check_not_freed()
        region = take(grad, self.geometry)
        return self._put_back(grad, region, self.fn.run_tensors((region,)))

    def _put_back(self, grad: Any, region: Any, answers: Any) -> tuple[Any, ...]:
        if answers.__class__ is not tuple:
            answers = (answers,)
        at = self.position
        if self.edges[at] is None:
            return (*answers[:at], None, *answers[at + 1 :])
        own = region * 0 if answers[at] is None else answers[at]
        base = replace(grad, own, self.geometry)
        return (*answers[:at], base, *answers[at + 1 :])

    def _check_not_freed(self) -> None:
        if self.freed is not None:
            raise freed_error(self, self.freed)

    def release(self, token: object) -> None:
        self.freed = token  # pyright: ignore[reportAttributeAccessIssue]  a `Freed`
        self.fn.release(token)

    def saved_values(self) -> dict[str, Any]:
        return self.fn.saved_values()

    def restore_saved(self, values: dict[str, Any]) -> None:
        self.freed = None
        self.fn.restore_saved(values)


def rebase(view: Tensor, fn: Node, position: int = 0) -> None:
    """Rewrites the history of the view's base after `fn` was recorded for a write to the view.

    `position` is the edge of `fn` that belongs to the view.
    """
    info = view._view
    assert info is not None
    base = info.base
    node = CopySlices(base, edge_of(base), fn, geometry_of(base, view), position)
    fn.copied_by = weakref.ref(node)  # pyright: ignore[reportAttributeAccessIssue]  of those alone
    with retaining(base):
        base._edge = node
        base._tracked = RESULT
    # a read of the view's history since the write gave that of the old base
    info.clock = min(info.clock, storage_of(view).last_write - 1)
    info.sequence_nr = tick()  # of the view's own new node, made when it is asked for


def regenerate(view: Tensor) -> None:
    """Gives a view a new history from its base's, after the memory was written (V-30 (4), (5))."""
    info, storage = view._view, view._storage
    assert info is not None
    assert storage is not None
    if info.creation is not Creation.DEFAULT:
        raise refuse(view, by_base=True)
    node = as_strided_node(info.base, view)
    if node is not None:
        if info.sequence_nr > storage.last_write:
            node.sequence_nr = (
                info.sequence_nr
            )  # its turn is that of the write through this view (E-42)
        with retaining(view):
            view._edge = node
    info.clock = storage.last_write


UPCALLS.regenerate_view = regenerate

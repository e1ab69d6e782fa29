"""Backwards that run within the visit of a node: called in a hook or in a custom Function's backward.

Their additions to `.grad` are undone and redone with their step; when stepped into, their nodes are
part of the node's lane. They are seen where nobody records: a `vg.record()` block around listens itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.engine.observer import Watch
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Edge, Node

if TYPE_CHECKING:
    from vizgrad.core.engine.task import GraphTask
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph
    from vizgrad.debugger.engines.vizgrad.operation_lane import Operations
    from vizgrad.debugger.engines.vizgrad.steplog import StepLog


class Nested:
    """A recorder of the thread of a run, which is told of backwards that begin there."""

    def __init__(self, log: StepLog, source: EngineGraph) -> None:
        self._log, self._source = log, source
        #: The lane of the node that is gone into.
        self.lane: Operations | None = None

    def watch(self, task: GraphTask) -> Watch:
        return _NestedWatch(self._log, self._source, self.lane)

    # of other events of a recorder nothing is told here

    def recorded(self, node: Node, outputs: Any = ()) -> None:
        pass

    def wrote(self, op: str, site: Site | None) -> None:
        pass

    def hooked(self, name: str) -> None:
        pass


class _NestedWatch(Watch):
    """The watch of one nested backward."""

    def __init__(self, log: StepLog, source: EngineGraph, lane: Operations | None) -> None:
        self._log, self._source, self._lane = log, source, lane
        self._came: dict[Node, list[int]] = {}
        self._number = -1

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        label = ""
        if isinstance(node, AccumulateGrad):
            label = self._source.name_of(node.variable)
            self._log.about_to_write_grad(node.variable)
        lane = self._lane
        if lane is not None and not lane.full:
            value = next((grad for grad in grads if grad is not None), None)
            inputs = self._came.pop(node, ())
            self._number = lane.note_visit(node.name(), inputs, value, label)

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        edge = node.edges[index]
        target = edge.node if isinstance(edge, Edge) else edge
        if self._lane is not None and target is not None and routed is not None:
            self._came.setdefault(target, []).append(self._number)

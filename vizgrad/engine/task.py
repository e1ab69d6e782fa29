"""GraphTask: one backward, as a value that can be suspended between any two nodes.

The loop below is the only one. It is a generator that yields nothing unless `pausing` is set, in which
case it yields each node just before its visit; running at full speed is driving it to its end. All
state is kept in attributes, so whoever holds a paused task can read what is ready, what waits, and what
has been delivered (`vizgrad.inspection`).

Order (E-42): the ready node with the largest `sequence_nr` runs next; AccumulateGrad runs as soon as it
is ready, before any other. A node is ready when gradients, undefined ones too, have come over all its
incoming edges (E-40).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any

from vizgrad.engine.visit import visit
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Edge, Node
from vizgrad.graph.saved import Freed
from vizgrad.tensor.modes import MODES, set_grad_mode

if TYPE_CHECKING:
    from vizgrad.engine.domain import Domain
    from vizgrad.engine.watch import Watch

_task_ids = count().__next__


class GraphRoot(Node):
    """Stands before several roots, so that they are delivered to like any other nodes (E-44)."""

    __slots__ = ()

    def __init__(self, edges: tuple[Node | Edge, ...]) -> None:
        self.edges = edges
        self.sequence_nr = 0
        self.hooks = None
        self.shape = ()
        self.dtype = None
        self.code = None
        self.lasti = 0
        self.scope = None


class Capture:
    """A gradient asked for by `grad(...)` or `backward(inputs=...)`: slot `input_nr` of a node."""

    __slots__ = ("input_nr", "value")

    def __init__(self, input_nr: int) -> None:
        self.input_nr = input_nr
        self.value: Any = None


class GraphTask:
    """One run of the engine.

    `roots` are (node, output_nr, gradient). With `captures` given (node -> list of Capture), only nodes
    from which a captured node, or a leaf in `leaves_wanted`, can be reached are run (E-32).
    """

    __slots__ = (
        "borrowed", "buffers", "captures", "current", "dependencies", "domain", "freed",
        "id", "keep_graph", "leaves", "order", "pausing", "ready", "reach", "roots", "watch",
    )  # fmt: skip

    def __init__(
        self,
        roots: list[tuple[Node, int, Any]],
        domain: Domain,
        *,
        keep_graph: bool,
        freed: Freed,
        captures: dict[Node, list[Capture]] | None = None,
        leaves_wanted: Iterable[Node] = (),
    ) -> None:
        self.id = _task_ids()
        self.roots = roots
        self.domain = domain
        self.keep_graph = keep_graph
        self.freed = freed
        self.captures = captures
        #: What listens (None: nobody), and whether to stop before each node.
        self.watch: Watch | None = None
        self.pausing = False
        #: Gradients delivered and not yet used: one value, or a list for several output slots.
        self.buffers: dict[Node, Any] = {}
        #: Nodes whose buffered gradient somebody else may hold: not to be changed or kept.
        self.borrowed: set[Node] = set()
        #: Incoming edges that have not delivered yet.
        self.dependencies: dict[Node, int] = {}
        self.ready: list[tuple[int, int, Node]] = []
        self.leaves: deque[Node] = deque()
        self.current: Node | None = None
        self.order = 0
        #: Nodes to be run; None: all that are reachable.
        self.reach: set[Node] | None = None
        self._prepare(leaves_wanted)

    # --- before the first node ----------------------------------------------------------------

    def _prepare(self, leaves_wanted: Iterable[Node]) -> None:
        roots = self.roots
        if len(roots) == 1:
            start, nr, grad = roots[0]
        else:
            edges = tuple(Edge(node, nr) if nr else node for node, nr, _ in roots)
            start, nr, grad = GraphRoot(edges), 0, None
        self._count_dependencies(start)
        if self.captures is not None:
            self.reach = _reaching(start, set(leaves_wanted), self.captures)
        if len(roots) != 1:
            self._deliver(start, tuple(grad for _, _, grad in roots), None)
        elif self.reach is None or start in self.reach or start in (self.captures or ()):
            self.buffers[start] = grad if start.outputs == 1 else _slots(start, nr, grad)
            self._enqueue(start)
        # a gradient given by the caller stays the caller's (E-64)
        self.borrowed.update(node for node, _, _ in roots)

    def _count_dependencies(self, start: Node) -> None:
        counts = self.dependencies
        stack = [start]
        while stack:
            for edge in stack.pop().edges:
                if edge is None:
                    continue
                node = edge.node if edge.__class__ is Edge else edge
                if node in counts:
                    counts[node] += 1
                else:
                    counts[node] = 1
                    stack.append(node)  # pyright: ignore[reportArgumentType]

    def _enqueue(self, node: Node) -> None:
        if node.__class__ is AccumulateGrad:
            self.leaves.append(node)
        else:
            self.order += 1
            heappush(self.ready, (-node.sequence_nr, self.order, node))

    # --- the loop -----------------------------------------------------------------------------

    def loop(self) -> Generator[Node, None, None]:
        """Runs node after node; yields each before its visit while `pausing`."""
        ready, leaves, buffers = self.ready, self.leaves, self.buffers
        captures, reach, keep_graph = self.captures, self.reach, self.keep_graph
        raw = self.domain.raw
        while True:
            if leaves:
                node = leaves.popleft()
            elif ready:
                node = heappop(ready)[2]
            else:
                break
            if self.pausing:
                self.current = node
                yield node
            grad = buffers.pop(node, None)
            if (
                self.watch is not None
                or node.hooks is not None
                or not raw
                or node.wants_tensors
                or (captures is not None and node in captures)
                or node.__class__ is AccumulateGrad
            ):
                full = reach is None or node in reach
                grad, routed = visit(self, node, grad, full)
                if not full:
                    continue
            elif grad is None:
                routed = (None,) * len(node.edges)
            else:
                try:
                    routed = node.run(grad) if node.outputs == 1 else node.run_all(grad)
                except Exception as error:
                    self.domain.explain(error, node)
                    raise
                if not keep_graph:
                    node.release(self.freed)
            self._deliver(node, routed, grad)
        self.current = None
        if self.buffers:
            raise RuntimeError(
                "could not compute gradients for some functions: "
                + ", ".join(node.name() for node in self.buffers)
            )

    def _deliver(self, node: Node, routed: Any, incoming: Any) -> None:
        """Sends `routed` (one gradient per edge) to the next nodes; enqueues those that are ready."""
        dependencies, buffers, reach, watch = (
            self.dependencies, self.buffers, self.reach, self.watch,
        )  # fmt: skip
        if routed.__class__ is not tuple:
            routed = (routed,)
        foreign = node.wants_tensors or node.outputs > 1
        for index, (edge, grad) in enumerate(zip(node.edges, routed, strict=True)):
            if edge is None:
                continue
            if edge.__class__ is Edge:
                slot, target = edge.input_nr, edge.node
            else:
                slot, target = 0, edge
            if reach is not None and target not in reach and target not in self.captures:
                continue
            if grad is not None:
                computed = grad
                if target.outputs == 1:
                    if grad.shape != target.shape or grad.dtype is not target.dtype:
                        grad = self.domain.fit(grad, target.meta(0), node, index)
                    before = buffers.get(target)
                    if before is None:
                        buffers[target] = grad
                        if grad is incoming or foreign:
                            self.borrowed.add(target)
                    else:
                        buffers[target] = self._add(target, before, grad)
                else:
                    grad = self.domain.fit(grad, target.meta(slot), node, index)
                    slots = buffers.get(target)
                    if slots is None:
                        slots = buffers[target] = [None] * target.outputs
                    before = slots[slot]
                    slots[slot] = grad if before is None else self.domain.add(before, grad)
                if watch is not None:
                    watch.routed(node, index, computed, grad)
            elif watch is not None:
                watch.routed(node, index, None, None)
            left = dependencies[target] - 1
            dependencies[target] = left
            if left == 0:
                if target.__class__ is AccumulateGrad:
                    self.leaves.append(target)
                else:
                    self.order += 1
                    heappush(self.ready, (-target.sequence_nr, self.order, target))

    def _add(self, target: Node, before: Any, grad: Any) -> Any:
        """Adds to a buffer: in place only where the engine alone holds it (E-52)."""
        if target not in self.borrowed and self.domain.can_add_in_place(before, grad):
            before += grad
            return before
        self.borrowed.discard(target)
        return self.domain.add(before, grad)

    # --- driving ------------------------------------------------------------------------------

    def run(self) -> None:
        """Runs to the end in one go, on this thread, in the grad mode of the domain (E-26)."""
        recorder = MODES.recorder
        if recorder is not None and self.watch is None:
            self.watch = recorder.watch(self)
        before = set_grad_mode(not self.domain.raw)
        try:
            for _ in self.loop():
                pass
        finally:
            set_grad_mode(before)
            self.buffers.clear()


def _slots(node: Node, nr: int, grad: Any) -> list[Any]:
    slots: list[Any] = [None] * node.outputs
    slots[nr] = grad
    return slots


def _reaching(start: Node, wanted: set[Node], captures: dict[Node, list[Capture]]) -> set[Node]:
    """Nodes to be run: those with a wanted or captured node somewhere behind them (E-32)."""
    reach = set(wanted)
    done: set[Node] = set()
    stack: list[tuple[Node, bool]] = [(start, False)]
    while stack:
        node, expanded = stack.pop()
        if not expanded:
            if node in done:
                continue
            done.add(node)
            stack.append((node, True))
            stack.extend((following, False) for following, _ in node.next_functions if following)
        elif any(f in reach or f in captures for f, _ in node.next_functions if f is not None):
            reach.add(node)
    return reach

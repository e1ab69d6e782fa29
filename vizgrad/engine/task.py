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
from collections.abc import Callable, Generator, Iterable
from heapq import heappop, heappush
from itertools import count
from typing import TYPE_CHECKING, Any

from vizgrad.arrays.quiet import hush, unhush
from vizgrad.engine.deep import LEVELS, on_another_thread
from vizgrad.engine.explain import unfinished_error
from vizgrad.engine.thread_modes import ThreadModes, modes_now, put_back
from vizgrad.engine.visit import visit
from vizgrad.engine.watch import Guarded
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Edge, Node
from vizgrad.graph.saved import Freed
from vizgrad.tensor.modes import MODES, set_grad_mode, tell_recorder

if TYPE_CHECKING:
    from vizgrad.engine.domain import Domain
    from vizgrad.engine.watch import Watch

_task_ids = count().__next__
_NOWHERE = object()


class GraphRoot(Node):
    """Stands before several roots, and delivers to them like any other node (E-44)."""

    __slots__ = ("grads",)

    #: It is not visited at all: `loop` looks for it where nodes are not of the usual kind.
    wants_tensors = True

    def __init__(self, roots: list[tuple[Node, int, Any]]) -> None:
        self.edges = tuple(Edge(node, nr) if nr else node for node, nr, _ in roots)
        self.grads = tuple(grad for _, _, grad in roots)
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
        "__weakref__", "borrowed", "buffers", "callbacks", "captures", "current", "dependencies",
        "depth", "domain", "freed", "id", "keep_graph", "leaves", "modes", "order", "outer", "pausing",
        "reach", "ready", "roots", "watch",
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
        self.watch: Watch | Guarded | None = None
        self.pausing = False
        #: Gradients delivered and not yet used: one value, or a list for several output slots.
        self.buffers: dict[Node, Any] = {}
        #: Nodes whose buffered gradient somebody else may hold: not to be changed or kept. To begin
        #: with the roots: a gradient given by the caller stays the caller's (E-64).
        self.borrowed: set[Node] = (
            {roots[0][0]} if len(roots) == 1 else {node for node, _, _ in roots}
        )
        #: Incoming edges that have not delivered yet.
        self.dependencies: dict[Node, int] = {}
        self.ready: list[tuple[int, int, Node]] = []
        self.leaves: deque[Node] = deque()
        self.current: Node | None = None
        self.order = 0
        #: How many backwards this one runs within.
        self.depth = 0
        #: Functions to be called when all nodes have run (E-80).
        self.callbacks: list[Callable[[], None]] | None = None
        #: The task and the modes of this thread before this task was entered.
        self.outer: Any = _NOWHERE
        #: What is switched in this thread at the start of each visit; None outside.
        self.modes: ThreadModes | None = None
        #: Nodes to be run; None: all that are reachable.
        self.reach: set[Node] | None = None
        self._prepare(leaves_wanted)

    # --- before the first node ----------------------------------------------------------------

    def _prepare(self, leaves_wanted: Iterable[Node]) -> None:
        roots = self.roots
        if len(roots) == 1:
            start, nr, grad = roots[0]
        else:
            start, nr, grad = GraphRoot(roots), 0, None
        self._count_dependencies(start)
        if self.captures is not None:
            self.reach = _reaching(start, set(leaves_wanted), self.captures)
            if start.__class__ is GraphRoot and start not in self.reach:
                return  # while the hooks of a single root that leads nowhere are called, as PyTorch has it
        self.buffers[start] = grad if start.outputs == 1 else _slots(start, nr, grad)
        if start.__class__ is AccumulateGrad:
            self.leaves.append(start)
        else:
            self.ready.append((-start.sequence_nr, 0, start))

    def _count_dependencies(self, start: Node) -> None:
        counts = self.dependencies
        stack = [start]
        while stack:
            for edge in stack.pop().edges:
                if edge is None:
                    continue
                node = edge.node if type(edge) is Edge else edge
                if node in counts:
                    counts[node] += 1
                else:
                    counts[node] = 1
                    stack.append(node)

    # --- the loop -----------------------------------------------------------------------------

    # Long on purpose: a branch moved out of here would be a call for each node of each backward.
    def loop(self) -> Generator[Node, None, None]:  # noqa: C901, PLR0915
        """Runs node after node; yields each before its visit while `pausing`."""
        ready, leaves, buffers, borrowed = self.ready, self.leaves, self.buffers, self.borrowed
        dependencies, captures, reach = self.dependencies, self.captures, self.reach
        domain, keep_graph, freed = self.domain, self.keep_graph, self.freed
        fit, accumulate, watch, raw = domain.fit, domain.accumulate, self.watch, domain.raw
        # Nobody listens and nothing is captured: then a node without hooks is run right here.
        unobserved = watch is None and raw and captures is None
        quick = unobserved and not MODES.anomaly
        while True:
            if leaves:
                node = leaves.popleft()
            elif ready:
                node = heappop(ready)[2]
            else:
                break
            if self.pausing and type(node) is not GraphRoot:
                self.current = node
                yield node
                quick = unobserved and not MODES.anomaly
            incoming = buffers.pop(node, None)

            # --- the visit: stages 1 to 10 -------------------------------------------------------
            if (
                quick
                and node.hooks is None
                and not node.wants_tensors
                and (type(node) is not AccumulateGrad or node.variable._rare is None)
            ):
                if type(node) is AccumulateGrad:
                    variable = node.variable
                    if incoming is not None and variable._tracked:
                        accumulate(variable, incoming, node in borrowed)
                    continue
                foreign = node.outputs > 1
                if incoming is None:
                    routed: Any = (None,) * len(node.edges)
                else:
                    try:
                        routed = node.run_all(incoming) if foreign else node.run(incoming)
                    except Exception as error:
                        domain.explain(error, node)
                        raise
                if not keep_graph:
                    node.release(freed)
            elif type(node) is GraphRoot:
                routed, foreign = node.grads, True
            else:
                full = reach is None or node in reach
                incoming, routed = visit(self, node, incoming, full)
                # a hook or a custom Function has run: it may have switched anomaly mode
                quick = unobserved and not MODES.anomaly
                if not full:
                    continue
                foreign = node.wants_tensors or node.outputs > 1 or node.hooks is not None

            # --- stage 11: delivery -----------------------------------------------------------------
            if routed.__class__ is not tuple:
                routed = (routed,)
            index = -1
            for edge in node.edges:
                index += 1
                if edge is None:
                    continue
                if type(edge) is Edge:
                    slot, target = edge.input_nr, edge.node
                else:
                    slot, target = 0, edge
                if reach is not None and target not in reach and target not in (captures or ()):
                    continue
                grad = routed[index]
                if grad is not None:
                    computed = grad
                    if target.outputs == 1:
                        if grad.shape != target.shape or grad.dtype is not target.dtype:
                            grad = fit(grad, target.meta(0), node, index)
                        before = buffers.get(target)
                        if before is None:
                            buffers[target] = grad
                            if (
                                foreign
                                or grad is incoming
                                or (
                                    raw
                                    and grad.base is not None
                                    and self._is_lent(node, incoming, grad, index, routed)
                                )
                            ):
                                borrowed.add(target)
                        else:
                            buffers[target] = self._add(target, before, grad)
                    else:
                        grad = fit(grad, target.meta(slot), node, index)
                        slots = buffers.get(target)
                        if slots is None:
                            slots = buffers[target] = [None] * target.outputs
                        before = slots[slot]
                        slots[slot] = grad if before is None else domain.add(before, grad)
                    if watch is not None:
                        watch.routed(node, index, computed, grad)
                elif watch is not None:
                    watch.routed(node, index, None, None)
                left = dependencies[target] - 1
                dependencies[target] = left
                if left == 0:
                    if target.__class__ is AccumulateGrad:
                        leaves.append(target)
                    else:
                        self.order += 1
                        heappush(ready, (-target.sequence_nr, self.order, target))
        self.current = None
        if self.callbacks is not None:
            while self.callbacks:
                self.callbacks.pop(0)()
        if buffers:
            raise unfinished_error(list(buffers))

    def _add(self, target: Node, before: Any, grad: Any) -> Any:
        """Adds to a buffer: in place only where the engine alone holds it (E-52)."""
        if target not in self.borrowed and self.domain.can_add_in_place(before, grad):
            before += grad
            return before
        self.borrowed.discard(target)
        return self.domain.add(before, grad)

    def _is_lent(
        self, node: Node, incoming: Any, grad: Any, index: int, routed: tuple[Any, ...]
    ) -> bool:
        """May somebody else hold the memory of `grad`, a view that `node` computed for edge `index`?

        What a formula computes is the engine's alone, or `incoming`, or a part of it (no formula hands
        out saved memory). So it is a question of who else holds `incoming`, and whether another edge
        gets a view of the same.
        """
        shared = self.domain.share_memory
        if node in self.borrowed and shared(grad, incoming):
            return True
        for place, other in enumerate(routed):
            if other is not None and place != index and shared(grad, other):
                return True
        return False

    # --- driving ------------------------------------------------------------------------------

    def run(self) -> None:
        """Runs to the end in one go; on this thread, unless it is too deep in nested backwards (E-90)."""
        around = MODES.task
        if around is not None:
            self.depth = around.depth + 1
            if self.depth % LEVELS == 0:
                on_another_thread(self._run)
                return
        self._run()

    def _run(self) -> None:
        if MODES.recorder is not None and self.watch is None:
            self.watch = tell_recorder("watch", self)
        if self.watch is not None and not isinstance(self.watch, Guarded):
            self.watch = Guarded(self.watch)
        if not self.domain.raw:
            self.enter()
        token = hush()
        try:
            for _ in self.loop():
                pass
        finally:
            unhush(token)
            if self.outer is not _NOWHERE:
                self.leave()
            self.buffers.clear()
            if isinstance(self.watch, Guarded):
                self.watch.end()

    def enter(self) -> None:
        """Makes this the thread's task, in the grad mode of the domain (E-26); `leave` ends that.

        What computes on plain arrays does not ask for the mode, so a run enters only when it comes to
        code that may: a custom Function, a hook, or a formula on Tensors.
        """
        if self.outer is _NOWHERE:
            self.outer = MODES.task, modes_now()
            set_grad_mode(not self.domain.raw)
            self.modes = modes_now()
            MODES.task = self

    def visited(self) -> None:
        """At the end of a visit: what was switched in it is switched back."""
        if self.modes is not None:
            put_back(self.modes)

    def leave(self) -> None:
        if self.outer is not _NOWHERE:
            MODES.task, modes = self.outer
            put_back(modes)
            self.outer, self.modes = _NOWHERE, None

    def will_run(self, node: Node) -> bool:
        """Is `node` run in this backward, or a gradient captured there?"""
        if node not in self.dependencies and all(node is not root for root, _, _ in self.roots):
            return False
        if self.reach is None:
            return True
        return node in self.reach or node in (self.captures or ())

    def abandon(self) -> None:
        """Lets go of the graph and of all gradients; what the run did to leaves and nodes stays."""
        for held in (self.roots, self.ready, self.leaves, self.buffers, self.borrowed,
                     self.dependencies, self.reach, self.captures):  # fmt: skip
            if held is not None:
                held.clear()
        self.watch = self.current = None


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
            stack.extend((following, False) for following, _ in node.next_edges if following)
        elif any(f in reach or f in captures for f, _ in node.next_edges if f is not None):
            reach.add(node)
    return reach

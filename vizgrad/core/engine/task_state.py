"""The state of one backward: what is ready, what waits, what has been delivered, and the modes of its thread.

All of it is kept in attributes, so the debugger can read a paused task (`vizgrad.debugger.session`);
a visit (`vizgrad.core.engine.visit`) reads and changes it, and the two loops run it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from heapq import heappush
from itertools import count
from typing import TYPE_CHECKING, Any

from vizgrad.core.engine.explain import unfinished_error
from vizgrad.core.graph.node import Edge, Node
from vizgrad.core.graph.packing import set_saved_hooks
from vizgrad.core.graph.saved import Freed
from vizgrad.core.tensor.modes import (
    MODES,
    is_grad_enabled,
    leave_inference,
    set_grad_mode,
    set_multithreading,
    share_of_thread,
)

if TYPE_CHECKING:
    from vizgrad.core.engine.domain import Domain
    from vizgrad.core.engine.observer import Guarded, Watch

_task_ids = count().__next__


class GraphRoot(Node):
    """Stands before several roots, and delivers to them like any other node (E-44)."""

    __slots__ = ("grads",)

    #: Its gradients are delivered, and no more: `visit` looks for it where nodes are not of the usual kind.
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


class ThreadModes:
    """The modes of this thread when it was made, to be put back after each visit, and after the backward.

    A hook or a custom Function may switch them (M-10).

    Each mode is the thread's own, which takes as long to look at as a small operation's part: so what is
    looked at is whether any was switched.
    """

    __slots__ = (
        "_inference",
        "_multithreading",
        "_saved_hooks",
        "_share",
        "_since",
        "_within",
        "grad",
    )

    def __init__(self, within: bool) -> None:
        """Switches grad mode to `within`, the mode of all visits."""
        self._share = MODES.share or share_of_thread()
        self._inference = MODES.inference
        self._multithreading = MODES.multithreading
        self._saved_hooks = MODES.saved_hooks
        self._within = within
        self.grad = set_grad_mode(within)
        self._since = self._share.switches

    def after_visit(self) -> None:
        """Modes that were switched in a visit are switched back."""
        if self._share.switches != self._since:
            self._put_back(self._within)
            self._since = self._share.switches

    def after_backward(self) -> None:
        if self._share.switches == self._since:
            set_grad_mode(self.grad)
        else:
            self._put_back(self.grad)

    def _put_back(self, grad: bool) -> None:
        if MODES.inference is not self._inference:
            leave_inference((self._inference, grad))
        elif is_grad_enabled() is not grad:
            set_grad_mode(grad)
        if MODES.multithreading is not self._multithreading:
            set_multithreading(self._multithreading)
        if MODES.saved_hooks is not self._saved_hooks:
            set_saved_hooks(self._saved_hooks)


class TaskState:
    """The state of a run of the engine.

    `roots` are (node, output_nr, gradient). With `captures` given (node -> list of Capture), only nodes
    from which a captured node, or one in `wanted`, can be reached are run (E-32).
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
        wanted: Iterable[Node] = (),
    ) -> None:
        self.id = _task_ids()
        self.roots = roots
        self.domain = domain
        self.keep_graph = keep_graph
        self.freed = freed
        self.captures = captures
        #: The listener (None: no one), and whether to stop before each node.
        self.watch: Watch | Guarded | None = None
        self.pausing = False
        #: Gradients delivered and not yet used: one value, or a list for several output slots.
        self.buffers: dict[Node, Any] = {}
        #: Nodes whose buffered gradient other code may hold: not to be changed or kept. To begin
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
        #: The modes of this thread before this task was entered, None outside; and the task.
        self.modes: ThreadModes | None = None
        self.outer: TaskState | None = None
        #: Nodes to be run; None: all that are reachable.
        self.reach: set[Node] | None = None
        self._prepare(wanted)

    # --- before the first node ----------------------------------------------------------------

    def _prepare(self, wanted: Iterable[Node]) -> None:
        roots = self.roots
        if len(roots) == 1:
            start, nr, grad = roots[0]
        else:
            start, nr, grad = GraphRoot(roots), 0, None
        self._count_dependencies(start)
        if self.captures is not None:
            self.reach = _reaching(start, set(wanted), self.captures)
            if start.__class__ is GraphRoot and start not in self.reach:
                return  # while the hooks of a single root that leads nowhere are called, as PyTorch has it
        self.buffers[start] = grad if start.outputs == 1 else _slots(start, nr, grad)
        if start.runs_first:
            self.leaves.append(start)
        else:
            self.ready.append((-start.sequence_nr, 0, start))

    def _count_dependencies(self, start: Node) -> None:
        counts = self.dependencies
        found = [start]
        for each in found:  # which grows meanwhile
            for edge in each.edges:
                if edge is None:
                    continue
                node = edge.node if type(edge) is Edge else edge
                if node in counts:
                    counts[node] += 1
                else:
                    counts[node] = 1
                    found.append(node)

    # --- while it runs -------------------------------------------------------------------------

    def enter(self) -> None:
        """Makes this the thread's task, in the grad mode of the domain (E-26); `leave` ends that.

        Code that computes on plain arrays does not ask for the mode, so a run enters only when it comes to
        code that may: a custom Function, a hook, or a formula on Tensors.
        """
        if self.modes is None:
            self.outer = MODES.task
            self.modes = ThreadModes(self.domain.records)
            MODES.task = self

    def visited(self) -> None:
        """At the end of a visit: what was switched in it is switched back."""
        if self.modes is not None:
            self.modes.after_visit()

    def leave(self) -> None:
        if self.modes is not None:
            MODES.task = self.outer
            self.modes.after_backward()
            self.outer = self.modes = None

    def make_ready(self, node: Node) -> None:
        """Puts a node into the queue: gradients have come over all its edges."""
        watch = self.watch
        if watch is not None and watch.journal is not None:
            watch.journal.readied.append(node)
        if node.runs_first:
            self.leaves.append(node)
        else:
            self.order += 1
            heappush(self.ready, (-node.sequence_nr, self.order, node))

    def finish(self) -> None:
        """All nodes have run."""
        self.current = None
        if self.callbacks is not None:
            while self.callbacks:
                self.callbacks.pop(0)()
        if self.buffers:
            raise unfinished_error(list(self.buffers))

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
    ends = captures.keys()
    stack: list[tuple[Node, Any]] = [(start, None)]
    while stack:
        node, following = stack.pop()
        if following is not None:
            if not reach.isdisjoint(following) or not ends.isdisjoint(following):
                reach.add(node)
        elif node not in done:
            done.add(node)
            following = [
                edge.node if type(edge) is Edge else edge for edge in node.edges if edge is not None
            ]
            stack.append((node, following))
            stack.extend([(each, None) for each in following])
    return reach

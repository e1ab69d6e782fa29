"""What went through a backward: how large gradients were, node by node, and where they became odd."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from vizgrad.arrays.magnitude import born, largest, zero_share, zero_where_odd, zeros_in
from vizgrad.engine.watch import Watch
from vizgrad.graph.accumulate import AccumulateGrad
from vizgrad.graph.node import Node
from vizgrad.graph.saved import bare
from vizgrad.tensor.clock import tick
from vizgrad.tensor.place import Site, caller

if TYPE_CHECKING:
    from vizgrad.provenance.gradients import Gradients
    from vizgrad.provenance.memory import HiddenWrite, Memory
    from vizgrad.provenance.notes import Note


class Delivered(NamedTuple):
    """What one edge delivered: to whom, and how large it was."""

    target: int
    edge: int
    size: float


class Odd(NamedTuple):
    """Gradients went in one way and came out another: not finite, or all zero."""

    visit: Visit
    edge: int
    #: Is what came in zero wherever what went out is not finite?
    masked: bool
    #: Saved arrays: name -> (elements that are zero or less, all of them, is one exactly zero?).
    saved: dict[str, tuple[int, int, bool]]
    #: Places, values, and what the operand was there.
    places: Any


class Visit:
    """One node of one backward."""

    __slots__ = ("edges", "incoming", "key", "name", "out", "site", "zeros")

    def __init__(
        self, key: int, name: str, site: Site | None, incoming: float, zeros: bool
    ) -> None:
        self.key = key
        self.name = name
        self.site = site
        #: The largest absolute value that came.
        self.incoming = incoming
        self.zeros = zeros
        self.out: list[Delivered] = []


class Run:
    """One call of backward or grad."""

    def __init__(self, task: Any, memory: Memory, gradients: Gradients) -> None:
        self.memory = memory
        self.gradients = gradients
        self.clock = tick()
        #: The tick at which it ended; 0 while it runs.
        self.ended = 0
        self.kind = "backward"
        self.creates = not task.domain.raw
        self.keeps = task.keep_graph
        self.site: Site | None = task.freed.site or caller(3)
        self.roots: tuple[Note, ...] = ()
        self.visits: dict[int, Visit] = {}
        self.births: list[Odd] = []
        self.kills: list[Odd] = []
        #: Leaves whose gradient it stored.
        self.leaves: set[int] = set()
        #: (visit, what was written past the counter) of values that were read afterwards.
        self.hidden: list[tuple[Visit, str, HiddenWrite]] = []
        #: (line, variable) of writes to a gradient while a hook had it.
        self.edited: list[tuple[Site | None, str]] = []
        #: The array that the node under way was given.
        self.given: Any = None
        #: (visit, name of the hook) of hooks that ran.
        self.hooked: list[tuple[Visit, str]] = []

    def __repr__(self) -> str:
        return f"<Run of {len(self.visits)} nodes>"


def key_of(node: Node) -> int:
    """A number for a node: its own, or that of the leaf it fills."""
    return -id(node.variable) if isinstance(node, AccumulateGrad) else node.sequence_nr


class Watching(Watch):
    """Told of each node of a run by the engine. Values are looked at, and none is kept."""

    def __init__(self, run: Run) -> None:
        self._run = run
        #: How large what waits for a node is, as long as only one has come.
        self._waiting: dict[int, float | None] = {}
        self._visit: Visit | None = None
        self._saved: dict[str, Any] = {}
        self._incoming: Any = None

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        key = key_of(node)
        known = self._waiting.pop(key, None)
        if known is None:
            known = _largest(grads)
        visit = Visit(key, node.name(), node.site, known, False)
        run = self._run
        run.visits[key] = visit
        self._visit = visit
        self._incoming = run.given = grads[0] if len(grads) == 1 else None
        self._saved = {}
        if isinstance(node, AccumulateGrad):
            run.leaves.add(id(node.variable))
            run.gradients.arriving(node.variable, run)
            return
        if type(node).__name__ == "GraphRoot":
            return
        if run.memory.hidden:
            for name, form in node.saved_values().items():
                array = getattr(bare(form), "_array", None)
                if array is not None:
                    written = run.memory.hidden_write(array, node.sequence_nr)
                    if written is not None:
                        run.hidden.append((visit, name, written))
        self._saved = node.saved_values()

    def stage(self, stage: str, detail: str, before: Any, after: Any) -> None:
        if stage == "tensor_hooks" and self._visit is not None:
            self._run.hooked.append((self._visit, detail))

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        assert isinstance(node, AccumulateGrad)
        self._run.given = None
        self._run.gradients.stored(node.variable, decision, self._run)

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        visit = self._visit
        if visit is None or visit.key != key_of(node):
            return
        edge = node.next_edges[index][0]
        if routed is None or edge is None:
            return
        target = key_of(edge)
        size = largest(getattr(routed, "_array", routed))
        visit.out.append(Delivered(target, index, size))
        self._waiting[target] = None if target in self._waiting else size
        if size == 0.0:
            if visit.incoming > 0.0:
                self._run.kills.append(self._odd(visit, index, routed))
        elif not size < _INF and visit.incoming < _INF:
            self._run.births.append(self._odd(visit, index, routed))

    def _odd(self, visit: Visit, index: int, routed: Any) -> Odd:
        array = getattr(routed, "_array", routed)
        incoming = getattr(self._incoming, "_array", self._incoming)
        saved: dict[str, tuple[int, int, bool]] = {}
        operand = None
        for name, form in self._saved.items():
            found = getattr(bare(form), "_array", None)
            if found is not None and found.dtype.kind in "fiubV":
                saved[name] = (*zero_share(found), zeros_in(found))
                operand = found if operand is None or name != "result" else operand
        masked = incoming is not None and zero_where_odd(incoming, array)
        places = [] if not array.size else born(array, operand)
        return Odd(visit, index, masked, saved, places)

    def leave(self, node: Node) -> None:
        """What was saved is let go of with the delivery, which comes next."""

    def failed(self, node: Node, error: BaseException) -> None:
        self._saved, self._incoming = {}, None


_INF = float("inf")


def _largest(grads: tuple[Any, ...]) -> float:
    sizes = [largest(getattr(grad, "_array", grad)) for grad in grads if grad is not None]
    odd = [size for size in sizes if size != size]
    return odd[0] if odd else max(sizes, default=0.0)

"""Backwards of a watched block that are kept as traces: the last ones, and the first ones with findings.

A trace tells what a step of a session tells, in numbers: the nodes that ran, in order, and statistics of
each gradient. It holds no value, tensor or node.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple
from weakref import ref

from vizgrad.core.engine.observer import Trail
from vizgrad.core.errors import place_of
from vizgrad.core.function.transform_tensor import stands_for_others
from vizgrad.core.graph.edges import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import Origin
from vizgrad.debugger.engines.vizgrad.collective_log import CollectiveLog
from vizgrad.debugger.engines.vizgrad.engine_reader import key_of
from vizgrad.debugger.engines.vizgrad.graph_source import Origins, kind_of
from vizgrad.debugger.engines.vizgrad.summary import outline, summarize
from vizgrad.debugger.session.grouping import groups_of
from vizgrad.debugger.session.replay import checked
from vizgrad.debugger.watch.backwards import Run, Watching
from vizgrad.debugger.watch.rounds import Rounds

#: Nodes of one backward, and of all that are kept: a node takes some 1.5 kB. A larger backward is not kept.
MOST_NODES, MOST_TOGETHER = 50_000, 100_000
#: Backwards more than asked for that are there until findings are asked for, which takes time.
SPARE = 16

Summary = model.TensorSummary | None


class NodeFacts(NamedTuple):
    """A node as it stood; `targets` are (key, slot) of its edges, the key None where one leads nowhere."""

    key: int
    name: str
    kind: model.NodeKind
    sequence_nr: int
    targets: tuple[tuple[int | None, int], ...]
    input_names: tuple[str, ...]
    origin: Origin
    site: Site | None
    #: Gives the tensor of a leaf while that lives.
    variable: Callable[[], Any] | None = None


class _Visit:
    """One node that ran. `sent`: edge -> the gradient as it was computed, and as it was delivered."""

    __slots__ = ("accumulate", "called", "error", "facts", "incoming", "seconds", "sent")

    def __init__(self, facts: NodeFacts, incoming: tuple[Summary, ...]) -> None:
        self.facts = facts
        self.incoming = incoming
        self.sent: dict[int, tuple[Summary, Summary]] = {}
        self.accumulate: model.AccumulateRecord | None = None
        self.seconds = 0.0
        self.error = ""
        #: The collectives that it called, and those that had ended by then.
        self.called: tuple[model.Collective, ...] = ()


class BackwardRecord:
    """One backward, noted while it runs. `clock` is when it began."""

    __slots__ = ("_known", "_summaries", "_visits", "clock", "too_large")

    def __init__(self, clock: int) -> None:
        self.clock = clock
        #: It has more nodes than are kept of one.
        self.too_large = False
        self._visits: list[_Visit] = []
        self._known: set[int] = set()
        #: The gradient that waits at a slot: (its id, its summary), the id None where several have come.
        self._summaries: dict[tuple[int | None, int], tuple[int | None, Summary]] = {}

    def __len__(self) -> int:
        return len(self._visits)

    # --- while it runs ------------------------------------------------------------------------------

    def enter(
        self, facts: NodeFacts, incoming: Sequence[Any], summary: Callable[[Any], Summary]
    ) -> _Visit | None:
        """A node begins; None where it is not noted."""
        if (
            self.too_large or facts.key in self._known
        ):  # a backward within this one has reached it, too
            return None
        if len(self._visits) >= MOST_NODES:
            self.too_large = True
            self._visits.clear()
            self._summaries.clear()
            return None
        came = [self._told(facts.key, nr, grad, summary) for nr, grad in enumerate(incoming)]
        made = _Visit(facts, tuple(came))
        self._known.add(facts.key)
        self._visits.append(made)
        return made

    def _told(self, key: int, nr: int, grad: Any, summary: Callable[[Any], Summary]) -> Summary:
        """Put into numbers once where it comes as it was sent: it was alive since."""
        known = self._summaries.pop((key, nr), None)
        same = known is not None and known[0] is not None and known[0] == _mark(grad)
        return known[1] if known is not None and same else summary(grad)

    def sent(
        self, visit: _Visit, edge: int, computed: Any, routed: Any,
        summary: Callable[[Any], Summary], *, waits: bool = True,
    ) -> None:  # fmt: skip
        """An edge has delivered `routed`; `waits`: the next node is given this very object."""
        after = summary(routed)
        before = after if computed is routed else summary(computed)
        visit.sent[edge] = before, after
        if waits:
            slot = visit.facts.targets[edge]
            mark = None if slot in self._summaries else _mark(routed)
            self._summaries[slot] = mark, after

    def called(self, calls: Sequence[model.Collective]) -> None:
        """The node that ran last has called these, or they had ended by then. Leaves are named by keys."""
        if self._visits:
            self._visits[-1].called += tuple(calls)

    def end(self) -> None:
        """Nothing is added any more."""
        self._summaries.clear()
        self._known.clear()

    # --- as a trace ---------------------------------------------------------------------------------

    def trace(self, title: str, label: Callable[[Any], str]) -> model.Trace:
        """All that was noted. `label`: the name of a leaf's tensor."""
        graph = _Graph(self._visits)
        numbers = graph.numbers
        order = [numbers[visit.facts.key] for visit in self._visits]
        ready = [model.Ready(numbers[v.facts.key], _priority(v.facts)) for v in self._visits]
        plain = tuple(
            model.StepRecord(
                self._visit(index, numbers),
                ready[index],
                "error" if visit.error else "done",
                collectives=tuple(_numbered(call, numbers) for call in visit.called),
            )
            for index, visit in enumerate(self._visits)
        )
        needed = Counter(
            number
            for visit in self._visits
            for key, _ in visit.facts.targets
            if (number := numbers.get(key)) is not None
        )
        first = [each for each in ready if not needed[each.node]]
        slots = [
            model.Buffer(numbers[visit.facts.key], nr, value)
            for visit in self._visits
            if not needed[numbers[visit.facts.key]]
            for nr, value in enumerate(visit.incoming)
            if value is not None
        ]
        start = model.Start(
            len(order), next(iter(order), None), tuple(first), tuple(slots),
            tuple(needed[node] for node in range(graph.size)),
        )  # fmt: skip
        told = graph.graph(title, label)
        whole = model.Trace(told, tuple(self._steps(plain, needed)), (), title, start=start)
        try:
            checked(whole)
        except ValueError:  # nodes ran before all had come, as where several threads run them
            return model.Trace(told, plain, (), title)
        return whole

    def _visit(self, index: int, numbers: dict[int, int]) -> model.Visit:
        visit = self._visits[index]
        facts = visit.facts
        routed: list[model.Routed] = []
        for edge, (key, nr) in enumerate(facts.targets):
            number = None if key is None else numbers.get(key)
            before, after = visit.sent.get(edge, (None, None))
            if number is not None:
                name = facts.input_names[edge] if edge < len(facts.input_names) else ""
                routed.append(model.Routed(model.Edge(number, nr, name), before, after, index=edge))
        return model.Visit(
            index, numbers[facts.key], visit.incoming, tuple(routed), (), visit.accumulate, 0,
            visit.seconds, visit.error,
        )  # fmt: skip

    def _steps(
        self, plain: Sequence[model.StepRecord], needed: Counter[int]
    ) -> Iterator[model.StepRecord]:
        """With what arrived where, what became ready, and which node comes next."""
        came: Counter[int] = Counter()
        waiting: dict[tuple[int, int], Summary] = {}
        left: Counter[tuple[int, int]] = Counter()
        totals: dict[tuple[int, int], Summary] = {}
        ready = {record.visit.node: record.ready for record in plain}
        for record in plain:
            left.update((r.edge.node or 0, r.edge.input_nr) for r in _defined(record))
            totals |= {(record.visit.node, nr): v for nr, v in enumerate(record.visit.incoming)}
        for index, record in enumerate(plain):
            arrived: list[model.Arrival] = []
            for routed in _defined(record):
                slot = node, nr = routed.edge.node or 0, routed.edge.input_nr
                before, after = waiting.get(slot), routed.routed
                left[slot] -= 1
                if (
                    before is not None and after is not None
                ):  # the sum is known when the last has come
                    total = None if left[slot] else totals.get(slot)
                    after = _without_numbers(after) if total is None else total
                waiting[slot] = after
                arrived.append(model.Arrival(node, nr, before, after))
            readied: list[model.Ready] = []
            for routed in record.visit.routed:
                target = routed.edge.node
                assert target is not None  # others are left out
                came[target] += 1
                if came[target] == needed[target]:
                    readied.append(ready[target])
            current = plain[index + 1].visit.node if index + 1 < len(plain) else None
            yield replace(record, arrived=tuple(arrived), readied=tuple(readied), current=current)


def _numbered(call: model.Collective, numbers: dict[int, int]) -> model.Collective:
    """With the numbers of its leaves instead of their keys."""
    return replace(call, nodes=tuple(numbers[key] for key in call.nodes if key in numbers))


def _defined(record: model.StepRecord) -> Iterator[model.Routed]:
    return (routed for routed in record.visit.routed if routed.routed is not None)


def _without_numbers(summary: model.TensorSummary) -> model.TensorSummary:
    """Its shape and type alone."""
    return model.TensorSummary(summary.shape, summary.dtype, summary.device, summary.bytes)


def _priority(facts: NodeFacts) -> int | None:
    return None if facts.kind == "leaf" else facts.sequence_nr


def _mark(grad: Any) -> int | None:
    return None if grad is None else id(getattr(grad, "_array", grad))


class _Graph:
    """Numbers nodes as graphs do: operations in the order of recording, the latest first, then leaves."""

    def __init__(self, visits: Sequence[_Visit]) -> None:
        inner = [visit for visit in visits if visit.facts.kind != "leaf"]
        inner.sort(key=lambda visit: -visit.facts.sequence_nr)
        self.inner = len(inner)
        self._visits = inner + [visit for visit in visits if visit.facts.kind == "leaf"]
        self.size = len(self._visits)
        #: The number of each key.
        self.numbers: dict[Any, int] = {v.facts.key: n for n, v in enumerate(self._visits)}

    def name(self, node: int) -> str:
        return self._visits[node].facts.name

    def targets(self, node: int) -> list[int | None]:
        return [self.numbers.get(key) for key, _ in self._visits[node].facts.targets]

    def origin(self, node: int) -> Origin:
        return self._visits[node].facts.origin

    def graph(self, title: str, label: Callable[[Any], str]) -> model.Graph:
        nodes = tuple(self._node(number, label) for number in range(self.size))
        reached = {edge.node for node in nodes for edge in node.edges}
        roots = tuple((node.id, 0) for node in nodes if node.id not in reached)
        return model.Graph(nodes, roots, title=title, groups=groups_of(self))

    def _node(self, number: int, label: Callable[[Any], str]) -> model.Node:
        visit = self._visits[number]
        facts, names = visit.facts, visit.facts.input_names
        variable = None if facts.variable is None else facts.variable()
        return model.Node(
            id=number,
            name=facts.name,
            kind=facts.kind,
            sequence_nr=max(facts.sequence_nr, 0),
            topological_nr=0,
            edges=tuple(
                model.Edge(target, nr, names[i] if i < len(names) else "")
                for i, (target, (_, nr)) in enumerate(
                    zip(self.targets(number), facts.targets, strict=True)
                )
            ),
            outputs=tuple(map(_meta, visit.incoming)),
            scope=tuple(call.name for call in facts.origin.calls),
            place=place_of(facts.site),
            label="" if variable is None else label(variable),
        )


def _meta(incoming: Summary) -> model.OutputMeta:
    """The gradient of an output is of its shape and type."""
    if incoming is None:
        return model.OutputMeta((), "unknown", "unknown")
    return model.OutputMeta(incoming.shape, incoming.dtype, incoming.device)


# --- the backwards of a block that are kept -------------------------------------------------------------


class KeptBackwards:
    """The last `most` backwards of a block, and the first `most` with findings."""

    def __init__(self, most: int, rounds: Rounds, found: Callable[[], Collection[int]]) -> None:
        """`found`: the numbers of backwards with findings, as far as these are known."""
        self._most, self._rounds, self._find = most, rounds, found
        self._last: deque[BackwardRecord] = deque()
        #: Those with findings that came before the last ones.
        self._found: list[BackwardRecord] = []
        #: Places of vizgrad's own nodes.
        self.origins = Origins()

    def begin(self, clock: int) -> BackwardRecord:
        """A backward begins."""
        made = BackwardRecord(clock)
        self._last.append(made)
        return made

    def ended(self, clock: int, kind: str) -> None:
        """The one that began then has ended; `kind`: "backward", or "grad", which is not kept."""
        for record in reversed(self._last):
            if record.clock == clock:
                record.end()
                if kind == "grad" or record.too_large:
                    self._last.remove(record)
                break
        if len(self._last) >= self._most + SPARE:
            self._tidy()
        while sum(map(len, self._last)) > MOST_TOGETHER and len(self._last) > 1:
            self._last.popleft()

    def _tidy(self) -> None:
        """Drops all but the last ones, and those in which something was found first."""
        wanted = self._most - len(self._found)
        found = self._find() if wanted > 0 else ()
        while len(self._last) > self._most:
            record = self._last.popleft()
            if wanted > 0 and self._number(record) in found and self._has_room(record):
                self._found.append(record)
                wanted -= 1

    def _has_room(self, record: BackwardRecord) -> bool:
        return sum(map(len, self._found)) + len(record) <= MOST_TOGETHER

    def end(self) -> None:
        """The block has ended."""
        self._tidy()
        self.origins = Origins()
        for record in self._last:
            record.end()

    def _number(self, record: BackwardRecord) -> int | None:
        """Which backward of the block it is, from 1; None beyond those that are counted."""
        index = self._rounds.index(record.clock)
        return None if index is None else self._rounds.number(index)

    def latest(self) -> BackwardRecord | None:
        """The one that began last, also while it runs; None where none has run a node."""
        return next((record for record in reversed(self._last) if len(record)), None)

    def by_number(self) -> dict[int, BackwardRecord]:
        """Those that are kept now, in order."""
        known = (*self._found, *list(self._last)[-self._most :])
        numbered = ((self._number(record), record) for record in known if len(record))
        return {number: record for number, record in numbered if number is not None}


# --- vizgrad's own engine -------------------------------------------------------------------------------


class Keeping(Watching):
    """As `Watching`, and notes all for a trace. It is told of each stage of each node."""

    @property
    def trail(self) -> Trail | None:
        return None

    def __init__(self, run: Run, record: BackwardRecord, origins: Origins) -> None:
        super().__init__(run, stages=True)
        self._record, self._origins = record, origins
        self._noted: _Visit | None = None
        #: Leaves are told of by their keys.
        self._calls = CollectiveLog(key_of_leaf)
        self._held: Summary = None
        self._began = 0.0

    def enter(self, node: Node, grads: tuple[Any, ...], full: bool) -> None:
        super().enter(node, grads, full)
        self._noted = None
        self._calls.hears()
        if full:
            self._noted = self._record.enter(_facts(node, self._origins), grads, _summary)
        if node.__class__ is AccumulateGrad:
            self._held = _summary(node.variable._grad)  # pyright: ignore[reportAttributeAccessIssue]  a leaf's
        self._began = perf_counter()

    def accumulated(self, node: Node, decision: str, reason: str) -> None:
        super().accumulated(node, decision, reason)
        if self._noted is not None:
            now = _summary(node.variable._grad)  # pyright: ignore[reportAttributeAccessIssue]  a leaf's
            self._noted.accumulate = model.AccumulateRecord(decision, reason, self._held, now)

    def leave(self, node: Node) -> None:
        self._calls.stops()
        if self._noted is not None:
            self._noted.seconds = perf_counter() - self._began
            self._noted.called = self._calls.over(0, 0)

    def routed(self, node: Node, index: int, computed: Any, routed: Any) -> None:
        super().routed(node, index, computed, routed)
        if self._noted is not None and routed is not None and self._noted.facts.targets[index][0]:
            self._record.sent(self._noted, index, computed, routed, _summary)

    def failed(self, node: Node, error: BaseException) -> None:
        super().failed(node, error)
        self._calls.stops()
        if self._noted is not None:
            self._noted.error = f"{type(error).__name__}: {error}".removesuffix(": ")


def _summary(grad: Any) -> Summary:
    """In numbers; of what stands for others, whose elements nobody may see, shape and type."""
    return outline(grad) if grad is not None and stands_for_others(grad) else summarize(grad)


def _facts(node: Node, origins: Origins) -> NodeFacts:
    leaf = isinstance(node, AccumulateGrad)
    return NodeFacts(
        _key(node),
        node.name(),
        kind_of(node),
        0 if leaf else node.sequence_nr,
        tuple([(None if to is None else _key(to), nr) for to, nr in node.next_edges]),
        tuple(node.input_names),
        origins.of(node.scope, node.code, node.lasti),
        node.site,
        ref(node.variable) if leaf else None,
    )


def key_of_leaf(tensor: Any) -> int:
    """The key of the node that fills a leaf."""
    return -id(tensor)


def _key(node: Node) -> int:
    return key_of(node) if node.__class__ is AccumulateGrad else node.sequence_nr

"""Opens the backward of a `scalars.Value` for stepping, forwards and backwards."""

from __future__ import annotations

import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf, isinf, isnan
from typing import Any

from tests.debugger.engines.scalars.scalars import Value, order
from tests.debugger.engines.scalars.small import SmallGraph
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.openers import open_backward
from vizgrad.debugger.engines.api.protocols import Backward, Effect, WorldChanged
from vizgrad.debugger.engines.api.summarizer import NOWHERE, Origin
from vizgrad.debugger.session.breakpoints.node_selectors import texts_of
from vizgrad.debugger.session.grouping import groups_of

#: What each operation reads in backward, and how it says so.
FORMULAS: dict[str, dict[str, str]] = {
    "add": {"self": "grad", "other": "grad"},
    "mul": {"self": "grad * other", "other": "grad * self"},
    "pow": {"self": "grad * n * self ** (n - 1)"},
    "exp": {"self": "grad * result"},
    "tanh": {"self": "grad * (1 - result ** 2)"},
    "relu": {"self": "grad * (self > 0)"},
}
BYTES = 8


def number(x: float) -> model.TensorSummary:
    """A single number, as a summary."""
    finite = None if isnan(x) or isinf(x) else x
    return model.TensorSummary(
        shape=(), dtype="float", device="python", bytes=BYTES, norm=abs(x), min=finite, max=finite,
        mean=finite, zeros=int(x == 0), nans=int(isnan(x)), infs=int(abs(x) == inf), values=(x,),
    )  # fmt: skip


def _summary(value: Value) -> model.TensorSummary:
    return number(value.data)


summarizer.register(Value, _summary, _summary)


class Scalars(SmallGraph):
    """A GraphSource."""

    def __init__(self, results: Sequence[Value], names: Mapping[int, str]) -> None:
        values = list(order(*results))
        self.values = [one for one in values if one.operands]
        self.inner = len(self.values)
        self.values += [one for one in values if not one.operands]
        self.ids = {one: i for i, one in enumerate(self.values)}
        self._results = list(results)
        self._names = names
        self._depth: dict[Value, int] = {}
        #: Values that derivatives read -> who, and as what.
        self._readers: dict[Value, list[tuple[int, str]]] = {}
        self._changed: dict[Value, None] = {}
        #: How many writes of it were told.
        self._told = {one: len(one.writes) for one in self.values}
        for one in reversed(self.values):
            self._depth[one] = 1 + max((self._depth[o] for o in one.operands), default=-1)
        for i, one in enumerate(self.values):
            for name, read in self._reads(one).items():
                self._readers.setdefault(read, []).append((i, name))
            one.watchers += (self._wrote,)
        self._shown = {one for one in self.values if one in self._readers or one.writes}

    def __len__(self) -> int:
        return len(self.values)

    def targets(self, node: int) -> list[int | None]:
        return [self.ids[operand] for operand in self.values[node].operands]

    def origin(self, node: int) -> Origin:
        return NOWHERE

    def name(self, node: int) -> str:
        return self.values[node].op or "value"

    def label(self, node: int) -> str:
        one = self.values[node]
        if one.operands:
            return ""
        return one.label or self._names.get(id(one), "") or (f"{one.data:g}" if one.op else "")

    @property
    def roots(self) -> list[tuple[int, int]]:
        return [(self.ids[one], 0) for one in self._results]

    def describe_before(self, node: int) -> model.Node:
        return self.describe(node)

    def describe(self, node: int) -> model.Node:
        one = self.values[node]
        formulas = FORMULAS.get(one.op, {})
        return model.Node(
            id=node,
            name=self.name(node),
            kind="op" if one.operands else one.op or "leaf",
            sequence_nr=one.made,
            topological_nr=self._depth[one],
            edges=tuple(self.edges(one)),
            outputs=(model.OutputMeta((), "float", "python"),),
            saved=self.saved(node),
            formulas=tuple(model.Formula(name, text) for name, text in formulas.items()),
            label=self.label(node),
        )

    def edges(self, one: Value) -> list[model.Edge]:
        names = FORMULAS.get(one.op, {})
        return [
            model.Edge(self.ids[o], 0, name) for o, name in zip(one.operands, names, strict=True)
        ]

    def graph(self, title: str) -> model.Graph:
        nodes = tuple(map(self.describe, range(len(self))))
        return model.Graph(
            nodes, tuple(self.roots), self.timelines(), title, groups=groups_of(self)
        )

    # --- what derivatives read, and who wrote it ------------------------------------------------

    def _reads(self, one: Value) -> dict[str, Value]:
        given = dict(zip(FORMULAS.get(one.op, {}), one.operands, strict=True), result=one)
        text = " ".join(FORMULAS.get(one.op, {}).values())
        return {name: read for name, read in given.items() if name in text}

    def saved(self, node: int) -> tuple[model.Saved, ...]:
        one = self.values[node]
        return tuple(self._saved(one, name, read) for name, read in self._reads(one).items())

    def _saved(self, reader: Value, name: str, read: Value) -> model.Saved:
        before = sum(tick < reader.made for tick in read.writes)
        writes = self._writes(read)
        stale = before < len(writes)
        return model.Saved(
            name, "stale" if stale else "alive", (), "float", BYTES, self.ids[read],
            version_saved=before, version_now=len(writes), culprit=writes[before] if stale else None,
        )  # fmt: skip

    def _writes(self, one: Value) -> list[model.Write]:
        label = self.label(self.ids[one])
        return [
            model.Write(i, tick, "data = ...", None, label) for i, tick in enumerate(one.writes, 1)
        ]

    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        found = self.timelines()
        return len(found), found[:most]

    def texts(self, node: int) -> tuple[str, ...]:
        return texts_of(self.describe(node))

    def timelines(self) -> tuple[model.Storage, ...]:
        return tuple(self._timeline(one) for one in self.values if one in self._shown)

    def _timeline(self, one: Value) -> model.Storage:
        here = self.ids[one]
        saves: list[model.SaveMark] = []
        for node, name in self._readers.get(one, ()):
            saved = next(s for s in self.saved(node) if s.name == name)
            made = self.values[node].made
            saves.append(model.SaveMark(node, name, saved.version_saved, made, saved.state))
        writes = tuple(self._writes(one))
        return model.Storage(
            here, self.label(here), (), "float", BYTES, len(writes), writes, saves=tuple(saves)
        )

    def _wrote(self, one: Value) -> None:
        self._changed[one] = None

    def written(self) -> tuple[model.StorageChange, ...]:
        changed, self._changed = self._changed, {}
        return tuple(map(self._change, changed))

    def _change(self, one: Value) -> model.StorageChange:
        timeline = self._timeline(one)
        opened = None if one in self._shown else timeline
        self._shown.add(one)
        seen = self._told[one]
        self._told[one] = len(timeline.writes)
        turned = [
            model.SavedRun(node, s.name, s.state, s.version_now, s.culprit)
            for node, name in self._readers.get(one, ())
            for s in self.saved(node)
            if s.name == name
        ]
        return model.StorageChange(
            timeline.id, timeline.version, timeline.writes[seen:] if opened is None else (),
            saved=tuple(turned), opened=opened,
        )  # fmt: skip

    def retell(self) -> None:
        """Nothing is left out of what `written` tells."""

    # --- for the session ------------------------------------------------------------------------

    def grad(self, node: int) -> model.TensorSummary | None:
        one = self.values[node]
        return None if one.operands else number(one.grad)

    def value(self, node: int, name: str | None) -> None:
        """A number is told whole by its summary."""

    def number(self, thing: Any) -> int | None:
        return self.ids.get(thing) if isinstance(thing, Value) else None

    def close(self) -> None:
        for one in self.values:
            one.watchers = tuple(tell for tell in one.watchers if tell != self._wrote)
        for kept in (
            self.values, self.ids, self._results, self._readers, self._changed, self._shown, self._told,
            self._depth,
        ):  # fmt: skip
            kept.clear()


@dataclass(frozen=True)
class Grads:
    """An Effect: the gradients that a step changed, before and after it."""

    changed: tuple[tuple[Value, float, float], ...]

    def undo(self) -> None:
        if not all(_same(one.grad, after) for one, _, after in self.changed):
            raise WorldChanged("back", "grad of a value was written")
        for one, before, _ in self.changed:
            one.grad = before

    def redo(self) -> None:
        if not all(_same(one.grad, before) for one, before, _ in self.changed):
            raise WorldChanged("forward again", "grad of a value was written")
        for one, _, after in self.changed:
            one.grad = after


def _same(a: float, b: float) -> bool:
    return a == b or (a != a and b != b)


@dataclass
class Did:
    """A Step."""

    record: model.StepRecord
    effects: Sequence[Effect] = ()
    nbytes: int = field(init=False)

    def __post_init__(self) -> None:
        self.nbytes = 2 * BYTES * sum(len(e.changed) for e in self.effects if isinstance(e, Grads))

    @property
    def node(self) -> int:
        return self.record.visit.node

    @property
    def current(self) -> int | None:
        return self.record.current

    def closer(self) -> model.Visit:
        return self.record.visit

    def value(self, kind: model.ArrayKind, nr: int) -> None:
        """As for a node."""

    def forget(self) -> None:
        self.effects = ()
        self.nbytes = 0


class Loop:
    """A Run: the loop of `Value.backward`, one turn at a time."""

    can_step_back = True

    def __init__(self, source: Scalars, seeds: Mapping[Value, float]) -> None:
        self._source = source
        self._seeds = dict(seeds)
        self._next = 0
        needed = dict.fromkeys(source.values, 0)
        for one in source.values:
            for operand in one.operands:
                needed[operand] += 1
        #: What waits at each value, as this run knows it.
        waiting = {one: one.grad for one in source.values if one.grad} | self._seeds
        self._waiting = {one: number(grad) for one, grad in waiting.items()}
        self._missing = needed
        self.start = model.Start(
            total=len(source),
            current=0,
            ready=tuple(self._ready(one) for one, edges in needed.items() if not edges),
            buffers=tuple(
                model.Buffer(source.ids[one], 0, grad) for one, grad in self._waiting.items()
            ),
            needed=tuple(needed.values()),
        )

    def _ready(self, one: Value) -> model.Ready:
        return model.Ready(self._source.ids[one], one.made)

    @contextmanager
    def moving(self) -> Generator[None]:
        yield

    def step(self) -> tuple[Did, BaseException | None]:
        source, here = self._source, self._next
        one = source.values[here]
        before = {v: v.grad for v in (*self._seeds, *one.operands)}
        for result, seed in self._seeds.items():
            result.grad = seed
        self._seeds = {}
        grads = {v: v.grad for v in one.operands}
        arrived = self._waiting.pop(one, None)
        used = one.grad
        error: Exception | None = None
        shares: tuple[float, ...] = ()
        started = time.perf_counter()
        try:
            shares = one.push()
        except ArithmeticError as raised:
            error = raised
        seconds = time.perf_counter() - started
        self._next = here + 1
        over = error is not None or self._next == len(source)
        arrivals: list[model.Arrival] = []
        readied: list[model.Ready] = []
        routed: list[model.Routed] = []
        for index, (operand, share, edge) in enumerate(
            zip(one.operands, shares, source.edges(one), strict=False)
        ):
            grads[operand] += share
            total = number(grads[operand])
            went = number(share)
            routed.append(model.Routed(edge, went, went, index=index))
            assert edge.node is not None
            arrivals.append(model.Arrival(edge.node, 0, self._waiting.get(operand), total))
            self._waiting[operand] = total
            self._missing[operand] -= 1
            if not self._missing[operand]:
                readied.append(self._ready(operand))
        stages: tuple[model.StageRecord, ...] = ()
        if arrived is not None and not _same(*(arrived.values or ()), used):
            stages = (model.StageRecord("grad", "written by other code", arrived, number(used)),)
        changed = tuple((v, old, v.grad) for v, old in before.items())
        record = model.StepRecord(
            visit=model.Visit(
                index=here,
                node=here,
                incoming=(arrived,),
                routed=tuple(routed),
                stages=stages,
                seconds=seconds,
                error="" if error is None else f"{type(error).__name__}: {error}",
            ),
            ready=self._ready(one),
            state="done" if error is None else "error",
            arrived=tuple(arrivals),
            readied=tuple(readied),
            current=None if over else self._next,
        )
        return Did(record, (Grads(changed),) if changed else ()), error

    def close(self) -> None:
        self._waiting.clear()
        self._missing.clear()
        self._seeds.clear()


@open_backward.register(Value)
def open_value(loss: Any, options: Mapping[str, Any]) -> Backward:
    """The backward of one Value, or of several, before its first node."""
    results = [loss] if isinstance(loss, Value) else list(loss)
    for option in ("inputs", "create_graph"):
        if options.get(option):
            raise TypeError(f"the backward of a Value takes no {option}")
    given = options.get("gradient")
    several = [given] * len(results) if given is None or isinstance(loss, Value) else list(given)
    if len(several) != len(results):
        raise ValueError(f"expected {len(results)} gradients, got {len(several)}")
    names = options.get("names") or {}
    seeds: dict[Value, float] = {}
    for one, seed in zip(results, several, strict=True):
        seeds[one] = seeds.get(one, 0.0) + (1.0 if seed is None else float(seed))
    source = Scalars(list(dict.fromkeys(results)), names)
    title = options.get("title") or names.get(id(results[0]), "")
    return Backward(source, Loop(source, seeds), title or "backward")

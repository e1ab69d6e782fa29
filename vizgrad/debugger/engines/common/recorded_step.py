"""A step of a run: what came, what was computed and delivered, and the record that is made of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Effect
from vizgrad.debugger.engines.common.new_values import CapturedValue, closely, summary_of

Value = TypeVar("Value", bound=CapturedValue)
Summary = Callable[["CapturedValue | None"], "model.TensorSummary | None"]


@dataclass(frozen=True, slots=True)
class Routed:
    """A gradient on its way over edge number `edge`: as the node computed it, and as it was delivered."""

    edge: int
    target: int | None
    input_nr: int
    name: str
    computed: Any
    routed: Any
    #: The engine's changes of it on the way; empty: as its summaries say.
    note: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """The change of a delivery at a slot."""

    node: int
    input_nr: int
    before: Any
    after: Any


@dataclass(frozen=True, slots=True)
class Accumulated:
    """The treatment of a gradient by its leaf."""

    decision: str
    reason: str
    before: Any
    after: Any


class RecordedStep(Generic[Value]):
    """See `vizgrad.debugger.engines.api.protocols.Step`. An engine derives a class that says what is its own.

    Gradients are `CapturedValue`s: they are put into numbers when `record` is read.
    """

    __slots__ = (
        "_record", "accumulated", "arrived", "effects", "error", "incoming", "index", "node", "priority",
        "released", "released_bytes", "routed", "seconds",
    )  # fmt: skip

    def __init__(self, index: int, node: int, priority: int | None) -> None:
        """`priority`: its own in the ready queue."""
        self.index = index
        self.node = node
        self.priority = priority
        self.incoming: tuple[Value | None, ...] = ()
        self.routed: list[Routed] = []
        self.arrived: list[Arrived] = []
        self.accumulated: Accumulated | None = None
        self.released: tuple[str, ...] = ()
        self.released_bytes = 0
        self.effects: list[Effect] = []
        self.seconds = 0.0
        self.error = ""
        self._record: model.StepRecord | None = None

    # --- what an engine says ------------------------------------------------------------------------------

    @property
    def current(self) -> int | None:
        """The node that comes next; None at the end."""
        raise NotImplementedError

    @property
    def state(self) -> model.NodeState:
        """The state of the node afterwards."""
        return "error" if self.error else "done"

    @property
    def code(self) -> tuple[model.CodeStep, ...]:
        """The lines of the user's that the node ran, if they were noted."""
        return ()

    @property
    def made(self) -> tuple[model.Made, ...]:
        """The nodes that it recorded."""
        return ()

    @property
    def collectives(self) -> tuple[model.Collective, ...]:
        """Those that it called, and those that had ended by then."""
        return ()

    def all_readied(self) -> tuple[model.Ready, ...]:
        """The nodes that it made ready."""
        raise NotImplementedError

    def all_stages(self, summary: Summary) -> tuple[model.StageRecord, ...]:
        """The events of the node, in order; `summary` puts a gradient into numbers."""
        raise NotImplementedError

    # --- what follows from it -----------------------------------------------------------------------------

    @property
    def record(self) -> model.StepRecord:
        if self._record is None:
            self._record = model.StepRecord(
                visit=self._visit(summary_of),
                ready=model.Ready(self.node, self.priority),
                state=self.state,
                arrived=tuple(
                    [
                        model.Arrival(a.node, a.input_nr, summary_of(a.before), a.after.summary)
                        for a in self.arrived
                    ]
                ),
                readied=self.all_readied(),
                released=self.released,
                current=self.current,
                code=self.code,
                made=self.made,
                collectives=self.collectives,
            )
        return self._record

    def closer(self) -> model.Visit:
        return self._visit(closely)

    def value(self, kind: model.ArrayKind, nr: int) -> Any:
        found = self.captured(kind, nr)
        return None if found is None else found.array

    def captured(self, kind: model.ArrayKind, nr: int) -> Value | None:
        """A gradient of the step, as it was captured."""
        values: Sequence[Value | None] = ()
        done = self.accumulated
        match kind:
            case "incoming":
                values = self.incoming
            case "waiting":
                values = [arrived.after for arrived in self.arrived]
            case "computed":
                values = [out.computed for out in self.routed]
            case "routed":
                values = [out.routed for out in self.routed]
            case "grad_before" | "grad_after" if done is not None:
                values = [done.before if kind == "grad_before" else done.after]
            case _:
                pass
        return values[nr] if 0 <= nr < len(values) else None

    def values(self) -> list[Value]:
        """All values that it keeps."""
        found: list[Value | None] = [*self.incoming]
        for arrived in self.arrived:
            found += [arrived.before, arrived.after]
        for out in self.routed:
            found += [out.computed, out.routed]
        if self.accumulated is not None:
            found += [self.accumulated.before, self.accumulated.after]
        return [value for value in found if value is not None]

    def forget(self) -> None:
        """Releases values and effects; the record stays."""
        _ = self.record
        for value in self.values():
            value.forget()
        self.effects = []

    def _visit(self, summary: Summary) -> model.Visit:
        done = self.accumulated
        return model.Visit(
            index=self.index,
            node=self.node,
            incoming=tuple(map(summary, self.incoming)),
            routed=tuple([_routed(out, summary) for out in self.routed]),
            stages=self.all_stages(summary),
            accumulate=None
            if done is None
            else model.AccumulateRecord(
                done.decision, done.reason, summary(done.before), summary(done.after)
            ),
            released_bytes=self.released_bytes,
            seconds=self.seconds,
            error=self.error,
        )


def error_text(error: BaseException) -> str:
    """As a step tells it: ``ValueError: what happened``."""
    return f"{type(error).__name__}: {error}".removesuffix(": ")


def _routed(out: Routed, summary: Summary) -> model.Routed:
    before = summary(out.computed)
    after = before if out.routed is out.computed else summary(out.routed)
    return model.Routed(
        edge=model.Edge(out.target, out.input_nr, out.name),
        computed=before,
        routed=after,
        note=out.note or _note(before, after),
        index=out.edge,
    )


def _note(before: model.TensorSummary | None, after: model.TensorSummary | None) -> str:
    """The engine's change of a gradient on its way (F-64, F-65)."""
    if before is None or after is None:
        return "" if before is after else "undefined"
    notes: list[str] = []
    if before.shape != after.shape:
        notes.append(f"summed from {list(before.shape)} to {list(after.shape)}")
    if before.dtype != after.dtype:
        notes.append(f"cast from {before.dtype} to {after.dtype}")
    return ", ".join(notes)

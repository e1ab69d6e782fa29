"""One step of a vizgrad backward: what the watch noted, and the record that is made of it when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from vizgrad.core.graph.node import Node
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Effect
from vizgrad.debugger.engines.vizgrad.captured_value import Held, closely, summary_of
from vizgrad.debugger.engines.vizgrad.effects import ReleaseEffect
from vizgrad.debugger.engines.vizgrad.second_order_graph import Grown
from vizgrad.debugger.session.history.node_stages import stages_of

Summary = Callable[[Held | None], "model.TensorSummary | None"]


class Neighbours(Protocol):
    """What a step asks the journal that it stands in (`journal.py`)."""

    def following(self, index: int) -> int | None:
        """The node that comes after step `index`; None at the end."""
        ...

    def birth_at(self, step: EngineStep) -> model.Birth | None:
        """What `step` made that is not finite, of what is."""
        ...

    def readied_by(self, index: int, first: int) -> Iterable[tuple[int, int | None]]:
        """Nodes that step `index` made ready, with their priorities: from entry `first` of the list on."""
        ...


class Out(NamedTuple):
    """A gradient on its way out over `edge`, a number: as the node computed it, and as it was delivered."""

    edge: int
    target: int | None
    input_nr: int
    name: str
    computed: Held | None
    routed: Held | None


class Arrived(NamedTuple):
    """What a delivery changed at a slot."""

    node: int
    input_nr: int
    before: Held | None
    after: Held


class Accumulated(NamedTuple):
    """What a leaf did with its gradient."""

    decision: str
    reason: str
    before: Held | None
    after: Held | None


class EngineStep:
    """See `vizgrad.debugger.engines.api.protocols.Step`."""

    __slots__ = (
        "_birth", "_journal", "_made", "_record", "accumulated", "arrived", "code", "effects",
        "error", "first_readied", "full", "grown", "incoming", "index", "nbytes", "node", "priority",
        "released", "released_bytes", "routed", "seconds", "stages",
    )  # fmt: skip

    def __init__(
        self,
        journal: Neighbours,
        index: int,
        node: int,
        priority: int | None,
        full: bool,
        first_readied: int,
    ) -> None:
        self._journal = journal
        self.index = index
        self.node = node
        #: Its own in the ready queue.
        self.priority = priority
        self.full = full
        self.incoming: tuple[Held | None, ...] = ()
        self.routed: list[Out] = []
        self.arrived: list[Arrived] = []
        #: How many nodes had become ready before its deliveries.
        self.first_readied = first_readied
        self.stages: list[model.StageRecord] = []
        #: The lines of a person's that the node ran, if they were noted.
        self.code: tuple[model.CodeStep, ...] = ()
        #: What it recorded with create_graph=True.
        self.grown: list[Grown] = []
        self._made: tuple[model.Made, ...] | None = None
        self.accumulated: Accumulated | None = None
        self.released: tuple[str, ...] = ()
        self.released_bytes = 0
        self.effects: list[Effect] = []
        self.seconds = 0.0
        self.error = ""
        self.nbytes = 0
        self._record: model.StepRecord | None = None
        #: None as long as nobody has asked.
        self._birth: tuple[model.Birth | None] | None = None

    @property
    def current(self) -> int | None:
        """The node that comes next; None at the end."""
        return self._journal.following(self.index)

    @property
    def state(self) -> model.NodeState:
        return "error" if self.error else "done" if self.full else "captured"

    @property
    def record(self) -> model.StepRecord:
        if self._record is None:
            self._record = model.StepRecord(
                visit=self._visit(summary_of),
                ready=model.Ready(self.node, self.priority),
                state=self.state,
                arrived=tuple(
                    model.Arrival(node, nr, summary_of(before), after.summary)
                    for node, nr, before, after in self.arrived
                ),
                readied=tuple(
                    model.Ready(node, priority)
                    for node, priority in self._journal.readied_by(self.index, self.first_readied)
                ),
                released=self.released,
                current=self.current,
                code=self.code,
                made=self.made,
            )
        return self._record

    @property
    def staged(self) -> Sequence[tuple[model.StageRecord, Sequence[Effect]]]:
        """See `vizgrad.debugger.engines.api.abilities.Staged`. What a leaf does with its gradient is its
        formula.

        What a hook has changed is with the last hook: of several it is not known which it was.
        """
        done = self.accumulated
        stored = None if done is None else (done.decision, done.reason)
        stages = stages_of([*self.stages, *self._delivered()], stored)
        found: list[tuple[model.StageRecord, list[Effect]]] = [(stage, []) for stage in stages]
        for effect in self.effects:
            releases = isinstance(effect, ReleaseEffect)
            wanted = ("release",) if releases else _BEFORE_RELEASE
            at = [i for i, (stage, _) in enumerate(found) if stage.stage in wanted]
            if found:
                found[at[-1] if at else -1][1].append(effect)
        return found

    @property
    def made(self) -> tuple[model.Made, ...]:
        """See `vizgrad.debugger.engines.api.abilities.Recording`."""
        if self._made is None:
            self._made = tuple(grown.told() for grown in self.grown)
        return self._made

    def birth(self) -> model.Birth | None:
        """See `vizgrad.debugger.engines.api.protocols.Bearing`."""
        if self._birth is None:
            self._birth = (self._journal.birth_at(self),)
        return self._birth[0]

    def closer(self) -> model.Visit:
        return self._visit(closely)

    def value(self, kind: model.ArrayKind, nr: int) -> Any:
        held: list[Held | None] = []
        match kind:
            case "incoming":
                held = [*self.incoming]
            case "waiting":
                held = [arrived.after for arrived in self.arrived]
            case "computed":
                held = [out.computed for out in self.routed]
            case "routed":
                held = [out.routed for out in self.routed]
            case "grad_before" | "grad_after" if self.accumulated is not None:
                done = self.accumulated
                held = [done.before if kind == "grad_before" else done.after]
            case _:
                pass
        found = held[nr] if 0 <= nr < len(held) else None
        return None if found is None else found.array

    def forget(self) -> None:
        _ = self.record, self.birth()
        for held in self.held():
            held.forget()
        self.effects = []
        self.nbytes = 0

    def held(self) -> list[Held]:
        """All values that it keeps."""
        found = [*self.incoming]
        for _, _, before, after in self.arrived:
            found += [before, after]
        for out in self.routed:
            found += [out.computed, out.routed]
        if self.accumulated is not None:
            found += [self.accumulated.before, self.accumulated.after]
        return [held for held in found if held is not None]

    def _delivered(self) -> tuple[model.StageRecord, ...]:
        """The last stage, if it was come to."""
        if self.accumulated is not None or not self.full or (self.error and not self.routed):
            return ()
        gone = sum(out.target is not None for out in self.routed)
        return (model.StageRecord("deliver", f"{gone} gradient{'' if gone == 1 else 's'}"),)

    def _visit(self, summary: Summary) -> model.Visit:
        done = self.accumulated
        return model.Visit(
            index=self.index,
            node=self.node,
            incoming=tuple(map(summary, self.incoming)),
            routed=tuple(_routed(out, summary) for out in self.routed),
            stages=(*self.stages, *self._delivered()),
            accumulate=None
            if done is None
            else model.AccumulateRecord(
                done.decision, done.reason, summary(done.before), summary(done.after)
            ),
            released_bytes=self.released_bytes,
            seconds=self.seconds,
            error=self.error,
        )


#: Stages in which something is written.
_BEFORE_RELEASE = (
    "tensor_hooks", "retain_grad", "prehooks", "formula", "post_accumulate", "posthooks",
)  # fmt: skip


def priority_of(node: Node) -> int | None:
    """In the ready queue: None for what runs before all others."""
    return None if node.runs_first else node.sequence_nr


def released_stage(effect: ReleaseEffect) -> model.StageRecord:
    """The stage that let go of saved values."""
    return model.StageRecord("release", ", ".join(effect.names) or "nothing was saved")


def _routed(out: Out, summary: Summary) -> model.Routed:
    before = summary(out.computed)
    after = before if out.routed is out.computed else summary(out.routed)
    return model.Routed(
        edge=model.Edge(out.target, out.input_nr, out.name),
        computed=before,
        routed=after,
        note=_note(before, after),
        index=out.edge,
    )


def _note(before: model.TensorSummary | None, after: model.TensorSummary | None) -> str:
    """What the engine did to a gradient on its way (F-64, F-65)."""
    if before is None or after is None:
        return "" if before is after else "undefined"
    notes: list[str] = []
    if before.shape != after.shape:
        notes.append(f"summed from {list(before.shape)} to {list(after.shape)}")
    if before.dtype != after.dtype:
        notes.append(f"cast from {before.dtype} to {after.dtype}")
    return ", ".join(notes)


# --- the saved values of a node, as the engine notes them before it releases them ----------------------


class Savers(dict[type[Node], Callable[[Any], Any]]):
    """How the saved values of a class of nodes are had soonest."""

    def __missing__(self, kind: type[Node]) -> Callable[[Any], Any]:
        names = kind.saved_names
        if kind.saved_values is not Node.saved_values or kind.group_names:
            found = _all_saved
        elif not names:
            found = _none_saved
        else:
            found = attrgetter(*["_" + name for name in names])
        self[kind] = found
        return found


def _all_saved(node: Node) -> dict[str, Any]:
    return node.saved_values()


def _none_saved(node: Node) -> tuple[()]:
    return ()


def by_name(node: Node, saved: Any) -> dict[str, Any]:
    """What a saver gave, by name, without what was not needed."""
    if saved.__class__ is dict:
        found = saved
    else:
        names = node.saved_names
        found = dict(zip(names, (saved,) if len(names) == 1 else saved, strict=True))
    return {name: value for name, value in found.items() if value is not None}


def bytes_saved(saved: Any) -> int:
    """Of what a saver gave."""
    total = 0
    if saved.__class__ is dict:
        saved = tuple(saved.values())
    for value in saved if saved.__class__ is tuple else (saved,):
        if value is not None:
            array = getattr(value, "_array", None)
            if array is not None:
                total += array.nbytes
    return total

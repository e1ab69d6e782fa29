"""One step of a vizgrad backward: what the watch noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from operator import attrgetter
from typing import Any, Protocol

from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import SavedResult
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Effect
from vizgrad.debugger.engines.common.recorded_step import RecordedStep, Summary
from vizgrad.debugger.engines.vizgrad.effects import ReleaseEffect
from vizgrad.debugger.engines.vizgrad.second_order import Grown
from vizgrad.debugger.engines.vizgrad.summary import CapturedArray
from vizgrad.debugger.session.history.lanes import stages_of


class Neighbours(Protocol):
    """The part of its journal that a step uses (`journal.py`)."""

    def following(self, index: int) -> int | None:
        """The node that comes after step `index`; None at the end."""
        ...

    def birth_at(self, step: EngineStep) -> model.Birth | None:
        """The non-finite gradient that `step` made from finite ones."""
        ...

    def readied_by(self, index: int, first: int) -> Iterable[tuple[int, int | None]]:
        """Nodes that step `index` made ready, with their priorities: from entry `first` of the list on."""
        ...


class EngineStep(RecordedStep[CapturedArray]):
    """See `vizgrad.debugger.engines.api.protocols.Step`."""

    __slots__ = (
        "_birth", "_code", "_journal", "_made", "called", "first_readied", "full", "grown", "nbytes",
        "stages",
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
        super().__init__(index, node, priority)
        self._journal = journal
        self.full = full
        #: How many nodes had become ready before its deliveries.
        self.first_readied = first_readied
        self.stages: list[model.StageRecord] = []
        #: The nodes that it recorded with create_graph=True.
        self.grown: list[Grown] = []
        self.nbytes = 0
        #: See `collectives`.
        self.called: tuple[model.Collective, ...] = ()
        self._code: tuple[model.CodeStep, ...] = ()
        self._made: tuple[model.Made, ...] | None = None
        #: None as long as nobody has asked.
        self._birth: tuple[model.Birth | None] | None = None

    @property
    def current(self) -> int | None:
        return self._journal.following(self.index)

    @property
    def state(self) -> model.NodeState:
        return "error" if self.error else "done" if self.full else "captured"

    @property
    def code(self) -> tuple[model.CodeStep, ...]:
        return self._code

    @code.setter
    def code(self, code: tuple[model.CodeStep, ...]) -> None:
        self._code = code

    @property
    def made(self) -> tuple[model.Made, ...]:
        """See `vizgrad.debugger.engines.api.abilities.Recording`."""
        if self._made is None:
            self._made = tuple(grown.told() for grown in self.grown)
        return self._made

    @property
    def collectives(self) -> tuple[model.Collective, ...]:
        return self.called

    def all_readied(self) -> tuple[model.Ready, ...]:
        readied = self._journal.readied_by(self.index, self.first_readied)
        return tuple(starmap(model.Ready, readied))

    def all_stages(self, summary: Summary | None = None) -> tuple[model.StageRecord, ...]:
        """The last one only if it was come to."""
        if self.accumulated is not None or not self.full or (self.error and not self.routed):
            return tuple(self.stages)
        gone = len(self.routed) - [out.target for out in self.routed].count(None)
        text = f"{gone} gradient{'' if gone == 1 else 's'}"
        return (*self.stages, model.StageRecord("deliver", text))

    @property
    def staged(self) -> Sequence[tuple[model.StageRecord, Sequence[Effect]]]:
        """See `vizgrad.debugger.engines.api.abilities.Staged`. The decision of a leaf on its
        gradient is its formula.

        A change by a hook is shown with the last hook: among several it is not known which it was.
        """
        done = self.accumulated
        stored = None if done is None else (done.decision, done.reason)
        stages = stages_of(self.all_stages(), stored)
        found: list[tuple[model.StageRecord, list[Effect]]] = [(stage, []) for stage in stages]
        for effect in self.effects:
            releases = isinstance(effect, ReleaseEffect)
            wanted = ("release",) if releases else _BEFORE_RELEASE
            at = [i for i, (stage, _) in enumerate(found) if stage.stage in wanted]
            if found:
                found[at[-1] if at else -1][1].append(effect)
        return found

    def birth(self) -> model.Birth | None:
        """See `vizgrad.debugger.engines.api.protocols.Bearing`."""
        if self._birth is None:
            self._birth = (self._journal.birth_at(self),)
        return self._birth[0]

    def forget(self) -> None:
        _ = self.birth()
        super().forget()
        self.nbytes = 0


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
    """The values of a saver, by name, without those that were not needed."""
    if saved.__class__ is dict:
        found = saved
    else:
        names = node.saved_names
        found = dict(zip(names, (saved,) if len(names) == 1 else saved, strict=True))
    return {name: value for name, value in found.items() if value is not None}


def bytes_saved(saved: Any) -> int:
    """The memory of the values that a saver gave."""
    if saved.__class__ is SavedResult:  # as of many operations
        return saved._array.nbytes
    total = 0
    if saved.__class__ is dict:
        saved = tuple(saved.values())
    for value in saved if saved.__class__ is tuple else (saved,):
        if value is not None:
            array = getattr(value, "_array", None)
            if array is not None:
                total += array.nbytes
    return total

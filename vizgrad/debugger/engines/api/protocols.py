"""The interface that an engine needs to be drawn and stepped. Nothing here knows any engine.

A backward that has not run is handed over by an opener (`openers.py`) as a `Backward`: a `GraphSource`, which
describes nodes, saved values and storages, and a `Run`, which makes one step at a time and says in a
`StepRecord` what it did. A step's changes in the world come with it as `Effect`s: the session undoes and
redoes them to go back and forth; the engine itself only ever goes forward.

Nodes and storages go by number: those of nodes are 0 ... len(source) - 1, in the order in which they were
recorded, the latest first, and leaves behind all others, in the order of first use. So an edge leads to a
larger number, and what was recorded in one stretch of the program is one stretch of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import Origin


class GraphSource(Protocol):
    """A backward graph. Looking at it changes nothing: no hook runs and no check raises.

    Only `graph` and `timelines` may take time proportional to the graph.
    """

    @property
    def inner(self) -> int:
        """How many nodes are not leaves: these have the numbers below."""
        ...

    def __len__(self) -> int: ...

    def targets(self, node: int) -> Sequence[int | None]:
        """Where the node's edges lead, in order; None: nowhere, or out of what is shown. Cheap."""
        ...

    def origin(self, node: int) -> Origin:
        """The place where the node was recorded, as far as it is known. Cheap: asked of every node when
        groups are made.
        """
        ...

    def name(self, node: int) -> str:
        """The name of the node: ``MulBackward0``."""
        ...

    def label(self, node: int) -> str:
        """The user's name of a leaf's variable (or the value of a constant); empty if unknown, and
        for other nodes.
        """
        ...

    def texts(self, node: int) -> Sequence[str]:
        """The texts that find the node (`finding.texts_of`). Cheap: asked of every node."""
        ...

    @property
    def roots(self) -> Sequence[tuple[int, int]]:
        """(node, output number) of each tensor that the backward starts from."""
        ...

    @property
    def truncated(self) -> int:
        """Nodes left out because the graph was too large."""
        ...

    def describe(self, node: int) -> model.Node:
        """The node as it is now, its saved values included."""
        ...

    def describe_before(self, node: int) -> model.Node:
        """The node with its saved values as if the run had released none."""
        ...

    def graph(self, title: str) -> model.Graph:
        """All of it, as it is now."""
        ...

    def saved(self, node: int) -> tuple[model.Saved, ...]:
        """The node's saved values, as they are now."""
        ...

    def timelines(self) -> tuple[model.Storage, ...]:
        """The timeline of every storage that a saved value, or a leaf that was written, lives in."""
        ...

    def storages_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        """Timelines of storages that were written since the graph was opened or after a node saved
        something in them, or that one of `nodes` saved; and how many others there are.
        """
        ...

    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]:
        """How many timelines there are, and the first `most`; of many saves in one storage a few."""
        ...

    def holdings(self) -> Iterable[tuple[int, Sequence[int]]]:
        """(bytes of a storage, nodes that saved something in it), of each, as before the run."""
        ...

    def stale(self) -> dict[int, int]:
        """How many saved tensors of a node are stale now, of nodes that have some."""
        ...

    def written(self) -> tuple[model.StorageChange, ...]:
        """Storages of the graph that were written since this was last asked.

        Asked after each move and each cell: work for these alone, where the engine can tell.
        """
        ...

    def retell(self) -> None:
        """A view has read the whole state: from here on `written` supposes nothing to be known."""
        ...

    def grad(self, node: int) -> model.TensorSummary | None:
        """`.grad` of a leaf now, in full; None if it has none, and for other nodes."""
        ...

    def value(self, node: int, name: str | None) -> Any:
        """The node's saved value `name` as it is now, or for None a leaf's `.grad`; None if it is not there.
        A value that `summarizer` knows.
        """
        ...

    def number(self, thing: Any) -> int | None:
        """The node that an object of the engine stands for: a node, or the producer of a tensor."""
        ...

    def close(self) -> None:
        """Lets go of the graph."""
        ...


@runtime_checkable
class Grouped(GraphSource, Protocol):
    """A graph of which the groups are known already."""

    @property
    def groups(self) -> tuple[model.Group, ...]: ...


class Effect(Protocol):
    """A change that a step made to something outside of the run. Undone and redone in turn.

    Each raises WorldChanged, having done nothing, unless the world is as the other left it.
    """

    def undo(self) -> None: ...

    def redo(self) -> None: ...


class Step(Protocol):
    """One step that was done. `record` may be made when it is first asked for."""

    @property
    def node(self) -> int: ...

    @property
    def current(self) -> int | None:
        """The node that comes next; None at the end."""
        ...

    @property
    def record(self) -> model.StepRecord: ...

    @property
    def effects(self) -> Sequence[Effect]: ...

    @property
    def nbytes(self) -> int:
        """Bytes of values that it keeps: for going back, and for being looked at closely."""
        ...

    def closer(self) -> model.Visit:
        """Its visit with summaries in full (histograms, heat maps), as far as values are kept."""
        ...

    def value(self, kind: model.ArrayKind, nr: int) -> Any:
        """A gradient of its visit; for "waiting" what its entry `nr` of `arrived` left there. None if it is
        not kept.
        """
        ...

    def forget(self) -> None:
        """Lets go of values and effects; `record` stays."""
        ...


@runtime_checkable
class Bearing(Step, Protocol):
    """A step that can say more than its record of where a NaN or an infinity came up."""

    def birth(self) -> model.Birth | None:
        """The non-finite gradient that it made from finite ones; None if there is none."""
        ...


#: The outline of a step: the node that it ran and its priority in the queue, its state since then, the
#: nodes to which gradients went, (node, slot) of those that are defined, and (node, priority) of what
#: became ready by it.
Brief = tuple[
    int,
    int | None,
    model.NodeState,
    Sequence[int],
    Sequence[tuple[int, int]],
    Sequence[tuple[int, int | None]],
]
#: Where a value is to be found: in the step of this number, which of its values, and its number there (of
#: "before" and "after" in the order of the deliveries that are defined, of "routed" that of the edge).
Spot = tuple[int, Literal["incoming", "before", "after", "routed"], int]


class Past(Protocol):
    """The steps of a run as a `Fold` reads them. Code that goes through many steps puts no value into
    numbers.
    """

    def briefs(self, first: int, last: int) -> Iterator[Brief]:
        """Steps `first` ... `last - 1`, in order."""
        ...

    def came(self, index: int) -> Sequence[int]:
        """The slots of its node at which something defined had arrived."""
        ...

    def waited(self, index: int, number: int) -> bool:
        """Did something wait already where delivery `number` of the step arrived?"""
        ...

    def went(self, index: int, edge: int) -> bool:
        """Has the step sent something over an edge, if it was undefined?"""
        ...

    def value(self, spot: Spot) -> model.TensorSummary | None:
        """None: it was undefined."""
        ...

    def ask(self, position: int) -> None:
        """The values of the first `position` steps are about to be put into numbers: a device is asked for
        all of them, so that it is waited for once.
        """
        ...

    @property
    def orders(self) -> Mapping[int, int]:
        """The step that ran a node at some time."""
        ...

    def following(self, index: int) -> int | None:
        """The node that comes after a step; None at the end."""
        ...

    def nodes(self, position: int) -> Iterator[int]:
        """The nodes that the first `position` steps ran, in order."""
        ...

    def nonfinite(self, position: int) -> Iterator[int]:
        """Those of them whose first gradient that arrived has a non-finite norm."""
        ...

    def released(self, index: int) -> bool:
        """Has the step released what its node had saved?"""
        ...

    def effects(self, index: int) -> Sequence[Effect]:
        """The changes of the step in the world, in order."""
        ...


class Run(Protocol):
    """A backward that stands before its first node, or between two."""

    @property
    def start(self) -> model.Start:
        """Before the first step. Asked for while it stands there."""
        ...

    @property
    def can_step_back(self) -> bool:
        """Do steps come with their effects?"""
        ...

    def moving(self) -> AbstractContextManager[None]:
        """Held around a row of steps, on the thread that makes them."""
        ...

    def step(self) -> tuple[Step, BaseException | None]:
        """Runs one node. A node that raises is a step too, the last one, handed over with the error."""
        ...

    def close(self) -> None:
        """Abandons the rest, and releases what a failed backward would release."""
        ...


class Stops(Protocol):
    """Where a row of steps ends."""

    @property
    def active(self) -> bool:
        """Is there any such place?"""
        ...

    def stop_at(self, step: Step) -> bool:
        """Is it behind this step?"""
        ...


@runtime_checkable
class QuickRun(Run, Protocol):
    """A run that keeps its steps itself, and makes many of them at much less than `step` costs."""

    @property
    def steps(self) -> Sequence[Step]:
        """Those done so far; made up as they are looked at. Empty when it is closed."""
        ...

    @property
    def past(self) -> Past:
        """The same, without making any of them up."""
        ...

    @property
    def running(self) -> tuple[int, int | None]:
        """How many steps are done, and the node that runs, as far as another thread can tell."""
        ...

    @property
    def passed(self) -> int | None:
        """How many steps are done where the last row was to end, if that was found when it was further on."""
        ...

    def row(
        self, stops: Stops, between: Callable[[int], None], keep: Callable[[], None]
    ) -> BaseException | None:
        """Steps on, to where it is to stop or to the end; returns what a node raised.

        Calls `between` now and then, at least after each step that takes long, with the number of steps
        since; it may raise. `keep` is called before.
        """
        ...

    def weigh(self, first: int, last: int) -> int:
        """The sum of `nbytes` of steps `first` ... `last - 1`, without making them up."""
        ...


@dataclass(frozen=True, slots=True)
class Backward:
    """The result of an opener for a session."""

    source: GraphSource
    run: Run
    title: str = ""
    modes: Callable[[], model.Modes] = model.Modes
    #: The variables that conditions may speak of: `loss`, and those of the frames that opened it, by name.
    variables: Callable[[], Mapping[str, Any]] = dict[str, Any]
    #: The changes that a user made of a run that was recorded.
    edits: tuple[model.Edit, ...] = ()


class CutOff(KeyboardInterrupt):
    """An interrupt came within a node before it had done anything: it is as if it had not begun."""


class WorldChanged(RuntimeError):
    """Other code has changed a value that a step would restore."""

    def __init__(self, direction: str, what: str) -> None:
        super().__init__(
            f"cannot step {direction}: {what} since, by code outside the debugger, and stepping would "
            "undo that; go on with a new vizgrad.debug(...)"
        )

"""Optional abilities of an engine besides the required ones (`protocols.py`): each alone, asked for
where it is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, TypeGuard, runtime_checkable

from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Backward, Effect, QuickRun, Run, Step


class Writes(Protocol):
    """The writes to one block of memory."""

    @property
    def name(self) -> str:
        """The name of the tensor that it was asked for."""
        ...

    def mark(self) -> object:
        """Something that differs from what it was before a write, and is that again when it is undone."""
        ...

    def latest(self) -> str:
        """Who wrote last, and where, in words; empty if that is not known."""
        ...


@runtime_checkable
class Watching(Protocol):
    """A source that knows who writes to memory."""

    def writes_to(self, thing: Any) -> Writes:
        """Those to the memory of a tensor, or of a leaf, given by its number. ValueError for others."""
        ...


@runtime_checkable
class Staged(Step, Protocol):
    """A step that tells what its node did in which order."""

    @property
    def staged(self) -> Sequence[tuple[model.StageRecord, Sequence[Effect]]]:
        """The stages that did something, each with what it changed in the world."""
        ...

    @property
    def code(self) -> tuple[model.CodeStep, ...]:
        """The lines of a person's that it ran, if they were noted (`Inward`)."""
        ...


@runtime_checkable
class Frugal(Step, Protocol):
    """A step that keeps statistics of some gradients, and no values."""

    def absence(self, kind: model.ArrayKind, nr: int) -> str:
        """Why `value` gives None, in words; empty: nothing is known of such a gradient."""
        ...


@runtime_checkable
class ReleasingRun(Run, Protocol):
    """A run whose steps release values of their own accord, and can still be undone."""

    def bytes_released(self) -> int:
        """The bytes that they have released since the last call."""
        ...


@runtime_checkable
class Inward(Run, Protocol):
    """A run that can note the lines of a person's program that a node runs."""

    def noting_lines(self) -> AbstractContextManager[None]:
        """Steps made in the block have their `code`."""
        ...


@runtime_checkable
class SecondOrder(Run, Protocol):
    """A run whose gradients can be differentiated, in a session of their own."""

    def second(self, position: int, gradient: Any) -> Backward:
        """The backward of the gradients that the first `position` steps have put into `.grad`; `gradient`
        as `openers.open_backward` takes it, None: ones. ValueError where there are none.
        """
        ...


@runtime_checkable
class Growing(SecondOrder, Protocol):
    """A run that can tell what its steps record (`Recording`)."""

    @property
    def grows(self) -> bool:
        """Do they, in this run?"""
        ...

    @property
    def recomputes(self) -> bool:
        """Will a checkpoint compute values again, which is told as what steps record?"""
        ...


@runtime_checkable
class Recording(Step, Protocol):
    """A step that can tell what it has recorded without the rest of its record."""

    @property
    def made(self) -> tuple[model.Made, ...]: ...


@runtime_checkable
class Communicating(Run, Protocol):
    """A run that knows the collectives which its steps call, where there are several processes."""

    @property
    def collectives(self) -> Sequence[tuple[int, int, model.Collective]]:
        """(step, its node, collective), in order: each when it was called, and again with its end, where that
        came in a later step.
        """
        ...

    @property
    def calling(self) -> Sequence[model.Collective]:
        """Those that the node which runs now has called; from any thread."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """The changes of an engine: in the world (`effects`, done already), or of waiting gradients
    (`buffer`, as it is now). `text` says it in words.
    """

    text: str
    node: int | None = None
    effects: Sequence[Effect] = ()
    buffer: model.Buffer | None = None


@runtime_checkable
class OneWay(Run, Protocol):
    """A run that cannot be forked, but in which a gradient can be changed for good. Raises as `Branching`."""

    def put_grad(self, node: int, nr: int, value: Any) -> Change:
        """Changes what waits at slot `nr` of the node that comes next."""
        ...

    def take_back(self) -> None:
        """Undoes the last such change of the node that comes next."""
        ...


@runtime_checkable
class Branching(QuickRun, Protocol):
    """A run that can be continued in more than one way.

    A change takes place where the engine stands, after all its steps. A value is one of the engine's, a
    number, or a text (`vizgrad.debugger.expressions`). ValueError where nothing can be changed, or it is
    not understood.
    """

    def fork(self, position: int) -> Run:
        """Another run, which begins as this one stood after `position` steps: of its own from there on. The
        world is as it was then. ValueError where that cannot be.
        """
        ...

    def enter(self) -> None:
        """From here on this run is looked at, and no other of its graph."""
        ...

    def put_grad(self, node: int, nr: int, value: Any) -> Change:
        """Changes what waits at slot `nr` of a node."""
        ...

    def put_saved(self, node: int, name: str, value: Any) -> Change:
        """Changes what a node has saved."""
        ...

    def put_leaf(self, node: int, value: Any) -> Change:
        """Writes to the memory of a leaf."""
        ...

    def apart(
        self, index: int | None, other: Any, at: int | None
    ) -> tuple[float | None, float | None, float | None]:
        """Norms of what arrived in step `index`, of what arrived in step `at` of another run of the graph,
        and of their difference; None where there is no such step, nothing arrived, or it is not kept.
        """
        ...


def runs_one_way(run: object) -> TypeGuard[OneWay]:
    """Can its gradients be changed only for good, where it has come to?"""
    return isinstance(run, OneWay) and not isinstance(run, Branching)


# The abilities of a custom Function, and their limits: its capability card.

#: "proven": examined on the example and right. "failed": wrong there, with the failing case. "untested": not
#: there, refused aloud, or not to be told on this example; `detail` says which.
CapabilityState = Literal["proven", "failed", "untested"]

#: In the order in which a card lists them.
CAPABILITIES = (
    "forward",
    "backward",
    "double backward",
    "jvp",
    "vmap",
    "version safety",
    "freeing",
)


@dataclass(frozen=True, slots=True)
class Capability:
    """One line of a card. `failures` are the failing cases; of one that is only missing or refused, and says
    so when it is used, `check` says nothing (`aloud`). `remarks`: what is right, and work for
    nothing.
    """

    name: str
    state: CapabilityState
    detail: str = ""
    failures: tuple[Explanation, ...] = ()
    aloud: bool = False
    remarks: tuple[Explanation, ...] = ()

    @property
    def told(self) -> tuple[Explanation, ...]:
        """All that it explains."""
        return (*self.failures, *self.remarks)


@dataclass(frozen=True, slots=True)
class CapabilityCard:
    """The results for a Function on one example."""

    function: str
    #: The arguments of the example, as text.
    example: str
    capabilities: tuple[Capability, ...]
    #: The line of its class.
    place: Place | None = None

    def __getitem__(self, name: str) -> Capability:
        for capability in self.capabilities:
            if capability.name == name:
                return capability
        raise KeyError(f"{name!r}; there are {', '.join(c.name for c in self.capabilities)}")

    @property
    def failures(self) -> tuple[Explanation, ...]:
        return tuple(f for c in self.capabilities for f in c.failures)

    def to_json(self) -> dict[str, Any]:
        """Plain data: dicts, lists, strings, numbers."""
        return asdict(self)

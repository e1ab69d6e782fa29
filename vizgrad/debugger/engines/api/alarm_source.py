"""The protocol of an engine for a watch of losses and gradients alone (`vizgrad.debugger.tiers`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

Restore = Callable[[], None]


@dataclass(frozen=True, slots=True)
class BackwardCall:
    """A call of `backward`: its tensors, and whether its graph is kept."""

    roots: Sequence[Any]
    keeps: bool


class Hearer(Protocol):
    """The watch: called on the thread that runs the program, which its errors reach."""

    def backward_begins(self, source: AlarmSource, call: BackwardCall) -> None: ...

    def backward_ended(self, source: AlarmSource, call: BackwardCall, *, failed: bool) -> None:
        """`failed`: by an error."""
        ...

    def step_begins(self, source: AlarmSource, optimizer: Any) -> None: ...

    def step_ended(self, source: AlarmSource, optimizer: Any) -> None: ...

    def clipped(self, note: Callable[[], None]) -> None:
        """Gradients were clipped: `note` remembers that for the looks at them."""
        ...

    def scaled(self) -> None:
        """A GradScaler scales a loss: infinite gradients are looked for and skipped."""
        ...


class AlarmSource(Protocol):
    #: The adapter of its tensors, a `vizgrad.debugger.watch.tensor_adapter.Look`.
    look: Any

    def listen(self, hearer: Hearer) -> Restore:
        """Calls `hearer` from now on; what this returns ends it."""
        ...

    def odd(self, tensors: Sequence[Any]) -> list[int]:
        """The places of those that hold NaN or an infinity. Reads each element once, and changes nothing."""
        ...

    def grad(self, leaf: Any) -> Any: ...

    def set_grad(self, leaf: Any, grad: Any) -> None: ...

    def leaves(self, roots: Sequence[Any]) -> list[Any]:
        """The leaves that a backward from these reaches."""
        ...

    def version(self, tensor: Any) -> int: ...

    def random(self) -> Restore:
        """Notes the state of all generators; what this returns sets it."""
        ...

    def modes(self) -> Callable[[], AbstractContextManager[Any]]:
        """Notes whether gradients are recorded, and autocast; what this returns is entered to have it so
        again.
        """
        ...

    def kept(self, tensors: Iterable[Any]) -> Restore:
        """Copies values; what this returns writes them back, with the version counters of now."""
        ...

    def hearing_modules(self, called: Callable[[list[Any]], None]) -> AbstractContextManager[None]:
        """In the block, before each call of a module, `called` gets its own parameters and buffers."""
        ...

    def stack(self) -> Any:
        """Compares equal while the same modes are entered: a watch is begun and ended on one level."""
        ...

    @property
    def alone(self) -> bool:
        """Is this the only process of its job?"""
        ...


_sources: list[Callable[[], AlarmSource]] = []


def register_alarms(source: Callable[[], AlarmSource]) -> None:
    """`source` makes one for a watch."""
    _sources.append(source)


def alarm_sources() -> list[AlarmSource]:
    """One of each engine that is registered."""
    return [source() for source in _sources]

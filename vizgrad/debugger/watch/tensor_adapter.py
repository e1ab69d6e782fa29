"""Queries on a tensor of any engine: each engine registers its answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from vizgrad.core.tensor.source_location import Site
    from vizgrad.debugger.engines.common.node_reader import NodeReader

#: Kinds of types that can hold NaN and Inf, as numpy has them; "V" are narrow floats.
FLOATING = "fcV"
#: The kind of a tensor whose elements cannot be read.
UNREADABLE = "O"


class Kind(NamedTuple):
    """As the dtype of an array: its kind in one letter."""

    kind: str


class Made(NamedTuple):
    """The node that made a tensor: its number within runs, its name, and where it was recorded."""

    key: int
    name: str
    site: Site | None


class Look(Protocol):
    #: The types of its tensors.
    kinds: tuple[type, ...]

    def knows(self, value: Any) -> bool:
        """Is it one of this engine's tensors?"""
        ...

    def kind(self, tensor: Any) -> str:
        """The kind of its elements: as `numpy.dtype.kind`, or `UNREADABLE`."""
        ...

    def array(self, tensor: Any) -> Any:
        """Its elements as an array, to be read at once."""
        ...

    def may_wait(self, tensor: Any) -> bool:
        """Does it lie on a device, whose arrays are looked at without waiting for it?"""
        ...

    def finite(self, tensor: Any) -> bool:
        """Is every element finite? True of what holds no floating numbers, or none that can be read."""
        ...

    def largest(self, tensor: Any) -> float:
        """The largest absolute value: NaN if it holds one, 0.0 if it is empty."""
        ...

    def norm_later(self, tensor: Any) -> Callable[[], float | None]:
        """The norm of all elements as they are now: NaN or infinite exactly if one is; None of what cannot be
        read. A device may be waited for when it is called.
        """
        ...

    def norms(self, tensors: Sequence[Any]) -> list[float | None]:
        """The norm of each, as of `norm_later`, read now."""
        ...

    def samples(self, tensors: Sequence[Any], most: int) -> list[Any]:
        """A sample of each, as of `sample`, or its elements as a vector: they may be parts of one array. None
        of those without floating numbers of numpy's.
        """
        ...

    def grad(self, tensor: Any) -> Any:
        """Its `.grad`, without a warning; None if there is none."""
        ...

    def made(self, tensor: Any) -> Made | None:
        """By which node; None of a leaf."""
        ...

    def node(self, tensor: Any) -> Any:
        """The node that made it, as an object; None of a leaf."""
        ...

    @property
    def nodes(self) -> NodeReader:
        """Reads such nodes, as they are now."""
        ...

    def shares(self, one: Any, other: Any) -> bool:
        """Do two show the same memory?"""
        ...

    def rewritten(self, tensor: Any, clock: int) -> bool:
        """Was its memory written in place after that tick? False where that is not known."""
        ...

    def sample(self, tensor: Any, most: int) -> Any:
        """Some of its elements, spread evenly, as an array of their own; None where there are none."""
        ...

    def weigh(self, tensor: Any) -> tuple[int, int] | None:
        """The size of its history: how many nodes, and how many bytes they keep besides leaves. None
        without one.
        """
        ...

    def span(self, tensor: Any) -> tuple[int, int]:
        """Addresses of its first byte and of the one after its last."""
        ...


_looks: list[Look] = []


def register(look: Look) -> None:
    """How tensors of one more engine are looked at."""
    _looks.append(look)


def look_of(value: Any) -> Look | None:
    """The adapter of a tensor's engine; None for other objects."""
    return next((look for look in _looks if look.knows(value)), None)


def tensors_in(values: Any, look: Look, depth: int = 3) -> Iterator[Any]:
    """The tensors of an engine among values, also in tuples and lists."""
    for value in values:
        if look.knows(value):
            yield value
        elif depth and isinstance(value, (tuple, list)):
            yield from tensors_in(value, look, depth - 1)

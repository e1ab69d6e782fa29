"""Where in a program an expression stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


@dataclass(eq=False, slots=True)
class Function:
    """A function, lambda or class body of a program; `name` is empty for what is in none of them."""

    file: str
    name: str
    line: int = 0
    #: Does going back in it mean that it was called again? (Or there may be a loop that is not known.)
    straight: bool = True
    #: Where it calls others, or hands them to something that it calls, by `key`.
    calls: dict[str | int, list[Position]] = field(
        default_factory=dict[str | int, list["Position"]]
    )
    #: As `calls`, of loops that go through what is called; a generator works at the beginning of each turn.
    iterated: dict[str | int, list[Position]] = field(
        default_factory=dict[str | int, list["Position"]]
    )
    generator: bool = False
    #: Names that are called.
    named: set[str | int] = field(default_factory=set[str | int])
    #: Names of its parameters, and of what it assigns to.
    variables: set[str | int] = field(default_factory=set[str | int])
    #: Of what is in no function: reads the rest of it.
    read: Callable[[], None] | None = None
    #: What a lambda is assigned to.
    assigned: str = ""

    @property
    def key(self) -> str | int:
        """What it is called by: its name, or the line of a lambda that has none."""
        if self.name == "<lambda>":
            return self.assigned or self.line
        return self.name

    def called(self, other: Function, *, by_name: bool = False) -> Sequence[Position]:
        """Where in it `other` is called, or (unless `by_name`) handed to what is called."""
        if self.read is not None:
            self.read()
        if other.generator and other.key in self.iterated:
            return self.iterated[other.key]
        if by_name and other.key not in self.named:
            return ()
        return self.calls.get(other.key, ())

    def called_otherwise(self, other: Function) -> Sequence[Position]:
        """Where it calls something that it was given, if it does not call `other` by its name."""
        if self.called(other):
            return ()
        given = [position for name in self.variables & self.named for position in self.calls[name]]
        return sorted(given, key=order_of)


@dataclass(eq=False, slots=True)
class Loop:
    """A statement or comprehension; `order` is that of its first turn."""

    function: Function
    title: str
    line: int
    order: int = 0


class Branch(NamedTuple):
    """One of the ways that exclude each other, in the innermost of so many loops."""

    fork: int
    way: int
    loops: int


@dataclass(eq=False, slots=True)
class Position:
    """Where an expression stands: within a function, when its turn comes, in which loops and branches.

    A smaller `order` is evaluated before, if both are in one turn of all loops around them.
    """

    function: Function
    order: int
    loops: tuple[Loop, ...] = ()
    branches: tuple[Branch, ...] = ()
    #: May one evaluation record a row of equal nodes (``sum(losses)``)?
    many: bool = False


def order_of(position: Position) -> int:
    """For sorting."""
    return position.order

"""Values of all ranks, put together in a tree: each rank hears of a few others alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

#: Ranks below each one.
FAN = 8

_T = TypeVar("_T")


class Group(Protocol):
    """The part of a `ProcessGroup` that a tree needs."""

    rank: int
    count: int

    def send(self, value: Any, to: int) -> None: ...
    def receive(self, of: int) -> Any: ...


def above(rank: int) -> int:
    """The rank that this one, which is not 0, sends to."""
    return (rank - 1) // FAN


def below(rank: int, count: int) -> range:
    """The ranks that send to this one."""
    first = FAN * rank + 1
    return range(min(first, count), min(first + FAN, count))


def depth(count: int) -> int:
    """Messages on the way from the last rank to rank 0."""
    rank, steps = count - 1, 0
    while rank > 0:
        rank, steps = above(rank), steps + 1
    return steps


def reduced(group: Group, value: _T, merge: Callable[[Sequence[_T]], _T]) -> _T | None:
    """The values of all ranks, merged, in rank 0; None in the others."""
    total = merge([value, *(group.receive(rank) for rank in below(group.rank, group.count))])
    if group.rank:
        group.send(total, above(group.rank))
        return None
    return total


def spread(group: Group, value: _T | None) -> _T:
    """The value of rank 0, in all ranks."""
    found: Any = group.receive(above(group.rank)) if group.rank else value
    for rank in below(group.rank, group.count):
        group.send(found, rank)
    return found

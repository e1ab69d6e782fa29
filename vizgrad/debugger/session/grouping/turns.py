"""Where in a stretch of a program the next turn of a loop begins, or the next call of a function.

It begins where the order of evaluation goes back, or another branch is taken. One instruction may record
several nodes, so that those of one instruction are several turns only if they repeat.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from vizgrad.debugger.session.grouping.positions import Loop, Position
from vizgrad.debugger.session.grouping.repeats import period
from vizgrad.debugger.session.grouping.stretch import Member

Positions = Sequence[Position | None]


class _Row(NamedTuple):
    """Members `first` ... `last` - 1 of one expression, or of one inner loop."""

    first: int
    last: int
    order: int
    position: Position
    inner: Loop | None


def turns(
    members: Sequence[Member], positions: Positions, depth: int, shapes: Sequence[int]
) -> list[int]:
    """Where turns of the innermost of the `depth` loops around all members begin; at 0 calls of the
    function.
    """
    rows = _rows(members, positions, depth)
    if not rows:
        return [0]
    lengths = _lengths(rows, members, shapes)
    starts = [0]
    before: _Row | None = None
    for row in rows:
        if before is not None and (
            row.order < before.order or _exclude(before.position, row.position, depth)
        ):
            starts.append(row.first)
        before = row
        if row.inner is None:
            length = lengths.get(row.order)
            if length:
                starts += range(row.first + length, row.last, length)
            else:
                starts += [
                    i for i in range(row.first + 1, row.last) if _called(members, positions, i)
                ]
    return starts


def _called(members: Sequence[Member], positions: Positions, i: int) -> bool:
    return not isinstance(members[i], int) and positions[i] is not None


def _rows(members: Sequence[Member], positions: Positions, depth: int) -> list[_Row]:
    """What has no position stays with what is before it."""
    rows: list[_Row] = []
    first, before, order, inner = 0, None, 0, None
    for i, position in enumerate(positions):
        if position is before or position is None:
            continue
        deeper = position.loops[depth] if len(position.loops) > depth else None
        its = position.order if deeper is None else deeper.order
        if before is None:
            before, order, inner = position, its, deeper
            continue
        if its != order:
            rows.append(_Row(first, i, order, before, inner))
            first, order, inner = i, its, deeper
        before = position
    if before is not None:
        rows.append(_Row(first, len(members), order, before, inner))
    return rows


def _lengths(rows: list[_Row], members: Sequence[Member], shapes: Sequence[int]) -> dict[int, int]:
    """How many nodes each expression records, by its order, where its rows are nodes alone that repeat."""
    several = {row.order for row in rows if row.last - row.first > 1}
    found: dict[int, set[tuple[int, ...]]] = {}
    for row in rows if several else ():
        if row.order in several and row.inner is None and not row.position.many:
            part = members[row.first : row.last]
            sequence = tuple([shapes[m] if isinstance(m, int) else -1 for m in part])
            found.setdefault(row.order, set()).add(sequence)
    lengths: dict[int, int] = {}
    for order, sequences in found.items():
        least = min(sequences, key=len)
        part = least[: period(least)]
        if -1 not in part and all(_repeats(sequence, part) for sequence in sequences):
            lengths[order] = len(part)
    return lengths


def _repeats(sequence: tuple[int, ...], part: tuple[int, ...]) -> bool:
    times, rest = divmod(len(sequence), len(part))
    return not rest and sequence == part * times


def _exclude(before: Position, after: Position, depth: int) -> bool:
    """Are they in ways that exclude each other within one turn?"""
    if not before.branches or not after.branches:
        return False
    ways = {b.fork: b.way for b in before.branches if b.loops == depth}
    return any(ways.get(b.fork, b.way) != b.way for b in after.branches)

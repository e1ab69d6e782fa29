"""From what was recorded in one module call, `vg.scope` block or program to its functions and loops.

Only the user's innermost line of a node is known, not its callers. A function was called from the one
before it if that one calls something by its name; otherwise from where that one was called.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple, cast

from vizgrad.debugger.session.grouping.arrange import (
    LEAST_NODES,
    Arranger,
    Member,
    Stretch,
    end_of,
    period,
    start_of,
)
from vizgrad.debugger.session.grouping.program import Function, Loop, Places, Position

# --- where in a stretch of a program the next turn of a loop begins, or the next call of a ----------

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
    """A node without a position stays with the one before it."""
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


# --- frames -----------------------------------------------------------------------------------------


#: Functions within functions that are told apart.
_MOST_FRAMES = 16


@dataclass(eq=False, slots=True)
class _Frame:
    """A function that is running: what was recorded in it, and where; `callee` stands for an inner one."""

    function: Function | None
    members: list[Member] = field(default_factory=list[Member])
    positions: list[Position | Function | None] = field(
        default_factory=list["Position | Function | None"]
    )


class Frames:
    """Collects what was recorded within one scope; `own` says which functions are the scope's own, `ground`
    what to take for that as long as nothing was recorded there.
    """

    def __init__(
        self,
        own: Callable[[Function], bool],
        ground: Callable[[Function], Function | None],
        arranger: Arranger,
        places: Places,
    ) -> None:
        self._own = own
        self._ground = ground
        self._arranger = arranger
        self._places = places
        self._finish = arranger.finish
        self._frames = [_Frame(None)]

    def add(self, member: Member, position: Position | None) -> None:
        """The node that was recorded next. `position` None: it is not known where."""
        frame = self._frames[-1]
        if position is not None and position.function is not frame.function:
            frame = self._enter(position)
        frame.members.append(member)
        frame.positions.append(position)

    def close(self) -> list[Member]:
        """Nothing else was recorded in it: all of it, in stretches."""
        while len(self._frames) > 1:
            self._leave()
        (base,) = self._frames
        return self._loops(base.members, self._placed(base), 0, ())

    def _enter(self, position: Position) -> _Frame:
        function = position.function
        if self._own(function):
            depth = 1
            self._frames[0].function = function
        else:
            depth = next(
                (n for n, f in enumerate(self._frames, 1) if n > 1 and f.function is function), 0
            )
        if not depth:
            depth = self._caller(function)
        while len(self._frames) > depth:
            self._leave()
        around = self._frames[-1]
        if around.function is not function and not self._own(function):
            self._frames.append(_Frame(function))
            self._adopt(around, position)
        return self._frames[-1]

    def _caller(self, function: Function) -> int:
        """How many of the running functions are left if one of them calls this one."""
        for depth in range(len(self._frames), 1, -1):
            if self._may_call(self._frames[depth - 1], function):
                return depth
        base, top = self._frames[0], self._frames[-1].function
        ground = base.function or (top and self._ground(top))
        if top is None or ground is None or ground.called(function, by_name=True):
            return 1
        return len(self._frames) if top.called_otherwise(function) else 1

    def _adopt(self, around: _Frame, position: Position) -> None:
        """The innermost function began with calls of others, so that its own first node is behind theirs."""
        inner = self._frames[-1]
        limit = position.order
        while around.positions and isinstance(called := around.positions[-1], Function):
            function = position.function
            calls = function.called(called) or function.called_otherwise(called)
            calls = [call for call in calls if call.order < limit]
            elsewhere = around.function or self._ground(function)
            if not calls or elsewhere is None or elsewhere.called(called, by_name=True):
                break
            limit = calls[-1].order
            inner.members.insert(0, around.members.pop())
            inner.positions.insert(0, around.positions.pop())

    def _may_call(self, frame: _Frame, function: Function) -> bool:
        if frame.function is None or len(self._frames) >= _MOST_FRAMES:
            return False
        last: Position | None = None
        since = 0
        for position in reversed(frame.positions):
            if isinstance(position, Position):
                last = position
                break
            since += position is function
        calls = frame.function.called(function)
        if last is not None:
            calls = [call for call in calls if _may_follow(last, call)]
        return len(calls) > since or any(call.loops for call in calls)

    def _leave(self) -> None:
        """The innermost function returned, to the one around it."""
        frame = self._frames.pop()
        function = frame.function
        assert function is not None  # it was entered
        positions = self._placed(frame)
        starts = (
            turns(frame.members, positions, 0, self._arranger.shapes) if function.straight else [0]
        )
        for first, last in pairwise([*starts, len(frame.members)]):
            while first and len(self._frames) > self._caller(function):
                self._leave()  # it does not call it again
            around = self._frames[-1]
            inside = self._loops(frame.members[first:last], positions[first:last], 0, ())
            around.members.append(self._finish(self._called(function, inside)))
            around.positions.append(function)

    def _placed(self, frame: _Frame) -> list[Position | None]:
        """Positions of all members; those of calls by where the function is called."""
        found = frame.positions
        if not any(isinstance(position, Function) for position in set(found)):
            return cast("list[Position | None]", found)
        placed: list[Position | None] = [p if isinstance(p, Position) else None for p in found]
        known = next((i for i, position in enumerate(placed) if position is not None), None)
        if known is None:
            return placed
        for i in range(known - 1, -1, -1):
            placed[i] = _call_before(found[i], placed[i + 1])
        after: list[Position | None] = list(placed)
        for i in range(len(found) - 2, -1, -1):
            after[i] = after[i] or after[i + 1]
        for i in range(known + 1, len(found)):
            placed[i] = placed[i] or _call_after(found[i], placed[i - 1], after[i])
        return placed

    def _called(self, function: Function, members: list[Member]) -> Stretch:
        name = "lambda" if function.name == "<lambda>" else function.name
        return Stretch(
            "function", name, f"{function.file}:{function.line}:{function.name}",
            start_of(members[0]), end_of(members[-1]), members, self._places.line(function, function.line),
        )  # fmt: skip

    def _loop(self, loop: Loop, title: str, turns: list[Member]) -> Stretch:
        return Stretch(
            "loop", title, title, start_of(turns[0]), end_of(turns[-1]), turns,
            self._places.line(loop.function, loop.line),
        )  # fmt: skip

    def _loops(
        self,
        members: list[Member],
        positions: list[Position | None],
        depth: int,
        titles: tuple[str, ...],
    ) -> list[Member]:
        """The same with loops as stretches; all are in `depth` loops, those of `titles` with one turn."""
        if _no_deeper(positions, depth):
            return members
        found: list[Member] = []
        spans = _stretches(positions, depth)
        taken = 0
        for begin, last, loop in spans:
            first = max(begin, taken)
            if loop is None:
                found += members[first:last]
                continue
            starts = turns(
                members[first:last], positions[first:last], depth + 1, self._arranger.shapes
            )
            if len(starts) < 2:
                found += self._loops(
                    members[first:last], positions[first:last], depth + 1, (*titles, loop.title)
                )
                continue
            before, behind = _beside(positions, first, last, starts)
            del found[len(found) - before :]
            taken = last + behind
            starts[0] -= before
            made = self._turns(
                members, positions, [first + start for start in starts] + [taken], depth + 1
            )
            found.append(self._finish(self._loop(loop, " / ".join((*titles, loop.title)), made)))
        return found

    def _turns(
        self,
        members: list[Member],
        positions: list[Position | None],
        starts: list[int],
        depth: int,
    ) -> list[Member]:
        """The turns between `starts`; those of one node are that node."""
        inside = slice(starts[0], starts[-1])
        plain = _no_deeper(positions[inside], depth) and all(
            isinstance(member, int) for member in members[inside]
        )
        made: list[Member] = []
        for first, last in pairwise(starts):
            turn = members[first:last]
            if plain and last - first < LEAST_NODES:
                made.append(turn[0] if last - first == 1 else self._arranger.turn(turn))
            else:
                turn = self._loops(turn, positions[first:last], depth, ())
                made.append(self._finish(_turn(turn)))
        return made


def _beside(
    positions: Sequence[Position | None], first: int, last: int, starts: list[int]
) -> tuple[int, int]:
    """How much of what has no position, before and behind a loop, is in its first and last turn.

    Calls by another name, such as that of a parameter, stand at the end of each turn so far. Where as many
    are before the first turn, and not behind the last one, they begin each turn; `starts` are moved there.
    """
    if None not in positions:
        return 0, 0
    runs = {_unknown(positions, first + start - 1, -1) for start in starts[1:]}
    length = min(runs)
    if length == 0 or len(runs) > 1:
        return 0, 0
    before, behind = _unknown(positions, first - 1, -1), _unknown(positions, last, 1)
    if before >= length > behind:
        starts[1:] = [start - length for start in starts[1:]]
        return length, 0
    return (0, length) if behind >= length > before else (0, 0)


def _unknown(positions: Sequence[Position | None], at: int, step: int) -> int:
    """How many have no position, from there on."""
    count = 0
    while 0 <= at < len(positions) and positions[at] is None:
        at += step
        count += 1
    return count


def _no_deeper(positions: Sequence[Position | None], depth: int) -> bool:
    return not any(p is not None and len(p.loops) > depth for p in set(positions))


def _stretches(
    positions: Sequence[Position | None], depth: int
) -> list[tuple[int, int, Loop | None]]:
    """Stretches of one loop, or of none. A node without a position is where both its neighbours are."""
    found: list[tuple[int, int, Loop | None]] = []
    first, known, loop = 0, 0, None
    before: Position | None = None
    for i, position in enumerate(positions):
        if position is None:
            continue
        if position is not before:
            its = position.loops[depth] if len(position.loops) > depth else None
            if its is not loop:
                # what is between two loops is in neither
                if loop is not None:
                    found.append((first, known, loop))
                    first = known
                if its is not None and first < i:
                    found.append((first, i, None))
                    first = i
                loop = its
            before = position
        known = i + 1
    if loop is not None:
        found.append((first, known, loop))
        first = known
    if first < len(positions):
        found.append((first, len(positions), None))
    return found


def _may_follow(before: Position, call: Position) -> bool:
    """Can the call come next, in the same call of its function?"""
    return call.order > before.order or _common(before, call) is not None


def _call_after(
    function: Position | Function | None, before: Position | None, after: Position | None
) -> Position | None:
    """The call that comes next in the text; behind the last one of a loop its first."""
    if before is None or not isinstance(function, Function):
        return None
    calls = before.function.called(function)
    if after is not None:
        around = _common(before, after)
        within = [call for call in calls if around is not None and around in call.loops]
        if within:
            return next((call for call in within if call.order > before.order), within[0])
        if after.order > before.order:
            calls = [call for call in calls if call.order < after.order]
    later = (call for call in calls if call.order > before.order)
    return next(later, None) or next((c for c in calls if _common(before, c) is not None), None)


def _call_before(function: Position | Function | None, after: Position | None) -> Position | None:
    """The call that came before in the text; in several turns of a loop that hold no other, the same one."""
    if after is None or not isinstance(function, Function):
        return None
    calls = after.function.called(function)
    if after in calls and after.loops:
        return after
    earlier = [call for call in calls if call.order < after.order]
    around = [call for call in calls if _common(call, after) is not None]
    return (earlier or around or [None])[-1]


def _common(one: Position, other: Position) -> Loop | None:
    """The innermost loop around both."""
    found = None
    for a, b in zip(one.loops, other.loops, strict=False):
        if a is not b:
            break
        found = a
    return found


def _turn(members: list[Member]) -> Stretch:
    return Stretch("turn", "", "", start_of(members[0]), end_of(members[-1]), members)

"""The content of a stretch, arranged: calls in a row, parts of equal structure, parts too large to show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import NamedTuple, TypeAlias

from vizgrad.core.errors import Place
from vizgrad.debugger.model import GroupKind

# Stretches of the recording, on the way to groups.


@dataclass(eq=False, slots=True)
class Stretch:
    """Nodes `start` ... `end` - 1, counted as they were recorded, that belong together.

    `family` is what stretches of one kind have in common: a module's class, the name of a function.
    """

    kind: GroupKind
    title: str
    family: str
    start: int
    end: int
    members: list[Member] = field(default_factory=list["Member"])
    place: Place | None = None
    cells: int = 0
    shape: int = -1

    def __len__(self) -> int:
        return self.end - self.start


#: A node, by when it was recorded, or a stretch of them.
Member: TypeAlias = int | Stretch


def start_of(member: Member) -> int:
    """The first node of it."""
    return member if isinstance(member, int) else member.start


def end_of(member: Member) -> int:
    """Behind the last node of it."""
    return member + 1 if isinstance(member, int) else member.end


# --- what repeats in a sequence, without knowing why ------------------------------------------------

#: A row of fewer repetitions is none.
LEAST = 3
#: Lengths that are tried.
_TRIED = 6


class Repeat(NamedTuple):
    """`times` equal parts of `length` members each, from `first` on."""

    first: int
    length: int
    times: int

    @property
    def last(self) -> int:
        """Behind the last part."""
        return self.first + self.length * self.times


def repeats(sequence: Sequence[int], ends: Sequence[int], least: int) -> list[Repeat]:
    """The rows of equal parts that cover most, of at least so many nodes; in order, none overlap.

    `ends` has one entry more than `sequence`: how many nodes there are before each member, and in all.
    """
    found: list[Repeat] = []
    gaps = [(0, len(sequence))]
    while gaps:
        first, last = gaps.pop()
        if last - first < LEAST or ends[last] - ends[first] < least:
            continue
        rows = _best(sequence[first:last], first, ends, least)
        if rows:
            found += [_shortest(row, sequence) for row in rows]
            inner = [row.first for row in rows], [row.last for row in rows]
            gaps += zip([first, *inner[1]], [*inner[0], last], strict=True)
    return sorted(found)


def _best(part: Sequence[int], first: int, ends: Sequence[int], least: int) -> list[Repeat]:
    best: tuple[int, list[Repeat]] = 0, []
    for length in _lengths(part):
        rows = [
            Repeat(first + row.first, length, row.times)
            for row in _rows(part, length)
            if ends[first + row.last] - ends[first + row.first] >= least
        ]
        covered = sum(row.last - row.first for row in rows)
        if covered > best[0]:
            best = covered, rows
    return best[1]


def _shortest(row: Repeat, sequence: Sequence[int]) -> Repeat:
    """The same row, where its part is a row itself."""
    length = period(sequence[row.first : row.first + row.length])
    return Repeat(row.first, length, row.times * row.length // length)


def _lengths(part: Sequence[int]) -> list[int]:
    """Distances at which much is met again, the shortest first."""
    seen: dict[tuple[int, ...], int] = {}
    distances: Counter[int] = Counter()
    grams = zip(part, part[1:], part[2:], strict=False)
    for i, gram in enumerate(grams):
        before = seen.get(gram)
        if before is not None:
            distances[i - before] += 1
        seen[gram] = i
    return sorted(length for length, _ in distances.most_common(_TRIED))


def _rows(part: Sequence[int], length: int) -> list[Repeat]:
    rows: list[Repeat] = []
    start = 0
    for i, (one, later) in enumerate(zip(part, part[length:], strict=False)):
        if one != later:
            _add(rows, start, i, length)
            start = i + 1
    _add(rows, start, len(part) - length, length)
    return rows


def _add(rows: list[Repeat], start: int, end: int, length: int) -> None:
    """Nodes that equal those at a distance of `length`, from `start` to `end`: a row, if it is long
    enough.
    """
    start = max(start, rows[-1].last if rows else 0)
    times = (end - start) // length + 1
    if end > start and times >= LEAST:
        rows.append(Repeat(start, length, times))


def period(sequence: Sequence[object]) -> int:
    """The length of the shortest part that the whole repeats."""
    fallback = [0] * len(sequence)
    length = 0
    for i in range(1, len(sequence)):
        while length and sequence[i] != sequence[length]:
            length = fallback[length - 1]
        if sequence[i] == sequence[length]:
            length += 1
        fallback[i] = length
    shortest = len(sequence) - length
    return shortest if len(sequence) % shortest == 0 else len(sequence)


# --- what is in a stretch ---------------------------------------------------------------------------


#: Where nothing else is known, fewer nodes than these are not said to repeat.
LEAST_NODES = 24
#: More members than these are cut into so many parts at most.
MOST_MEMBERS, PARTS = 300, 24
#: Parts of a joined title that are kept, the innermost ones.
MOST_JOINED = 4

_JOINT = " / "


class Arranger:
    """Arranges stretches from the inside out, and knows which have equal structure.

    `shapes` has one number for each node, in order of recording, equal for equal ones: such as `known` says,
    which goes on with those of stretches. `name` is what the node is called.
    """

    def __init__(
        self, shapes: Sequence[int], known: dict[Hashable, int], name: Callable[[int], str]
    ) -> None:
        self.shapes = shapes
        self._known = known
        self._name = name

    def finish(self, stretch: Stretch) -> Stretch:
        """Arranges the members, which are finished; joins what holds nothing but one other stretch."""
        if stretch.kind == "loop":
            self._turns(stretch)
        else:
            stretch.members = self.arranged(stretch.members)
            if stretch.kind == "module" and stretch.family in _RECURRENT:
                _name_steps(stretch.members)
        return self._shaped(_joined(stretch))

    def arranged(self, members: list[Member]) -> list[Member]:
        """The members of a stretch that is no loop."""
        rows = self._rows(members)
        return _parts(self._repeated(self._equal(list(map(_alone, rows)))))

    def turn(self, nodes: list[Member]) -> Stretch:
        """A turn of a loop that holds nothing but a few nodes."""
        return self._made("turn", "", nodes)

    def _shaped(self, stretch: Stretch) -> Stretch:
        inside = tuple(map(self._shape, stretch.members))
        stretch.shape = self._known.setdefault(
            (stretch.kind, stretch.family, inside), len(self._known)
        )
        return stretch

    def _shape(self, member: Member) -> int:
        return self.shapes[member] if isinstance(member, int) else member.shape

    def _made(
        self, kind: GroupKind, title: str, members: list[Member], cells: int = 0, family: str = ""
    ) -> Stretch:
        first, last = start_of(members[0]), end_of(members[-1])
        return self._shaped(Stretch(kind, title, family, first, last, members, cells=cells))

    # --- turns of a loop --------------------------------------------------------------------------

    def _turns(self, loop: Stretch) -> None:
        turns = list(map(_alone, loop.members))
        count = len(turns)
        named = {turn.title for turn in turns if isinstance(turn, Stretch)}
        told = len(named) == count and all(named)  # each is a call by a name of its own
        for i, turn in enumerate(turns, 1):
            if isinstance(turn, Stretch) and not told:
                turn.title = _numbered(f"{i:,} of {count:,}", turn.title)
        shapes = list(map(self._shape, turns))
        if shapes.count(shapes[0]) == count:
            loop.members, loop.cells = turns, count
            return
        members: list[Member] = []
        at = 0
        for row in repeats(shapes, _ends(turns), 2 * LEAST):
            cells = self._cells(turns, row, lambda i: f"{i:,}", count)
            if row.length * row.times == count:
                loop.members, loop.cells = cells, row.times
                return
            title = f"{row.first + 1:,} … {row.last:,} of {count:,}"
            members += turns[at : row.first]
            members.append(self._made("equal", title, cells, row.times))
            at = row.last
        loop.members = _parts([*members, *turns[at:]], count)

    def _cells(
        self, members: Sequence[Member], row: Repeat, number: Callable[[int], str], count: int
    ) -> list[Member]:
        """The repeated parts, each as one member."""
        if row.length == 1:
            return list(members[row.first : row.last])
        cells: list[Member] = []
        for i in range(row.first, row.last, row.length):
            title = f"{number(i + 1)} … {number(i + row.length)} of {count:,}"
            cells.append(self._made("turn", title, list(members[i : i + row.length])))
        return cells

    # --- calls in a row, and what is equal ----------------------------------------------------------

    def _rows(self, members: list[Member]) -> list[Member]:
        """Calls of one function or module without anything between them."""
        found: list[Member] = []
        for what, together in groupby(members, _what):
            row = list(together)
            calls = [m for m in row if isinstance(m, Stretch)]
            if what is None or len(calls) < 2:
                found += row
                continue
            kind, family, title = what
            for i, call in enumerate(calls, 1):
                call.title = f"{title} · {i:,} of {len(calls):,}"
                if not call.cells:
                    call.kind = "turn"
            inside = list(map(_alone, calls))
            if len(calls) >= LEAST and len(set(map(self._shape, inside))) == 1:
                text = f"{title} · {len(calls):,} equal"
                found.append(self._made("equal", text, inside, len(calls), family))
            elif len(calls) >= LEAST and kind == "function":
                inside = _parts(self._repeated(self._equal(inside)), len(calls))
                text = f"{title} · {len(calls):,} calls"
                found.append(self._made(kind, text, inside, 0, family))
            else:
                found += calls
        return found

    def _equal(self, members: list[Member]) -> list[Member]:
        """Stretches of equal structure, one after the other."""
        found: list[Member] = []
        for shape, together in groupby(members, lambda m: -1 if isinstance(m, int) else m.shape):
            row = list(together)
            if shape < 0 or len(row) < LEAST:
                found += row
            else:
                stretches = [m for m in row if isinstance(m, Stretch)]
                found.append(self._made("equal", _title(stretches), row, len(row)))
        return found

    def _repeated(self, members: list[Member]) -> list[Member]:
        """Repetitions of unknown origin."""
        if not members or end_of(members[-1]) - start_of(members[0]) < LEAST_NODES:
            return members
        found: list[Member] = []
        at = 0
        for row in repeats(list(map(self._shape, members)), _ends(members), LEAST_NODES):
            found += members[at : row.first]
            at = row.last
            cells: list[Member] = []
            for i in range(row.times):
                first = row.first + i * row.length
                part = members[first : first + row.length]
                title = f"{i + 1:,} of {row.times:,}"
                cells.append(part[0] if len(part) == 1 else self._made("turn", title, part))
            names = self._names(members[row.first : row.first + row.length])
            text = f"{names} · {row.times:,} equal"
            found.append(self._made("equal", text, cells, row.times))
        return [*found, *members[at:]]

    def _names(self, members: Sequence[Member]) -> str:
        names = [self._name(m) if isinstance(m, int) else m.title for m in members[:3]]
        return ", ".join(names) + (", …" if len(members) > 3 else "")


#: Layers that run through a sequence: what repeats in them, however it is recorded, are its steps.
_RECURRENT = frozenset({"RNN", "LSTM", "GRU"})


def _name_steps(members: Sequence[Member]) -> None:
    for member in members:
        if isinstance(member, Stretch) and member.kind == "equal":
            member.title = f"time step · {member.cells:,} equal"


def _alone(member: Member) -> Member:
    """One node is no group."""
    return member.start if isinstance(member, Stretch) and len(member) == 1 else member


def _what(member: Member) -> tuple[GroupKind, str, str] | None:
    if isinstance(member, int) or member.kind in ("turn", "equal", "part"):
        return None
    return member.kind, member.family, member.title


def _ends(members: Sequence[Member]) -> list[int]:
    return [*map(start_of, members), end_of(members[-1])]


def _numbered(number: str, title: str) -> str:
    return number + _JOINT + title if title else number


def _title(row: Sequence[Stretch]) -> str:
    first, last, count = row[0], row[-1], len(row)
    if first.title == last.title:
        name = first.title
    elif first.kind == "module" and first.family:
        name = first.family
    else:
        before, joint, _ = first.title.rpartition(_JOINT)
        name = f"{first.title} … {last.title.removeprefix(before + joint)}"
    return f"{name} · {count:,} equal"


def _joined(stretch: Stretch) -> Stretch:
    inner = stretch.members[0]
    if len(stretch.members) != 1 or isinstance(inner, int):
        return stretch
    if stretch.kind == "turn" and inner.cells:
        return stretch
    titles = [title for title in (*stretch.title.split(_JOINT), inner.title) if title]
    if len(titles) > MOST_JOINED:
        titles = ["…", *titles[1 - MOST_JOINED :]]
    return replace(
        inner,
        kind="turn" if stretch.kind == "turn" else inner.kind,
        title=_JOINT.join(titles),
        family=f"{stretch.family}/{inner.family}",
        place=stretch.place or inner.place,
    )


def _parts(members: list[Member], turns: int = 0) -> list[Member]:
    """Cut, if there are too many: by numbers of nodes, or of `turns` if the members are these."""
    if len(members) <= MOST_MEMBERS:
        return members
    length = -(-len(members) // PARTS)
    parts: list[Member] = []
    for first in range(0, len(members), length):
        part = members[first : first + length]
        title = ""  # by nodes: they are numbered at the end
        if len(members) == turns:
            title = f"{first + 1:,} … {first + len(part):,} of {turns:,}"
        start, end = start_of(part[0]), end_of(part[-1])
        parts.append(Stretch("part", title, "", start, end, part) if end - start > 1 else part[0])
    return parts

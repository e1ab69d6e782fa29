"""The hierarchy of a graph, from where its nodes were recorded."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from vizgrad.debugger.engines.api.summarizer import Call, Origin
from vizgrad.debugger.model import Group
from vizgrad.debugger.session.grouping.arrange import Arranger, Member, Stretch
from vizgrad.debugger.session.grouping.frames import Frames
from vizgrad.debugger.session.grouping.program import Function, Places, Position

#: Groups within groups; what is deeper has none.
MOST_DEPTH = 32


class Recorded(Protocol):
    """The source of groups: a `GraphSource`, see there, or recorded data."""

    @property
    def inner(self) -> int: ...
    def name(self, node: int) -> str: ...
    def targets(self, node: int) -> Sequence[int | None]: ...
    def origin(self, node: int) -> Origin: ...


def groups_of(source: Recorded) -> tuple[Group, ...]:
    """Modules, scopes, functions, loops, and what repeats, outermost first. Takes time for every node."""
    outline = _Hierarchy(source)
    try:
        return tuple(_groups(outline.members(), source.inner))
    finally:
        outline.close()


@dataclass(eq=False, slots=True)
class _Open:
    """A call that nodes are being added to."""

    call: Call
    frames: Frames
    start: int


class _Hierarchy:
    """Goes through the nodes in the order in which they were recorded."""

    def __init__(self, source: Recorded) -> None:
        self._source = source
        self._count = source.inner
        self._places = Places()
        known: dict[Hashable, int] = {}
        name, targets = source.name, source.targets
        self._shapes = [
            known.setdefault((name(node), len(targets(node))), len(known))
            for node in range(source.inner - 1, -1, -1)
        ]
        self._arranger = Arranger(
            self._shapes, known, lambda member: name(source.inner - 1 - member)
        )

    def close(self) -> None:
        self._places.close()

    def members(self) -> list[Member]:
        base = Frames(_is_top, self._places.top, self._arranger, self._places)
        opened: list[_Open] = []
        calls: tuple[Call, ...] = ()
        frames = base
        last = self._count - 1
        origin = self._source.origin
        positions: dict[Origin, Position | None] = {}
        for member in range(self._count):
            its = origin(last - member)
            if its.calls is not calls:
                same = _common(calls, its.calls)
                calls = its.calls
                while len(opened) > same:
                    self._close(opened, base, member)
                opened += [_Open(call, self._frames_of(call), member) for call in calls[same:]]
                frames = opened[-1].frames if opened else base
            if its not in positions:
                spot = its.spot
                positions[its] = None if spot is None else self._places.position(spot)
            frames.add(member, positions[its])
        while opened:
            self._close(opened, base, self._count)
        return self._arranger.arranged(_unwrapped(base.close(), self._count))

    def _frames_of(self, call: Call) -> Frames:
        if call.kind == "module":
            return Frames(_is_forward, lambda _: None, self._arranger, self._places)
        around = None if call.spot is None else self._places.position(call.spot).function
        return Frames(
            lambda function: function is around, lambda _: around, self._arranger, self._places
        )

    def _close(self, opened: list[_Open], base: Frames, end: int) -> None:
        done = opened.pop()
        call = done.call
        family = call.name.rpartition(": ")[2] if call.kind == "module" else _constant(call.name)
        stretch = Stretch(
            call.kind, call.name, family, done.start, end, done.frames.close(), self._places.of(call.spot)
        )  # fmt: skip
        around = opened[-1].frames if opened else base
        place = None if call.spot is None else self._places.position(call.spot)
        around.add(self._arranger.finish(stretch), place)


def _is_top(function: Function) -> bool:
    return not function.name


def _is_forward(function: Function) -> bool:
    return function.name == "forward"


def _constant(name: str) -> str:
    """Without a number that may count."""
    return "".join(c for c in name if not c.isdigit())


def _common(first: Sequence[Call], second: Sequence[Call]) -> int:
    length = 0
    for one, other in zip(first, second, strict=False):
        if one is not other:
            break
        length += 1
    return length


def _unwrapped(members: list[Member], count: int) -> list[Member]:
    """The function that all was recorded in is the ground that everything stands on."""
    whole = members[0] if members else 0
    while isinstance(whole, Stretch) and whole.kind == "function" and len(whole) == count:
        members = whole.members
        whole = members[0]
    return members


def _groups(members: list[Member], count: int) -> Iterator[Group]:
    """In preorder, by the numbers of nodes: the latest first."""
    stack: list[tuple[Stretch, int | None, int]] = [
        (member, None, 0) for member in members if not isinstance(member, int)
    ]
    made = 0
    while stack:
        member, parent, depth = stack.pop()
        if depth == MOST_DEPTH:
            continue
        first, last = count - member.end, count - member.start
        title = member.title or f"nodes {first:,} … {last - 1:,}"
        # Groups that are too deep to be there have no cells either.
        told = depth + 1 < MOST_DEPTH or member.cells == last - first
        cells = member.cells if told else 0
        yield Group(made, parent, member.kind, title, first, last, member.place, cells)
        stack += [
            (inner, made, depth + 1) for inner in member.members if not isinstance(inner, int)
        ]
        made += 1

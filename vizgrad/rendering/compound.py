"""Layout of a picture with frames: each frame is laid out by itself and is one block of its parent.

So frames never overlap anything, and each layout is small. A line that crosses the edge of a frame
does so at a port, a point in its upper or lower edge; lines that go to the same place share it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vizgrad.rendering.geometry import Box, Layout, Point, Size, curve
from vizgrad.rendering.layered import FIRM, INSET, SPINE, Block, Line, Placed, place_blocks
from vizgrad.rendering.visible import Visible

#: Space inside a frame: at the sides and below, and above (the title is there).
PADDING, TITLE = 14.0, 28.0

#: What is placed at one level: ("item", index), ("frame", index), or a port of the frame itself:
#: ("in", destination) in its upper edge, ("out", destination) in its lower. A destination is the
#: number of an (item, slot) that lines go to.
Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class _Leg:
    """The part of a link inside one level. `source_port` and `target_port` are ports of frames."""

    source: Key
    target: Key
    source_port: Key | None
    target_port: Key | None
    link: int


@dataclass(slots=True)
class _Level:
    """The inside of one frame, or the whole picture; sizes and places once it is laid out."""

    keys: dict[Key, int] = field(default_factory=dict[Key, int])
    legs: list[_Leg] = field(default_factory=list[_Leg])
    known: dict[tuple[Key | None, ...], int] = field(
        default_factory=dict[tuple[Key | None, ...], int]
    )
    placed: Placed = field(default_factory=lambda: Placed([], [], [], 0.0, 0.0))
    width: float = 0.0
    #: Offset of the contents from the left edge of the frame.
    left: float = 0.0

    def add(self, key: Key) -> None:
        self.keys.setdefault(key, len(self.keys))

    def port(self, key: Key) -> float:
        """The x offset of a port from the left edge of the frame."""
        return self.left + self.placed.x[self.keys[key]]


def layered_layout(
    visible: Visible, sizes: Sequence[Size], title_widths: Sequence[float] = ()
) -> Layout:
    """Places items of these `sizes`; frames are at least as wide as their titles."""
    return _Compound(visible, sizes, title_widths or [0.0] * len(visible.frames)).layout()


class _Compound:
    def __init__(
        self, visible: Visible, sizes: Sequence[Size], title_widths: Sequence[float]
    ) -> None:
        self.visible, self.sizes, self.title_widths = visible, sizes, title_widths
        self.levels = [_Level() for _ in range(len(visible.frames) + 1)]  # of frame i: i + 1
        for index, item in enumerate(visible.items):
            self.levels[item.frame + 1].add(("item", index))
        for index, frame in enumerate(visible.frames):
            self.levels[frame.parent + 1].add(("frame", index))
        self.order: dict[int, int] = {}
        self.destinations: dict[tuple[int, int], int] = {}
        self.route: list[list[tuple[int, int]]] = [self.cut(i) for i in range(len(visible.links))]

    def ancestors(self, frame: int) -> list[int]:
        chain: list[int] = []
        while frame >= 0:
            chain.append(frame)
            frame = self.visible.frames[frame].parent
        return chain

    def cut(self, number: int) -> list[tuple[int, int]]:
        """Cuts a link into legs; returns (level, leg) from its start to its end."""
        link = self.visible.links[number]
        leaving = self.ancestors(self.visible.items[link.source].frame)
        entering = self.ancestors(self.visible.items[link.target].frame)
        common = -1
        while leaving and entering and leaving[-1] == entering[-1]:
            common = leaving.pop()
            entering.pop()
        legs: list[tuple[int, int]] = []
        goal = self.destinations.setdefault((link.target, link.slot), len(self.destinations))
        at, port = ("item", link.source), None
        for frame in leaving:
            exit_port = ("out", goal)
            legs.append(self.leg(frame, _Leg(at, exit_port, port, None, number)))
            at, port = ("frame", frame), exit_port
        inward = [common, *reversed(entering)]
        for position, frame in enumerate(inward):
            if position + 1 < len(inward):
                to, into = ("frame", inward[position + 1]), ("in", goal)
            else:
                to, into = ("item", link.target), None
            legs.append(self.leg(frame, _Leg(at, to, port, into, number)))
            at, port = ("in", goal), None
        return legs

    def leg(self, frame: int, leg: _Leg) -> tuple[int, int]:
        """Adds a leg to the level of `frame`; legs from a port that go the same way are one."""
        level = self.levels[frame + 1]
        level.add(leg.source)
        level.add(leg.target)
        if leg.source[0] != "item":
            same = (leg.source, leg.target, leg.source_port, leg.target_port)
            found = level.known.get(same)
            if found is not None:
                return frame + 1, found
            level.known[same] = len(level.legs)
        level.legs.append(leg)
        return frame + 1, len(level.legs) - 1

    # --- inside out: places within each level -------------------------------------------------

    def layout(self) -> Layout:
        for index in range(len(self.levels) - 1, -1, -1):  # children come after their parents
            self.place(index)
        return self.collect()

    def place(self, index: int) -> None:
        level = self.levels[index]
        self.order.clear()
        level.placed = place_blocks(
            [self.block(key) for key in level.keys], [self.line(level, leg) for leg in level.legs]
        )
        least = self.title_widths[index - 1] if index else 0.0
        level.width = max(level.placed.width + 2 * PADDING, least)
        level.left = (level.width - level.placed.width) / 2

    def block(self, key: Key) -> Block:
        kind, index = key
        if kind == "frame":
            inside = self.levels[index + 1]
            return Block(inside.width, inside.placed.height + TITLE + PADDING, firm=FIRM)
        if kind != "item":
            return Block(0.0, 0.0, end="first" if kind == "in" else "last", firm=FIRM)
        size = self.sizes[index]
        firm = 0.1 if self.visible.items[index].kind == "pin" else FIRM
        return Block(size.width, size.height, firm=firm)

    def line(self, level: _Level, leg: _Leg) -> Line:
        source, target = level.keys[leg.source], level.keys[leg.target]
        head, strength = self.head(leg)
        if leg.source_port is not None:
            tail = self.levels[leg.source[1] + 1].port(leg.source_port)
            return Line(source, target, head, tail, strength=strength)
        if leg.source[0] != "item":
            return Line(source, target, head, 0.0, strength=strength)
        number = self.order.get(leg.source[1], 0)
        self.order[leg.source[1]] = number + 1
        labels = self.sizes[leg.source[1]].labels
        room = labels[number] if number < len(labels) else 2 * INSET
        return Line(source, target, head, None, room, strength)

    def head(self, leg: _Leg) -> tuple[float, int]:
        """Where a leg arrives on its target, and how straight it is to be drawn."""
        kind, index = leg.target
        link = self.visible.links[leg.link]
        strength = SPINE if link.spine else 2
        if leg.target_port is not None:
            return self.levels[index + 1].port(leg.target_port), strength
        if kind != "item":
            return 0.0, strength
        size = self.sizes[index]
        head = size.width * (min(link.slot, size.slots - 1) + 1) / (size.slots + 1)
        return head, 1 if self.visible.items[index].kind == "pin" else strength

    # --- outside in: places in the picture ----------------------------------------------------

    def collect(self) -> Layout:
        boxes: list[Box] = [Box(0.0, 0.0, 0.0, 0.0)] * len(self.visible.items)
        frames: list[Box] = [Box(0.0, 0.0, 0.0, 0.0)] * len(self.visible.frames)
        origins: list[Point] = [(0.0, 0.0)] * len(self.levels)
        for index, level in enumerate(self.levels):  # parents come before their children
            if index:
                frame = frames[index - 1]
                origins[index] = (frame.x + level.left, frame.y + TITLE)
            left, top = origins[index]
            for (kind, inner), number in level.keys.items():
                x, y = left + level.placed.x[number], top + level.placed.y[number]
                if kind == "item":
                    size = self.sizes[inner]
                    boxes[inner] = Box(x, y, size.width, size.height)
                elif kind == "frame":
                    block = self.block((kind, inner))
                    frames[inner] = Box(x, y, block.width, block.height)
        routes = [curve(self.hops(legs, origins)) for legs in self.route]
        top = self.levels[0].placed
        return Layout(top.width, top.height, tuple(boxes), tuple(frames), tuple(routes))

    def hops(self, legs: list[tuple[int, int]], origins: list[Point]) -> list[Point]:
        points: list[Point] = []
        for level, leg in legs:
            left, top = origins[level]
            points += [(x + left, y + top) for x, y in self.levels[level].placed.hops[leg]]
        return points

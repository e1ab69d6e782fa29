"""Layout of a picture with frames: each frame is laid out by itself and is one block of its parent.

So frames never overlap anything, and each layout is small. A line that crosses the edge of a frame
does so at a port, a point in its upper or lower edge; lines that go to the same place share it. The
head of a frame is written where no line comes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from vizgrad.debugger.drawing.frame_heads import Head, HeadNeed, place_head
from vizgrad.debugger.drawing.geometry import Box, Layout, Point, Size, curve
from vizgrad.debugger.drawing.layered import (
    DEEP,
    FIRM,
    INSET,
    ROW_GAP,
    Block,
    Line,
    Placed,
    place_blocks,
)
from vizgrad.debugger.drawing.visible import Visible

#: Space inside a frame: at the sides and below, and above (the title is there).
PADDING, TITLE = 10.0, 22.0
#: Above a frame, in which a line goes on before it arrives; and above what hangs on one node alone.
_FRAME_GAP, _PIN_GAP = 10.0, 14.0

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
    head: Head = field(default_factory=Head)
    #: Which legs are of the spine.
    spine: set[int] = field(default_factory=set[int])

    def add(self, key: Key) -> None:
        self.keys.setdefault(key, len(self.keys))

    def port(self, key: Key) -> float:
        """The x offset of a port from the left edge of the frame."""
        return self.left + self.placed.x[self.keys[key]]


def layered_layout(
    visible: Visible, sizes: Sequence[Size], heads: Sequence[HeadNeed] = ()
) -> Layout:
    """Places items of these `sizes`; frames have as much room for their heads as these need."""
    return _Compound(visible, sizes, heads or [HeadNeed()] * len(visible.frames)).layout()


class _Compound:
    def __init__(self, visible: Visible, sizes: Sequence[Size], heads: Sequence[HeadNeed]) -> None:
        self.visible, self.sizes, self.heads = visible, sizes, heads
        self.anchors = self.spine_anchors()
        self.levels = [_Level() for _ in range(len(visible.frames) + 1)]  # of frame i: i + 1
        for index, item in enumerate(visible.items):
            self.levels[item.frame + 1].add(("item", index))
        for index, frame in enumerate(visible.frames):
            self.levels[frame.parent + 1].add(("frame", index))
        self.order: dict[int, int] = {}
        self.destinations: dict[tuple[int, int], int] = {}
        self.route: list[list[tuple[int, int]]] = [self.cut(i) for i in range(len(visible.links))]

    def spine_anchors(self) -> dict[int, tuple[float, int]]:
        """Of each item on the spine the x offset at which it goes through, as near the middle as the names of
        other lines leave it; and the slot that it comes in at.
        """
        leaving: dict[int, list[bool]] = {}
        slots: dict[int, int] = {}
        for link in self.visible.links:
            leaving.setdefault(link.source, []).append(link.spine)
            if link.spine:
                slots[link.target] = link.slot
        anchors: dict[int, tuple[float, int]] = {}
        for item, size in enumerate(self.sizes):
            lines = leaving.get(item, [])
            if True not in lines and item not in slots:
                continue
            anchor = size.width / 2
            if True in lines:
                rooms = [*size.labels, *[2 * INSET] * (len(lines) - len(size.labels))]
                squeezed = min(1.0, size.width / sum(rooms))
                at = lines.index(True)
                own = rooms[at] * squeezed / 2
                least = sum(rooms[:at]) * squeezed + own
                most = size.width - sum(rooms[at + 1 : len(lines)]) * squeezed - own
                anchor = min(max(anchor, least), most)
            anchors[item] = anchor, slots.get(item, 0)
        return anchors

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
        number = len(level.legs)
        if leg.source[0] != "item":
            same = (leg.source, leg.target, leg.source_port, leg.target_port)
            number = level.known.setdefault(same, number)
        if number == len(level.legs):
            level.legs.append(leg)
        if self.visible.links[leg.link].spine:
            level.spine.add(number)
        return frame + 1, number

    # --- inside out: places within each level -------------------------------------------------

    def layout(self) -> Layout:
        for index in range(len(self.levels) - 1, -1, -1):  # children come after their parents
            self.place(index)
        return self.collect()

    def place(self, index: int) -> None:
        level = self.levels[index]
        self.order.clear()
        level.placed = place_blocks(
            [self.block(key) for key in level.keys],
            [self.line(level, number) for number in range(len(level.legs))],
        )
        level.width, level.left = level.placed.width + 2 * PADDING, PADDING
        if index:
            ports = [level.port(key) for key in level.keys if key[0] == "in"]
            level.head = place_head(self.heads[index - 1], sorted(ports), level.width)
            level.width += level.head.grown
            level.left += level.head.shifted

    def block(self, key: Key) -> Block:
        kind, index = key
        if kind == "frame":
            inside = self.levels[index + 1]
            height = inside.placed.height + TITLE + PADDING
            return Block(inside.width, height, firm=FIRM, above=_FRAME_GAP)
        if kind != "item":
            return Block(0.0, 0.0, end="first" if kind == "in" else "last", firm=FIRM)
        size = self.sizes[index]
        pin = self.visible.items[index].kind == "pin"
        above = _PIN_GAP if pin else ROW_GAP
        return Block(size.width, size.height, firm=0.1 if pin else FIRM, above=above)

    def line(self, level: _Level, number: int) -> Line:
        leg = level.legs[number]
        source, target = level.keys[leg.source], level.keys[leg.target]
        head, strength = self.head(leg)
        spine = number in level.spine
        if leg.source_port is not None:
            tail = self.levels[leg.source[1] + 1].port(leg.source_port)
            return Line(source, target, head, tail, strength=strength, spine=spine)
        if leg.source[0] != "item":
            return Line(source, target, head, 0.0, strength=strength, spine=spine)
        item = leg.source[1]
        place = self.order.get(item, 0)
        self.order[item] = place + 1
        labels = self.sizes[item].labels
        room = labels[place] if place < len(labels) else 2 * INSET
        anchor = self.anchors[item][0] if spine else 0.0
        return Line(source, target, head, None, room, strength, spine, anchor)

    def head(self, leg: _Leg) -> tuple[float, int]:
        """Where a leg arrives on its target, and how straight it is to be drawn."""
        kind, index = leg.target
        link = self.visible.links[leg.link]
        strength = DEEP if link.deep else 2
        if leg.target_port is not None:
            return self.levels[index + 1].port(leg.target_port), strength
        if kind != "item":
            return 0.0, strength
        if self.visible.items[index].kind == "pin":
            strength = 1
        return self.arrival(index, link.slot), strength

    def arrival(self, item: int, slot: int) -> float:
        """The x offset at which lines to a slot of an item arrive: evenly spread, beside the spine if that
        comes in there.
        """
        size = self.sizes[item]
        slot = min(slot, size.slots - 1)
        if item not in self.anchors:
            return size.width * (slot + 1) / (size.slots + 1)
        anchor, middle = self.anchors[item]
        middle = min(middle, size.slots - 1)
        if slot <= middle:
            return anchor * (slot + 1) / (middle + 1)
        return anchor + (size.width - anchor) * (slot - middle) / (size.slots - middle)

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
        heads = tuple(level.head for level in self.levels[1:])
        return Layout(top.width, top.height, tuple(boxes), tuple(frames), tuple(routes), heads)

    def hops(self, legs: list[tuple[int, int]], origins: list[Point]) -> list[Point]:
        points: list[Point] = []
        for level, leg in legs:
            left, top = origins[level]
            points += [(x + left, y + top) for x, y in self.levels[level].placed.hops[leg]]
        return points

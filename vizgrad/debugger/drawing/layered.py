"""A layered layout of blocks and lines: rows, few crossings, straight lines (Sugiyama's method).

It is deterministic text-in, numbers-out Python: the same graph gives the same picture on every
machine, which a saved notebook and an exact test both need. Nothing recurses. A line over several
rows runs through invisible blocks of its own, so that it never runs under another block; lines to
the same place share them. All lines go down. The lines of the spine are one vertical, whatever else
has to give way.

Above a few thousand blocks the sweeps become fewer (10,000 nodes take about two seconds); the
longest lines lose their invisible blocks where these would outnumber the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from vizgrad.debugger.drawing.geometry import (
    Box,
    Head,
    HeadNeed,
    Layout,
    Point,
    Size,
    curve,
    place_head,
)
from vizgrad.debugger.drawing.layout_steps import (
    Segment,
    Tie,
    assign_ranks,
    assign_x,
    order_rows,
    spread_around,
    straighten,
)
from vizgrad.debugger.drawing.visible import Visible

# --- layered ---------------------------------------------------------------------------------------------


GAP = 16.0
#: Above a block; grows with the sideways distance of the lines in between.
ROW_GAP, MAX_ROW_GAP = 20.0, 60.0
#: Between a frame's edge and the row beside it.
PORT_GAP = 4.0
#: Blocks from which on fewer sweeps must do.
FEW, MANY = 3_000, 40_000
#: `Line.strength` of the lines that lead deepest; they get a way of their own.
DEEP = 3
#: `Block.firm` of what everything else gives way to.
FIRM = 100.0
#: Least distance of a line from the side of the block it leaves.
INSET = 8.0


@dataclass(frozen=True, slots=True)
class Block:
    """A thing to place. `end` is "first" or "last" for a port in the upper or lower edge of a
    frame.

    `firm` says how much it resists being moved aside, `above` is the least space to the row above.
    """

    width: float
    height: float
    end: Literal["", "first", "last"] = ""
    firm: float = 1.0
    above: float = ROW_GAP


@dataclass(frozen=True, slots=True)
class Line:
    """A line from block to block. `tail` and `head` are x offsets on them; `tail` None: to be
    chosen.

    A chosen tail keeps half of `room` free on both sides. Lines of one source come in the order
    in which they leave it. The strongest lines of a block are drawn straight.

    Lines of the `spine` follow each other from block to block, and each leaves its block right below where
    the one before arrives: their chosen tails are where `anchor` says.
    """

    source: int
    target: int
    head: float
    tail: float | None = None
    room: float = 2 * INSET
    strength: int = 1
    spine: bool = False
    anchor: float = 0.0


@dataclass(frozen=True, slots=True)
class Placed:
    """`x` and `y` of the upper left corner of each block, and the hops of each line."""

    x: list[float]
    y: list[float]
    hops: list[list[Point]]
    width: float
    height: float


def place_blocks(blocks: Sequence[Block], lines: Sequence[Line]) -> Placed:
    """Places for all blocks. The lines must not form a cycle."""
    return _Layering(blocks, lines).placed()


class _Layering:
    """The working state of one layout: real blocks first, then invisible ones on long lines."""

    def __init__(self, blocks: Sequence[Block], lines: Sequence[Line]) -> None:
        self.blocks, self.lines = blocks, lines
        ends = {name: frozenset(i for i, b in enumerate(blocks) if b.end == name) for name in _ENDS}
        self.ranks = assign_ranks(
            len(blocks), [(line.source, line.target) for line in lines], ends["first"], ends["last"]
        )
        self.widths = [block.width for block in blocks]
        self.firm = [block.firm for block in blocks]
        self.tails = self.nominal_tails()
        self.segments: list[Segment] = []
        self.ties: list[Tie] = []
        self.through: list[list[int]] = [[] for _ in lines]
        self.chains: list[list[int]] = []
        self.connect()
        self.fixed = self.spine()

    def spine(self) -> dict[int, float]:
        """The left edge of each block of the spine, if that is at 0."""
        fixed: dict[int, float] = {}
        for number, line in enumerate(self.lines):
            if line.spine:
                fixed[line.source] = -(line.anchor if line.tail is None else line.tail)
                fixed.update((bend, 0.0) for bend in self.through[number])
        for line in self.lines:
            if line.spine:
                fixed.setdefault(line.target, -line.head)
        return fixed

    def nominal_tails(self) -> list[float]:
        """Where each line leaves its block before the places are known: evenly spread, in order."""
        leaving: dict[int, list[int]] = {}
        for number, line in enumerate(self.lines):
            leaving.setdefault(line.source, []).append(number)
        tails = [0.0] * len(self.lines)
        for source, numbers in leaving.items():
            width = self.blocks[source].width
            for position, number in enumerate(numbers, start=1):
                fixed = self.lines[number].tail
                tails[number] = width * position / (len(numbers) + 1) if fixed is None else fixed
        return tails

    def connect(self) -> None:
        """Cuts lines into segments between neighbouring rows, with invisible blocks in between."""
        spans = [self.ranks[line.target] - self.ranks[line.source] for line in self.lines]
        budget = 20_000 + (4 if len(self.blocks) < MANY else 1) * len(self.blocks)
        bends: dict[tuple[int, float, int], dict[int, int]] = {}
        joined: set[tuple[int, int]] = set()

        def shortest_first(number: int) -> tuple[bool, int, int]:
            return not self.lines[number].spine, spans[number], number

        for number in sorted(range(len(self.lines)), key=shortest_first):
            line = self.lines[number]
            way = 2 if line.spine else int(line.strength >= DEEP)
            shared = bends.setdefault((line.target, line.head, way), {})
            rows = range(self.ranks[line.source] + 1, self.ranks[line.target])
            missing = [row for row in rows if row not in shared]
            if len(missing) > budget and not line.spine:
                continue  # drawn as one stroke
            budget -= len(missing)
            for row in missing:
                shared[row] = len(self.ranks)
                self.ranks.append(row)
                self.widths.append(0.0)
                self.firm.append(FIRM if way else 1.0)
            self.through[number] = [shared[row] for row in rows]
        self.chains = [
            [shared[row] for row in sorted(shared)]
            for (_, _, way), shared in bends.items()
            if way < 2
        ]
        for number, line in enumerate(self.lines):  # in the order of the lines, for the first order
            chain = [line.source, *self.through[number], line.target]
            if len(chain) - 1 < spans[number]:
                continue
            for upper, lower in pairwise(chain):
                if upper >= len(self.blocks):
                    if (upper, lower) in joined:
                        continue
                    joined.add((upper, lower))
                self.add_segment(number, upper, lower)

    def add_segment(self, number: int, upper: int, lower: int) -> None:
        line, real = self.lines[number], len(self.blocks)
        tail = self.tails[number] if upper < real else 0.0
        head = line.head if lower < real else 0.0
        self.segments.append(
            Segment(
                upper,
                lower,
                _fraction(tail, self.widths[upper]),
                _fraction(head, self.widths[lower]),
            )
        )
        bends = (upper >= real) + (lower >= real)
        strength = 9 if bends == 2 else line.strength
        if upper < real and line.tail is None and line.spine:
            tail = line.anchor
        elif upper < real and line.tail is None and line.strength >= DEEP:
            tail = self.blocks[upper].width / 2  # the main line goes on under the middle
        self.ties.append(Tie(upper, lower, tail, head, strength))

    def placed(self) -> Placed:
        size = len(self.ranks)
        sweeps = (12, 8) if size < FEW else (4, 4) if size < MANY else (1, 2)
        rows = order_rows(self.ranks, self.segments, sweeps[0])
        x = assign_x(rows, self.widths, self.firm, self.ties, GAP, sweeps[1], self.fixed)
        straighten(rows, self.widths, self.chains, GAP, x)
        tails = self.chosen_tails(x)
        tops, bottoms = self.row_places(rows, x)
        real = len(self.blocks)
        hops: list[list[Point]] = []
        for number, line in enumerate(self.lines):
            start = x[line.source] + tails[number]
            upper, lower = self.ranks[line.source], self.ranks[line.target]
            points = [(start, tops[upper] + self.blocks[line.source].height)]
            points.append((start, bottoms[upper]))
            for bend in self.through[number]:
                row = self.ranks[bend]
                points += [(x[bend], tops[row]), (x[bend], bottoms[row])]
            points.append((x[line.target] + line.head, tops[lower]))
            hops.append(
                [point for i, point in enumerate(points) if not i or point != points[i - 1]]
            )
        return Placed(
            x=x[:real],
            y=[tops[rank] for rank in self.ranks[:real]],
            hops=hops,
            width=max((x[block] + width for block, width in enumerate(self.widths)), default=0.0),
            height=bottoms[-1] if bottoms else 0.0,
        )

    def chosen_tails(self, x: list[float]) -> list[float]:
        """Where lines leave their blocks: straight above where they go, in order, apart, inside."""
        free: dict[int, list[int]] = {}
        for number, line in enumerate(self.lines):
            if line.tail is None:
                free.setdefault(line.source, []).append(number)
        tails = list(self.tails)
        for source, numbers in free.items():
            wishes = [self.next_x(number, x) - x[source] for number in numbers]
            rooms = [self.lines[number].room for number in numbers]
            width = self.blocks[source].width
            squeezed = min(1.0, width / sum(rooms))  # a closed group may have any number of lines
            rooms = [room * squeezed for room in rooms]
            distances = [(one + other) / 2 for one, other in pairwise(rooms)]
            low, high = rooms[0] / 2, width - rooms[-1] / 2
            strong = [4.0 ** self.lines[number].strength for number in numbers]
            wishes = [min(max(wish, low), high) for wish in wishes]
            spine = next((i for i, n in enumerate(numbers) if self.lines[n].spine), None)
            anchor = 0.0 if spine is None else self.lines[numbers[spine]].anchor
            places = spread_around(spine, anchor, wishes, strong, distances)
            for i in range(len(places) - 1, -1, -1):  # push back inside, right end first, then left
                limit = high if i == len(places) - 1 else places[i + 1] - distances[i]
                places[i] = places[i] if i == spine else min(places[i], limit)
            for i in range(len(places)):
                limit = low if i == 0 else places[i - 1] + distances[i - 1]
                places[i] = places[i] if i == spine else max(places[i], limit)
            for number, place in zip(numbers, places, strict=True):
                tails[number] = place
        return tails

    def next_x(self, number: int, x: list[float]) -> float:
        if self.through[number]:
            return x[self.through[number][0]]
        line = self.lines[number]
        return x[line.target] + line.head

    def row_places(self, rows: list[list[int]], x: list[float]) -> tuple[list[float], list[float]]:
        """The upper and lower y of each row."""
        real = len(self.blocks)
        heights = [
            max((self.blocks[block].height for block in row if block < real), default=0.0)
            for row in rows
        ]
        ports = [all(block < real and self.blocks[block].end for block in row) for row in rows]
        above = [
            max((self.blocks[block].above for block in row if block < real), default=ROW_GAP)
            for row in rows
        ]
        sideways = [0.0] * len(rows)
        for tie in self.ties:
            row = self.ranks[tie.upper]
            distance = abs(x[tie.upper] + tie.tail - x[tie.lower] - tie.head)
            sideways[row] = max(sideways[row], distance)
        tops: list[float] = []
        bottoms: list[float] = []
        y = 0.0
        for number, height in enumerate(heights):
            tops.append(y)
            bottoms.append(y + height)
            below = min(number + 1, len(rows) - 1)
            least = PORT_GAP if ports[number] or ports[below] else above[below]
            y += height + min(least + 0.1 * sideways[number], MAX_ROW_GAP)
        return tops, bottoms


_ENDS = ("first", "last")


def _fraction(offset: float, width: float) -> float:
    return 0.5 if width <= 0 else min(max(offset / width, 0.0), 1.0) * 0.98 + 0.01


# --- compound --------------------------------------------------------------------------------------------
# Layout of a picture with frames: each frame is laid out by itself and is one block of its parent.
#
# So frames never overlap anything, and each layout is small. A line that crosses the edge of a frame does
# so at a port, a point in its upper or lower edge; lines that go to the same place share it. The head of
# a frame is written where no line comes in.


#: Space inside a frame: at the sides and below, and above (the title is there).
PADDING, TITLE = 10.0, 22.0
#: Above a frame, in which a line goes on before it arrives; and above what hangs on one node alone.
_FRAME_GAP, _PIN_GAP = 10.0, 14.0

#: A placed object of one level: ("item", index), ("frame", index), or a port of the frame itself:
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
        """For each item on the spine the x offset at which it goes through, as near the middle as the
        names of other lines leave it; and the slot that it comes in at.
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

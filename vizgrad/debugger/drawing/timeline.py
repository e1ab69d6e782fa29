"""The life of storages as a picture: versions from left to right, and who relies on which of them.

A storage is a bar cut at each in-place write, with the line that wrote above the cut. Below it is a
line for each saved value, from the save to now: solid while the value is what was saved, hatched
from the write that made it stale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vizgrad.debugger.drawing.chips import node_text
from vizgrad.debugger.drawing.describe import (
    bytes_text,
    count_text,
    counter_text,
    place_text,
    plain,
    type_text,
)
from vizgrad.debugger.drawing.geometry import MONO, text_width
from vizgrad.debugger.drawing.scene import Group, Poly, Rect, Scene, Shape, Text, to_svg
from vizgrad.debugger.model import Graph, SaveMark, Storage, Write

MARGIN = 20.0
#: Latest events of one storage, and storages, that are drawn; the rest is counted.
MOST_EVENTS, MOST_STORAGES = 12, 12
_LABEL_LINE, _BAR, _ROW = 14.0, 22.0, 34.0
_LEAST_COLUMN, _LIMIT = 44.0, 24


@dataclass(frozen=True, slots=True)
class _Event:
    """A write, or a save, with the room that its words need to its right."""

    clock: int
    write: Write | None
    save: SaveMark | None
    room: float


def versions_svg(storages: Sequence[Storage], graph: Graph | None = None) -> str:
    """The timelines as the text of an SVG file; with a graph, saves name their node."""
    return to_svg(versions_scene(storages, graph))


def versions_scene(storages: Sequence[Storage], graph: Graph | None = None) -> Scene:
    """A lane for each storage, below each other."""
    children: list[Shape] = [Text(MARGIN, 32, "Versions", "heading")]
    writes = sum(storage.version for storage in storages)
    stale = sum(save.state == "stale" for storage in storages for save in storage.saves)
    summary = f"{count_text(len(storages), 'storage')} · {count_text(writes, 'in-place write')}"
    if stale:
        summary += f" · {count_text(stale, 'saved value')} stale"
    children.append(Text(MARGIN, 51, summary, "summary"))
    y, width = 78.0, text_width(summary, 12)
    for storage in storages[:MOST_STORAGES]:
        lane = _Lane(storage, graph)
        children.append(Group(tuple(lane.shapes()), "lane", x=MARGIN, y=y))
        y += lane.height + 26
        width = max(width, lane.width)
    if len(storages) > MOST_STORAGES:
        more = count_text(len(storages) - MOST_STORAGES, "more storage")
        children.append(Text(MARGIN, y, f"… {more}", "summary"))
        y += 20
    return Scene(width + 2 * MARGIN, y, "Versions", summary, tuple(children))


class _Lane:
    def __init__(self, storage: Storage, graph: Graph | None) -> None:
        self.storage = storage
        events = [_Event(w.clock, w, None, _room(_write_lines(w))) for w in storage.writes]
        events += [_Event(s.clock, None, s, 18.0) for s in storage.saves]
        events.sort(key=lambda event: (event.clock, event.write is not None))
        self.hidden = max(len(events) - MOST_EVENTS, 0)
        self.events = events[self.hidden :]
        self.names = {
            id(event): _save_name(event.save, graph) for event in self.events if event.save
        }
        self.x: list[float] = []
        x = _LEAST_COLUMN
        for event in self.events:
            self.x.append(x)
            x += max(event.room, _LEAST_COLUMN if event.write else event.room)
        needed = [
            place + text_width(self.names[id(event)], 11) + 14
            for place, event in zip(self.x, self.events, strict=True)
            if event.save
        ]
        self.end = max([x, 260.0, *needed])
        lines = max((len(_write_lines(e.write)) for e in self.events if e.write), default=0)
        self.bar = 26 + lines * _LABEL_LINE
        self.height = self.bar + _BAR + _ROW * len(self.names)
        self.width = max(self.end, text_width(self.head(), 12.5))

    def head(self) -> str:
        size = bytes_text(self.storage.bytes)
        text = f"{type_text(self.storage.shape, self.storage.dtype)} · {size}"
        if self.hidden or self.storage.writes_dropped:
            earlier = self.hidden + self.storage.writes_dropped
            text += f" · {count_text(earlier, 'earlier event')} not shown"
        return text

    def shapes(self) -> list[Shape]:
        name = plain(self.storage.label, 40) or f"storage {self.storage.id}"
        after = text_width(name, 13, bold=True) + 10
        shapes: list[Shape] = [Text(0, 10, name, "name"), Text(after, 10, self.head(), "type")]
        shapes += self.versions()
        y = self.bar + _BAR
        for place, event in zip(self.x, self.events, strict=True):
            if event.write:
                lines = _write_lines(event.write)
                top = self.bar - 5 - _LABEL_LINE * (len(lines) - 1)
                shapes += [
                    Text(place + 4, top + i * _LABEL_LINE, text, role)
                    for i, (text, role) in enumerate(lines)
                ]
                cut = ((place, top - 10), (place, self.height))
                shapes.append(Poly(cut, "write", closed=False))
            elif event.save:
                shapes += self.hold(place, y, event.save, self.names[id(event)])
                y += _ROW
        return shapes

    def versions(self) -> list[Shape]:
        """The bar: one piece for each version, the first up to the first write that is shown."""
        writes = [(x, e.write) for x, e in zip(self.x, self.events, strict=True) if e.write]
        first = writes[0][1].version - 1 if writes else self.storage.version
        starts = [(0.0, first), *((x, write.version) for x, write in writes)]
        ends = [*(x for x, _ in starts[1:]), self.end]
        shapes: list[Shape] = []
        following = [version for _, version in starts[1:]]
        for number, ((x, version), end) in enumerate(zip(starts, ends, strict=True)):
            gap = number < len(following) and following[number] > version + 1
            odd = " odd" if number % 2 else ""
            shapes.append(Rect(x, self.bar, end - x, _BAR, 3, f"version{odd}"))
            shapes.append(
                Text(x + 6, self.bar + 15, f"v{version} …" if gap else f"v{version}", "number")
            )
        shapes.append(Text(self.end - 6, self.bar + 15, "now", "caption", "end"))
        return shapes

    def hold(self, x: float, y: float, save: SaveMark, name: str) -> list[Shape]:
        """The line of one saved value, with its words above it."""
        middle = y + 26
        state = "" if save.state == "alive" else f" {save.state}"
        broken = next(
            (
                place
                for place, event in zip(self.x, self.events, strict=True)
                if event.write and event.write.clock > save.clock
            ),
            self.end,
        )
        if save.version is None:
            broken = x  # the write that made it stale is not among those shown
        until = broken if save.state == "stale" else self.end
        shapes: list[Shape] = [
            Poly(
                ((x, middle), (until, middle)), f"hold{state.replace(' stale', '')}", closed=False
            ),
            Rect(x - 4, middle - 4, 8, 8, 4, "save"),
            Text(x + 8, y + 18, name, f"caption halo held{state}"),
        ]
        if save.state == "stale":
            shapes.append(Poly(((until, middle), (self.end, middle)), "hold stale", closed=False))
            cross = ((until - 4, middle - 4), (until + 4, middle + 4))
            shapes.append(Poly(cross, "cross", closed=False))
            cross = ((until - 4, middle + 4), (until + 4, middle - 4))
            shapes.append(Poly(cross, "cross", closed=False))
        return shapes


def _save_name(save: SaveMark, graph: Graph | None) -> str:
    known = graph is not None and 0 <= save.node < len(graph.nodes)
    node = node_text(graph.nodes[save.node]) if graph and known else f"node {save.node}"
    state = "" if save.state == "alive" else f": {save.state}"
    return f"{plain(save.name, 30)} of {node}, {counter_text(save.version)}{state}"


def _write_lines(write: Write | None) -> list[tuple[str, str]]:
    """The text above a write: the operation, its place, its line; with their roles."""
    if write is None:
        return []
    through = f" ({plain(write.alias, 20)})" if write.alias else ""
    lines = [(f"{plain(write.op, 20)}{through}", "caption by")]
    if write.place:
        lines.append((place_text(write.place), "caption"))
        if write.place.text:
            lines.append((plain(write.place.text, _LIMIT), "type"))
    return lines


def _room(lines: list[tuple[str, str]]) -> float:
    widths = [text_width(text, 11, MONO if role == "type" else "sans") for text, role in lines]
    return max(widths, default=0.0) + 14

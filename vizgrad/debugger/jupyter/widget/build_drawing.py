"""From a graph, so folded, to the drawing that a view is given."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import count

from vizgrad.debugger.drawing.cards import group_size, group_title, node_card, pin_card, result_card
from vizgrad.debugger.drawing.geometry import Bezier, Box, Size
from vizgrad.debugger.drawing.layered import layered_layout
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.drawing.titles import head_need
from vizgrad.debugger.drawing.visible import Item, Link, Opening, Visible, opening, visible_graph
from vizgrad.debugger.jupyter.widget.drawing import (
    Drawing,
    DrawnBox,
    DrawnFrame,
    DrawnLine,
    Folding,
)
from vizgrad.debugger.model import Graph, Group, Node, NodeRun, Saved
from vizgrad.debugger.session.grouping.outline import Outline

#: Room in the title of a frame for what a person clicks there.
_BUTTONS = 60.0
#: How much larger a title is written where a view is zoomed out, before it shows less of everything.
_ENLARGED = 1.3


class _Anywhere(RunView):
    """A run that may be anywhere: boxes get the size that they need at any time."""

    def __init__(self) -> None:
        super().__init__(Graph((), ()))

    def node(self, index: int) -> NodeRun | None:
        return NodeRun("waiting")

    def saved(self, node: Node) -> tuple[Saved, ...]:
        """All as if they were fresh: writes are no reason to move anything."""
        return tuple(replace(saved, state="alive") for saved in node.saved)


_ANYWHERE = _Anywhere()


def draw(outline: Outline, recorded: Callable[[int], Node], folding: Folding) -> Drawing:
    """`recorded` describes a node, with its saved values as they were before the run."""
    describe = cache(recorded)
    visible = visible_graph(outline, describe, _opened(outline, folding))
    ports: list[list[str]] = [[] for _ in visible.items]
    for link in visible.links:
        ports[link.source].append(link.name)
    sizes: list[Size] = []
    names: list[tuple[str, ...]] = []
    for item, starts in zip(visible.items, ports, strict=True):
        size, named = _size(outline, describe, item, tuple(starts))
        sizes.append(size)
        names.append(named)
    heads = [head_need(outline.groups[f.group], f, _BUTTONS, _ENLARGED) for f in visible.frames]
    layout = layered_layout(visible, sizes, heads)
    keys = _keys(visible)
    boxes = tuple(
        _box(outline, item, key, box, named)
        for item, key, box, named in zip(visible.items, keys, layout.boxes, names, strict=True)
    )
    lines = tuple(
        _line(link, keys, route) for link, route in zip(visible.links, layout.routes, strict=True)
    )
    frames = tuple(
        DrawnFrame(
            f.group,
            None if f.parent < 0 else f.parent,
            *_rounded(box),
            cell=None if f.cell < 0 else f.cell,
            title_left=round(head.title, 1),
            title_room=round(head.title_room, 1),
            curve_left=round(head.curve, 1),
            curve_room=round(head.curve_room, 1),
        )
        for f, box, head in zip(visible.frames, layout.frames, layout.heads, strict=True)
    )
    width, height = round(layout.width, 1), round(layout.height, 1)
    groups = tuple(outline.groups[group] for group in _groups(visible))
    nodes = tuple(describe(node) for node in _nodes(visible))
    return Drawing(
        digest=_digest((width, height, boxes, lines, frames), groups, nodes),
        width=width,
        height=height,
        boxes=boxes,
        lines=lines,
        frames=frames,
        groups=groups,
        nodes=nodes,
    )


def _digest(placed: object, groups: tuple[Group, ...], nodes: tuple[Node, ...]) -> str:
    """The same for the same program on every machine, at any time: without files, clocks and saved values."""
    named = [
        (node.id, node.name, node.label, node.kind, node.outputs, node.hooks) for node in nodes
    ]
    told = repr((placed, [replace(group, place=None) for group in groups], named))
    return hashlib.blake2b(told.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def _opened(outline: Outline, folding: Folding) -> Opening:
    """Numbers that stand for nothing are passed over: they come from a browser."""
    near = folding.near
    return opening(
        outline,
        opened=[group for group in folding.opened if 0 <= group < len(outline.groups)],
        closed=folding.closed,
        cells={cell.group: cell.cell for cell in folding.cells},
        near=near if near is not None and 0 <= near < outline.size else None,
    )


def _size(
    outline: Outline, describe: Callable[[int], Node], item: Item, ports: tuple[str, ...]
) -> tuple[Size, tuple[str, ...]]:
    """The size of a box, and the names of the lines that leave it."""
    if item.kind == "result":
        return result_card(item, len(outline.roots)).size, ()
    if item.node is None:
        return group_size(outline.groups[item.group], item), ()
    node = describe(item.node)
    card = (
        pin_card(_ANYWHERE, node, item) if item.kind == "pin" else node_card(_ANYWHERE, node, ports)
    )
    return card.size, card.ports


def _keys(visible: Visible) -> list[str]:
    """The same for the same thing, whatever else is open."""
    results = count()
    keys: list[str] = []
    for item in visible.items:
        match item.kind:
            case "node":
                key = f"n{item.node}"
            case "pin" if item.user >= 0:
                key = f"p{item.user}_{item.edge}"
            case "pin":
                key = f"p_{item.node}_{item.use}"
            case "group":
                key = f"g{item.group}"
            case "cells":
                key = f"c{item.group}_{'below' if item.cell else 'above'}"
            case "result":
                key = f"r{next(results)}"
        keys.append(key)
    return keys


def _box(outline: Outline, item: Item, key: str, box: Box, ports: tuple[str, ...]) -> DrawnBox:
    group = None if item.group < 0 else item.group
    return DrawnBox(
        key,
        item.kind,
        None if item.frame < 0 else item.frame,
        *_rounded(box),
        node=item.node,
        user=None if item.user < 0 else item.user,
        edge=item.edge,
        use=item.use,
        uses=item.uses,
        slot=item.slot,
        group=group,
        cell=item.cell,
        cells=item.cells,
        first=item.first,
        last=item.last,
        title="" if group is None else group_title(outline.groups[group], item),
        ports=ports,
    )


def _line(link: Link, keys: list[str], route: Bezier) -> DrawnLine:
    single = link.node >= 0
    return DrawnLine(
        key=f"e{link.node}_{link.edge}" if single else f"{keys[link.source]}-{keys[link.target]}",
        source=link.source,
        target=link.target,
        points=tuple(round(value, 1) for point in route for value in point),
        edges=link.edges,
        node=link.node if single else None,
        edge=link.edge,
        slot=link.slot,
        name=link.name,
    )


def _rounded(box: Box) -> tuple[float, float, float, float]:
    return round(box.x, 1), round(box.y, 1), round(box.width, 1), round(box.height, 1)


def _groups(visible: Visible) -> list[int]:
    """Those drawn; frames around them are drawn too."""
    shown = {item.group for item in visible.items if item.group >= 0}
    shown.update(frame.group for frame in visible.frames)
    return sorted(shown)


def _nodes(visible: Visible) -> list[int]:
    return sorted({item.node for item in visible.items if item.node is not None})

"""The drawing for a live view: as much of a graph as is open, with a place for everything.

The kernel folds and lays out, as for the static picture: a view draws what it is told, and asks again when a
person opens or closes something. A `Drawing` holds what a step does not change; a `Standing` is the run as
far as it is seen there, to which a view adds the records that follow.

Coordinates are CSS pixels, x to the right and y down.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from typing import Literal

from vizgrad.debugger.drawing.cards import (
    group_size,
    group_title,
    head_need,
    node_card,
    pin_card,
    result_card,
)
from vizgrad.debugger.drawing.collectives import collective_size, details_of, rows_of
from vizgrad.debugger.drawing.describe import plain
from vizgrad.debugger.drawing.geometry import Bezier, Box, Size
from vizgrad.debugger.drawing.layered import layered_layout
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.drawing.visible import Item, Link, Opening, Visible, opening, visible_graph
from vizgrad.debugger.model import (
    Branch,
    Breakpoint,
    Buffer,
    CalledCollective,
    Graph,
    Group,
    Modes,
    Name,
    Node,
    NodeRun,
    Ready,
    RunStatus,
    Saved,
    SavedRun,
    Stopped,
    Storage,
    Within,
)
from vizgrad.debugger.session.grouping.outline import Outline

BoxKind = Literal["node", "pin", "group", "cells", "result", "collective"]


@dataclass(frozen=True, slots=True)
class Cell:
    """Number `cell` (counted from 0 in run order) of the equal children of an open `group` is shown."""

    group: int
    cell: int


@dataclass(frozen=True, slots=True)
class Folding:
    """The groups that the user opened and closed; the rest opens by itself as long as there is room.

    Groups around `near` (a node that is to be seen) are opened too.
    """

    opened: tuple[int, ...] = ()
    closed: tuple[int, ...] = ()
    cells: tuple[Cell, ...] = ()
    near: int | None = None


#: Nothing was opened or closed by hand.
AUTOMATIC = Folding()


@dataclass(frozen=True, slots=True)
class DrawnBox:
    """A box with a place.

    - "node": one node. "pin": one use of a leaf `node`, by edge number `edge` of node `user`; it is use `use`
      of `uses` in the whole graph.
    - "group": a closed group. "cells": some equal children of the open group `group`, `cell` ... `cell +
      cells - 1`, in one box.
    - "result": output `slot` of node `node`, from which the backward starts.
    - "collective": number `collective` of `Drawing.collectives`.

    Behind a group or cells are nodes `first` ... `last - 1`. `frame` is the place in `Drawing.frames` of the
    open group that it is in; None: in none. `key` is the same for the same thing in every drawing.
    """

    key: str
    kind: BoxKind
    frame: int | None
    x: float
    y: float
    width: float
    height: float
    node: int | None = None
    user: int | None = None
    edge: int = 0
    use: int = 1
    uses: int = 1
    slot: int = 0
    group: int | None = None
    cell: int = 0
    cells: int = 0
    first: int = 0
    last: int = 0
    title: str = ""
    #: Names of the lines that leave a node, from left to right, as they start; empty where there is one.
    ports: tuple[str, ...] = ()
    collective: int | None = None


@dataclass(frozen=True, slots=True)
class DrawnLine:
    """A line from box number `source` down to box number `target`; it stands for `edges` edges.

    `points` are x and y in turn of a chain of cubic Béziers: the start, then three points for each piece.
    A single edge is identified: number `edge` of node `node`, to input slot `slot`, of the forward input
    `name`.
    """

    key: str
    source: int
    target: int
    points: tuple[float, ...]
    edges: int = 1
    node: int | None = None
    edge: int = 0
    slot: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class DrawnFrame:
    """An open group, around what is in it; `parent` is the place of the frame around it. In a group
    of equal children, `cell` is the one that is shown, None if all are. Its title and the curve of its
    children have room where no line comes in; offsets are from its left edge.
    """

    group: int
    parent: int | None
    x: float
    y: float
    width: float
    height: float
    cell: int | None = None
    title_left: float = 0.0
    title_room: float = 0.0
    curve_left: float = 0.0
    curve_room: float = 0.0


@dataclass(frozen=True, slots=True)
class DrawnCollective:
    """A collective of the run: number `number` of its `group`. Step `step`, of node `node`, has called it;
    it had ended when step `end` was over (None: it has not). `rows` are the texts of its box; `begun` is
    instead of the last of them until it ends. `details` are lines that say more, `nodes` the leaves whose
    gradients it carries.
    """

    group: str
    number: int
    node: int
    step: int
    end: int | None
    rows: tuple[str, ...]
    begun: str
    details: tuple[str, ...]
    nodes: tuple[int, ...] = ()
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """The visible graph with places. `digest` names it: equal ones are the same drawing.

    `groups` are those drawn, closed or open, with all around them; `nodes` those with a box or pin.
    `collectives` are those that the run has called so far, also in steps that were taken back.
    """

    digest: str
    width: float
    height: float
    boxes: tuple[DrawnBox, ...]
    lines: tuple[DrawnLine, ...]
    frames: tuple[DrawnFrame, ...]
    groups: tuple[Group, ...]
    nodes: tuple[Node, ...]
    collectives: tuple[DrawnCollective, ...] = ()


@dataclass(frozen=True, slots=True)
class Tally:
    """How the nodes behind a box, or in a frame, are doing: how many are in each state (the rest of `nodes`
    are "waiting", and one may be "current"), how many saved tensors are stale, and to how many nodes a
    gradient came whose norm is not finite.

    For equal children (a closed group of them, a frame, or a box of cells) `norms` has one entry
    each, in run order, and for more than 128 children 128 entries, each for as many nodes in a row:
    node n belongs to entry ``(n - first) * len(norms) // (last - first)``. It is the norm of the
    gradient that arrived at the node that ran first there; None before that, or if it was undefined.
    `firsts` are those nodes, None before.
    """

    nodes: int
    done: int = 0
    ready: int = 0
    captured: int = 0
    skipped: int = 0
    error: int = 0
    nonfinite: int = 0
    stale: int = 0
    norms: tuple[float | None, ...] = ()
    firsts: tuple[int | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Flow:
    """The gradient that went over the line at this place of `Drawing.lines`, and from which node. norm
    None: an undefined gradient. For several edges there is one for each gradient that was larger
    than all before it (NaN is the largest), in the order of the run: the last is the largest of all.
    `tangents` are the norms of its tangents, in forward mode.
    """

    line: int
    node: int
    norm: float | None
    tangents: tuple[float | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Reached:
    """A node that some gradients have reached, but not all."""

    node: int
    delivered: int
    needed: int


@dataclass(frozen=True, slots=True)
class Standing:
    """The run as a view of one drawing needs it.

    `nodes` stand where those of `Drawing.nodes` do, `boxes` (of groups and cells; None for others) and
    `frames` where theirs do. `counts` is the number of nodes in each state, as listed in `NodeState`.
    `storages` are those that were written or hold something stale, and those of the nodes drawn; `quiet` is
    how many others there are. `stale` counts stale saved tensors of the whole graph. `saved` are those of
    nodes drawn that are not as `Drawing.nodes` says. `names` are of the nodes that are spoken of here and
    not drawn. `ending` says why a closed session was closed.
    `grows`: the run records a graph of second order, which has a lane (`GetLane`); `recomputes`: a checkpoint
    computes values again in it, which has one, too. `can_change`: a gradient can be changed at a pause;
    `one_way`: only where the run has come to, as it runs no node twice.
    `nonfinite`: Continue stops where a NaN or an infinity is born. `breakpoints` are the nodes before which
    it may stop, `breakpoint_list` what was set; `logged`: how many messages breakpoints have written.
    """

    status: RunStatus
    position: int
    recorded: int
    total: int
    current: int | None
    earliest: int
    error: str
    modes: Modes
    breakpoints: tuple[int, ...]
    counts: tuple[int, ...]
    nodes: tuple[NodeRun, ...]
    boxes: tuple[Tally | None, ...]
    frames: tuple[Tally, ...]
    flows: tuple[Flow, ...]
    ready: tuple[Ready, ...]
    buffers: tuple[Buffer, ...]
    reached: tuple[Reached, ...]
    saved: tuple[SavedRun, ...]
    storages: tuple[Storage, ...]
    quiet: int
    stale: int
    names: tuple[Name, ...]
    ending: str = ""
    stopped: Stopped | None = None
    nonfinite: bool = True
    breakpoint_list: tuple[Breakpoint, ...] = ()
    branches: tuple[Branch, ...] = ()
    within: Within | None = None
    grows: bool = False
    recomputes: bool = False
    one_way: bool = False
    can_change: bool = True
    logged: int = 0


# From a graph, so folded, to the drawing that a view is given.

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


def draw(
    outline: Outline,
    recorded: Callable[[int], Node],
    folding: Folding,
    called: Sequence[CalledCollective] = (),
) -> Drawing:
    """`recorded` describes a node, with its saved values as they were before the run."""
    describe = cache(recorded)
    visible = visible_graph(outline, describe, _opened(outline, folding), called)
    ports: list[list[str]] = [[] for _ in visible.items]
    for link in visible.links:
        ports[link.source].append(link.name)
    sizes: list[Size] = []
    names: list[tuple[str, ...]] = []
    for item, starts in zip(visible.items, ports, strict=True):
        size, named = _size(outline, describe, item, tuple(starts), called)
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
    nodes = tuple(for_browser(describe(node)) for node in _nodes(visible))
    collectives = tuple(_collective(each, describe) for each in called)
    placed = (width, height, boxes, lines, frames)
    return Drawing(
        digest=_digest((*placed, collectives) if collectives else placed, groups, nodes),
        width=width,
        height=height,
        boxes=boxes,
        lines=lines,
        frames=frames,
        groups=groups,
        nodes=nodes,
        collectives=collectives,
    )


def _collective(called: CalledCollective, describe: Callable[[int], Node]) -> DrawnCollective:
    call = called.call
    begun = called.at(called.step + 1) or call
    return DrawnCollective(
        plain(call.group, 60),
        call.number,
        called.node,
        called.step,
        called.end,
        rows_of(call),
        rows_of(begun)[2],
        tuple(details_of(describe, called, call)),
        call.nodes,
        bool(call.error),
    )


def for_browser(node: Node) -> Node:
    """A leaf without its sequence number, 2**64 - 1: no number of a browser is that exactly, and Python in a
    browser (pyodide) makes a BigInt of it, which cannot be sent. The view says "leaf".
    """
    return replace(node, sequence_nr=0) if node.kind == "leaf" else node


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
    outline: Outline,
    describe: Callable[[int], Node],
    item: Item,
    ports: tuple[str, ...],
    called: Sequence[CalledCollective],
) -> tuple[Size, tuple[str, ...]]:
    """The size of a box, and the names of the lines that leave it."""
    if item.kind == "collective":
        return collective_size(called[item.collective]), ()
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
            case "collective":
                key = f"k{item.collective}"
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
        collective=None if item.collective < 0 else item.collective,
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

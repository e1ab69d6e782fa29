"""The box of a node, a pin or a result, and the head of a frame: its contents, and so its size.

Sizes do not depend on how far a run is: nothing moves while one is stepped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vizgrad.debugger.drawing.chips import (
    LEAST_BADGE,
    Row,
    chip_rows,
    label,
    output_text,
    set_rows,
    state_badge,
    state_sign,
    text_badge,
)
from vizgrad.debugger.drawing.describe import (
    bytes_text,
    count_text,
    number_text,
    place_text,
    plain,
    saved_text,
    shape_text,
    sizes_text,
    tangent_text,
    type_text,
)
from vizgrad.debugger.drawing.geometry import Box, Head, HeadNeed, Point, Size, text_width
from vizgrad.debugger.drawing.overlay import (
    RunView,
    count_of,
    most_of,
    role_of,
    state_text,
    texts_of,
)
from vizgrad.debugger.drawing.scene import Group as Shapes
from vizgrad.debugger.drawing.scene import Poly, Rect, Shape, Text
from vizgrad.debugger.drawing.title_forms import fitted_title, shortened
from vizgrad.debugger.drawing.visible import Frame, Item
from vizgrad.debugger.model import Graph, Group, Node, NodeState, Run, Saved

# --- norm curve ------------------------------------------------------------------------------------------
# One gradient norm for each of many equal layers, as a small curve: what vanishes or explodes is seen.


Norms = Sequence[float | None]

#: With more equal layers than these, several in a row share one point of the curve.
MOST_POINTS = 128
#: From the first to the last norm it falls or grows by less than this: not worth a word.
_WORTH = 10.0
#: Space above and below the line, and what is left of a curve beside its words.
_AIR, _LEAST_PLOT = 3.0, 40.0
#: The words end where the box does: in a wider font than was guessed they grow towards the curve.
_WIDER = 1.15


def cell_norms(run: Run, first: int, last: int, cells: int) -> list[float | None]:
    """For each of `cells` equal stretches of nodes the norm of the gradient that arrived at its
    node that ran first: the gradient that entered the layer from above. None before that, or if it was
    undefined.
    """
    points = min(cells, MOST_POINTS)
    size = last - first
    earliest: list[int | None] = [None] * points
    norms: list[float | None] = [None] * points
    for node in range(first, last):
        order = run.nodes[node].order
        point = (node - first) * points // size
        known = earliest[point]
        if order is not None and (known is None or order < known):
            earliest[point], norms[point] = order, run.nodes[node].grad_norm
    return norms


def curve_with_words(norms: Norms, box: Box) -> tuple[Shape, ...]:
    """The curve in a box, beside it in words what is to be seen at once; nothing while it is one dot."""
    seen = [norm for norm in norms if norm is not None]
    if len(seen) == 1 and math.isfinite(seen[0]) and seen[0] > 0:
        return ()
    words = trend_text(norms)
    room = text_width(words, 11, bold=True) * _WIDER + 6 if words else 0.0
    if box.width - room < _LEAST_PLOT:
        words, room = "", 0.0
    plot = Box(box.x, box.y, box.width - room, box.height)
    shapes = curve_shapes(norms, plot)
    if not words:
        return shapes
    middle = box.y + box.height / 2 + 4
    return (*shapes, Text(box.right, middle, words, "trend", "end"))


def trend_text(norms: Norms) -> str:
    """``3 not finite``, ``falls 650×``, ``grows 3e4×``, ``falls to 0``; empty where nothing is unusual."""
    seen = [norm for norm in norms if norm is not None]
    odd = sum(not math.isfinite(norm) for norm in seen)
    if odd:
        return f"{odd:,} not finite"
    if not seen or seen[0] == 0:
        return ""
    if seen[-1] == 0:
        return "falls to 0"
    falls = seen[0] / seen[-1]
    if falls >= _WORTH:
        return f"falls {_times(falls)}"
    return f"grows {_times(seen[-1] / seen[0])}" if falls <= 1 / _WORTH else ""


def _times(factor: float) -> str:
    """``650×``, ``3e4×``."""
    return number_text(factor, 2) + "×"


def curve_shapes(norms: Norms, box: Box) -> tuple[Shape, ...]:
    """Norms from left to right as the run goes, on a logarithmic scale of at least one decade. Where nothing
    has arrived there is a gap, 0 is a mark at the lower edge, and NaN and inf are bars from edge to edge.
    """
    logs = [_log(norm) for norm in norms]
    shown = [log for log in logs if log is not None]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    middle, span = (low + high) / 2, max(high - low, 1.0)
    step = box.width / max(len(norms), 1)
    height = box.height - 2 * _AIR
    shapes: list[Shape] = [Rect(box.x, box.y, box.width, box.height, 2, "plot")]
    line: list[Point] = []

    def ends() -> None:
        if len(line) > 1:
            shapes.append(Poly(tuple(line), "curve", closed=False))
        elif line:
            (x, y), *_ = line
            shapes.append(Rect(x - 1.5, y - 1.5, 3, 3, 1.5, "curve dot"))
        line.clear()

    for place, (norm, log) in enumerate(zip(norms, logs, strict=True)):
        x = box.x + (place + 0.5) * step
        if log is not None:
            line.append((x, box.y + _AIR + height * (0.5 - (log - middle) / span)))
            continue
        ends()
        if norm == 0:
            shapes.append(Rect(x - 1.5, box.bottom - 4, 3, 4, 0, "curve zero"))
        elif norm is not None:
            width = min(max(step, 2.0), 4.0)
            shapes.append(Rect(x - width / 2, box.y, width, box.height, 0, "curve nonfinite"))
    ends()
    return tuple(shapes)


def _log(norm: float | None) -> float | None:
    """Its logarithm, if it can be drawn."""
    return math.log10(norm) if norm is not None and 0 < norm < math.inf else None


# --- group cards -----------------------------------------------------------------------------------------
# The box of a closed group, or of equal children of an open one: its contents, and so its size.


#: Height of the curve of the gradients of equal children, where there are some.
CURVE = 34.0
#: Room beside the title, for the sign of the state and what a person clicks to open the group.
_SIGNS = 40.0
_LEAST = 176.0
#: The edges of the sheets below the first: it is more than one thing.
_SHEETS = 6.0


def group_title(group: Group, item: Item) -> str:
    """The title of a group, of a loop with the number of its equal turns; or for cells which ones of how
    many: they are counted as they were recorded.
    """
    if item.kind == "group":
        times = f" × {group.cells:,}" if group.kind == "loop" and group.cells > 1 else ""
        return shortened(group.title) + times
    last = group.cells - item.cell
    first = last - item.cells + 1
    which = f"{last:,}" if first == last else f"{first:,} … {last:,}"
    return f"{which} of {group.cells:,}"


def group_size(group: Group, item: Item) -> Size:
    """The size of a group's box, or of some of its equal children, as it is now and will be."""
    title = text_width(group_title(group, item), 13, bold=True) + _SIGNS
    count = item.last - item.first
    width = max(title, text_width(_done_text(count, count), 11), _LEAST) + 2 * PADDING
    height = 6 + 18 + 16 + 16 + 14 + (CURVE if curved(group, item) else 0)
    return Size(width + _SHEETS, height + _SHEETS)


def curved(group: Group, item: Item) -> bool:
    """Does its box show a curve: has it several equal children?"""
    return cells_of(group, item) > 1


def cells_of(group: Group, item: Item) -> int:
    """How many equal children are behind a box."""
    return group.cells if item.kind == "group" else item.cells


def group_card(graph: Graph, view: RunView, item: Item) -> Card:
    """The card of a closed group, drawn from (0, 0)."""
    group = graph.groups[item.group]
    size = group_size(group, item)
    width, height = size.width - _SHEETS, size.height - _SHEETS
    nodes = [graph.nodes[index] for index in item.nodes]
    title = label(group_title(group, item), "name", 13)
    state = _state(view, item.nodes) if view.run else None
    saved = _saved_facts(view, nodes)
    wrong = view.odd(item.nodes) > 0
    if state is None:
        facts = [[count_text(len(nodes), "node"), *saved], [_common_names(nodes)]]
    else:
        facts = [[progress_text(view, item.nodes)], [*_worries(view, item.nodes), *saved]]
        if view.run and not curved(group, item):
            (norm,) = cell_norms(view.run, item.first, item.last, 1)
            facts[0] += [] if norm is None else [f"‖g‖ {number_text(norm, 3)}"]
    most = None if view.beside is None else most_of(item.nodes, view.beside)
    if view.beside is not None:
        at_most = ", ".join(() if most is None else texts_of(most)[:1])
        facts = [[count_text(len(nodes), "node"), count_of(item.nodes, view.beside)], [at_most]]
    inside = width - 2 * PADDING
    rows = [
        Row(18, (title,) if state is None else (state_sign(state, 13, wrong=wrong), title), gap=6),
        *(Row(16, (label(_fitting(line, inside), "caption", 11),)) for line in facts),
    ]
    sheets = tuple(Rect(d, d, width, height, 7, "sheet") for d in (_SHEETS, _SHEETS / 2))
    body = Rect(0, 0, width, height, 7, "body")
    contents = set_rows(rows, (PADDING, 6.0), inside)
    if curved(group, item) and view.run:
        box = Box(PADDING, 6.0 + 50 + 4, inside, CURVE - 4)
        norms = cell_norms(view.run, item.first, item.last, cells_of(group, item))
        contents += curve_with_words(norms, box)
    role = "fold" if state in (None, "waiting") else f"fold {state}"
    role += " odd" if wrong else ""
    role += role_of(most)
    where = f"\nrecorded at {place_text(group.place)}" if group.place else ""
    return Card(size, Shapes((*sheets, body, *contents), role, plain(group.title) + where))


def progress_text(view: RunView, nodes: range) -> str:
    """``12 of 40 nodes done``, of nodes in a run."""
    done = sum(run.state == "done" for index in nodes if (run := view.node(index)))
    return _done_text(done, len(nodes))


def _done_text(done: int, count: int) -> str:
    return f"{done:,} of {count_text(count, 'node')} done"


def _state(view: RunView, nodes: range) -> NodeState:
    """The most urgent of what is in it; done when nothing is left to do."""
    states = {run.state for index in nodes if (run := view.node(index))}
    urgency: tuple[NodeState, ...] = (
        "error", "current", "ready", "waiting", "done", "captured", "skipped",
    )  # fmt: skip
    return next(state for state in urgency if state in states)


def _worries(view: RunView, nodes: range) -> list[str]:
    """The fact that the user needs first."""
    runs = [run for index in nodes if (run := view.node(index))]
    found = (
        (sum(run.state == "error" for run in runs), "failed"),
        (view.odd(nodes), "not finite"),
    )
    return [f"{count:,} {word}" for count, word in found if count]


def _saved_facts(view: RunView, nodes: list[Node]) -> list[str]:
    held = view.held_bytes(nodes)
    stale = sum(value.state == "stale" for node in nodes for value in view.saved(node))
    facts = [f"{stale:,} stale"] if stale else []
    return [*facts, f"{bytes_text(held)} saved"] if held else facts


def _common_names(nodes: list[Node]) -> str:
    """``MulBackward0 ×12, …``: what a group is made of."""
    counts = Counter(node.name for node in nodes).most_common(2)
    name, count = counts[0]
    shown = plain(name, 20)
    return (f"{shown} ×{count:,}" if count > 1 else shown) + (", …" if len(counts) > 1 else "")


def _fitting(facts: list[str], width: float) -> str:
    """As many of them as there is room for."""
    text = facts[0] if facts else ""
    for fact in facts[1:]:
        longer = f"{text} · {fact}"
        if text_width(longer, 11) > width:
            break
        text = longer
    return text


# --- cards -----------------------------------------------------------------------------------------------


PADDING = 10.0
#: Space above the name, and heights of the rows of a card; `extension/src/view/graph/card.ts` has them too.
TOP, NAME, TYPE, PORT = 4.0, 17.0, 15.0, 14.0
#: Chips are set in rows of at most this width.
WRAP = 210.0
_NAME_LIMIT, _LABEL_LIMIT, _PORT_LIMIT = 40, 28, 14


@dataclass(frozen=True, slots=True)
class Card:
    """The inside of one box. `ports` names the lines that leave it, from left to right; `footer` is the
    height of what lies below its frame.
    """

    size: Size
    group: Shapes
    ports: tuple[str, ...] = ()
    footer: float = 0.0


def node_card(view: RunView, node: Node, ports: tuple[str, ...]) -> Card:
    """The card of a node, drawn from (0, 0); `ports` names the lines that will leave it."""
    run = view.node(node.id)
    saved = view.saved(node)
    rows = [Row(NAME, (label(plain(node.name, _NAME_LIMIT), "name", 13),))]
    kind = label(output_text(node), "type", 11)
    least = kind.width + 14 + LEAST_BADGE if run or view.beside is not None else 84.0
    chips = chip_rows(saved, max(WRAP, kind.width + 14 + LEAST_BADGE))
    if chips:
        rows += [Row(2, ()), *chips]
    names = tuple(plain(name, _PORT_LIMIT) for name in ports) if len(ports) > 1 else ()
    labels = tuple(label(name, "port", 0).width + 10 if name else 16.0 for name in names)
    side = PADDING + (6 if node.kind == "function" else 0)
    inside = max(*(row.width for row in rows), kind.width, sum(labels) - 10, least)
    width = inside + 2 * side
    made = view.made(node)
    found = None if view.beside is None else view.beside.get(node.id)
    room = inside - kind.width - 14
    badge = (
        state_badge(run, 11, room, made=made)
        if found is None
        else text_badge(texts_of(found), 11, room)
    )
    rows.insert(1, Row(TYPE, (kind,), badge, gap=14))
    height = sum(row.height for row in rows) + TOP + (1 if chips else 5)
    height += PORT if any(names) else 0
    body = _body(node.kind, width, height)
    contents = set_rows(rows, (side, TOP), inside)
    wrong = made is not None or view.odd([node.id])
    state = f" {run.state}{' odd' if wrong else ''}" if run else ""
    state = state if view.beside is None else role_of(found)
    return Card(
        Size(width, height, labels or (16.0,) * len(ports), max(len(node.outputs), 1)),
        Shapes((*body, *contents), f"{node.kind}{state}", "\n".join(_details(view, node, saved))),
        names,
    )


def _details(view: RunView, node: Node, saved: tuple[Saved, ...]) -> list[str]:
    """Lines of the text that is shown on hovering, where the picture is part of the page."""
    lines = [f"{plain(node.name)} (node {node.id})"]
    if node.label:
        lines[0] = f"{plain(node.name)} of {plain(node.label)} (node {node.id})"
    if run := view.node(node.id):
        lines.append(state_text(run) + (f": {plain(run.reason)}" if run.reason else ""))
        if run.tangents:
            norms = f"{number_text(run.grad_norm)}, its tangent{sizes_text(run.tangents, 4)}"
            lines.append(f"gradient ‖g‖ {norms}")
    lines += [
        f"output {i}: {type_text(o.shape, o.dtype, o.batches)}" for i, o in enumerate(node.outputs)
    ]
    for value in saved:
        size = f"  {shape_text(value.shape)} {bytes_text(value.bytes)}" if value.bytes else ""
        lines.append(f"saved {saved_text(value)}{size}")
        of = type_text(value.shape, value.dtype)
        lines += [f"  its tangent ↑ {of}  {tangent_text(t, value.dtype)}" for t in value.tangents]
    if node.scope:
        lines.append("scope " + " / ".join(plain(part) for part in node.scope))
    if node.place:
        lines.append(f"recorded at {place_text(node.place)}: {plain(node.place.text)}".rstrip(": "))
    return lines


def _body(kind: str, width: float, height: float) -> tuple[Shape, ...]:
    """The outline, which tells the kind of a node also without colour."""
    if kind == "function":
        left = Poly(((5, 0), (5, height)), "bar", closed=False)
        right = Poly(((width - 5, 0), (width - 5, height)), "bar", closed=False)
        return (Rect(0, 0, width, height, 2, "body"), left, right)
    if kind == "copy_slices":
        cut = 12.0
        outline = ((0, 0), (width - cut, 0), (width, cut), (width, height), (0, height))
        corner = ((width - cut, 0), (width - cut, cut), (width, cut))
        return (Poly(outline, "body"), Poly(corner, "corner", closed=False))
    radius = {"root": height / 2, "leaf": height / 2}.get(kind, 7.0)
    return (Rect(0, 0, width, height, min(radius, 18.0), "body"),)


def pin_card(view: RunView, node: Node, item: Item) -> Card:
    """The card of one use of a leaf."""
    run = view.node(node.id)
    name = plain(node.label or node.name, _LABEL_LIMIT)
    kind = [label(output_text(node), "type", 11)] if node.outputs else []
    if item.uses > 1:
        kind.append(label(f"use {item.use:,} of {item.uses:,}", "caption", 11))
    sign = [state_sign(run.state, 12, wrong=bool(view.odd([node.id])))] if run else []
    rows = [Row(14, (*sign, label(name, "name", 12, font="leaf name")), gap=4)]
    if kind:
        rows.append(Row(15, tuple(kind)))
    found = None if view.beside is None else view.beside.get(node.id)
    if found is not None and (texts := texts_of(found)):
        rows.append(Row(14, (label(texts[0], "differing", 11, font="caption"),)))
    side = 14.0
    width = max(*(row.width for row in rows), 30.0) + 2 * side
    height = sum(row.height for row in rows) + 6
    contents = set_rows(rows, (side, 3.0), width - 2 * side)
    state = f" {run.state}{' odd' if view.odd([node.id]) else ''}" if run else ""
    state = state if view.beside is None else role_of(found)
    title = "\n".join(_details(view, node, ()))
    group = Shapes((*_body("leaf", width, height), *contents), f"leaf{state}", title)
    return Card(Size(width, height), group)


def result_card(item: Item, results: int) -> Card:
    """The mark of a tensor that the backward starts from, one of `results`."""
    number = f" {item.slot}" if results > 1 and item.slot else ""
    width, height = text_width(f"result{number}", 11.5, bold=True) + 24, 20.0
    shapes = (
        Rect(0, 0, width, height, height / 2, "body"),
        Text(width / 2, 14, f"result{number}", "name", "middle"),
    )
    return Card(Size(width, height), Shapes(shapes, "result"))


# --- heads of frames ----------------------------------------------------------------------------------


_SIZE = 11.5
#: A frame is not made wider for more of its title than this.
_LEAST_TITLE = 240.0
_LEAST_CURVE, _MOST_CURVE = 132.0, 240.0


def frame_title(group: Group, frame: Frame) -> str:
    """The title of an open group; if it shows one of many equal children also which."""
    return shortened(group.title) + _which(group, frame)


def _which(group: Group, frame: Frame) -> str:
    return "" if frame.cell < 0 else f" · {group.cells - frame.cell:,} of {group.cells:,}"


def head_need(group: Group, frame: Frame, buttons: float = 0.0, enlarged: float = 1.0) -> HeadNeed:
    """The room that a frame needs for its title, `buttons` beside it, and a curve if there is one at
    any time. Which of equal children it shows is never cut. `enlarged`: how much larger it may be
    written than in a file.
    """
    title = text_width(shortened(group.title), _SIZE, bold=True)
    others = text_width(_which(group, frame), _SIZE, bold=True) * enlarged + buttons
    curve = _LEAST_CURVE if group.cells > 1 else 0.0
    return HeadNeed(title * enlarged + others, min(title, _LEAST_TITLE) + others, curve)


def head_shapes(
    group: Group, frame: Frame, box: Box, head: Head, nested: str, run: Run | None
) -> tuple[Shape, ...]:
    """The head of a frame in `box`; `nested` is the role of a frame in a frame."""
    which = _which(group, frame)
    room = head.title_room - text_width(which, _SIZE, bold=True)
    words = fitted_title(shortened(group.title), room, _SIZE) + which
    title = Text(box.x + head.title, box.y + 17, words, f"scope halo{nested}")
    if run is None or group.cells < 2 or not head.curve_room:
        return (title,)
    width = min(head.curve_room, _MOST_CURVE)
    norms = cell_norms(run, group.first, group.last, group.cells)
    right = box.x + head.curve + head.curve_room
    return title, *curve_with_words(norms, Box(right - width, box.y + 4, width, 17))

"""The box of each visible item: its contents, and so its size."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from vizgrad.inspection.model import Graph, Node, Saved
from vizgrad.rendering.chips import CHIP_GAP, CHIP_HEIGHT, saved_chips, state_badge
from vizgrad.rendering.describe import (
    bytes_text,
    count_text,
    place_text,
    plain,
    saved_text,
    shape_text,
    type_text,
)
from vizgrad.rendering.geometry import Size
from vizgrad.rendering.headings import output_text
from vizgrad.rendering.overlay import RunView, state_text
from vizgrad.rendering.rows import Row, label, set_rows, wrapped
from vizgrad.rendering.scene import Group, Poly, Rect, Shape
from vizgrad.rendering.visible import Item

PADDING = 10.0
#: Chips are set in rows of at most this width.
WRAP = 210.0
_NAME_LIMIT, _LABEL_LIMIT, _PORT_LIMIT = 40, 28, 14


@dataclass(frozen=True, slots=True)
class Card:
    """The inside of one box. `ports` names the lines that leave it, from left to right."""

    size: Size
    group: Group
    ports: tuple[str, ...] = ()


def make_card(graph: Graph, view: RunView, item: Item, ports: tuple[str, ...] = ()) -> Card:
    """The card of an item, drawn from (0, 0); `ports` names the lines that will leave it."""
    if item.node is None:
        return _fold_card(graph, view, item)
    node = graph.nodes[item.node]
    if item.kind == "result":
        return _result_card(graph, item)
    if item.kind == "pin":
        return _pin_card(view, node, item)
    return _node_card(view, node, item, ports)


def _node_card(view: RunView, node: Node, item: Item, ports: tuple[str, ...]) -> Card:
    run = view.node(node.id)
    saved = view.saved(node)
    caption = label(item.title, "caption", 13) if item.title else None
    rows = [Row(18, (label(plain(node.name, _NAME_LIMIT), "name", 13),), caption, gap=14)]
    badge = state_badge(run, 11)
    kind = label(output_text(node), "type", 11)
    rows.append(Row(17, (kind,), badge, gap=14))
    chips = wrapped(saved_chips(saved), WRAP, CHIP_HEIGHT + CHIP_GAP, CHIP_GAP)
    if chips:
        rows += [Row(3, ()), *chips]
    names = tuple(plain(name, _PORT_LIMIT) for name in ports) if len(ports) > 1 else ()
    labels = tuple(label(name, "port", 0).width + 10 if name else 16.0 for name in names)
    side = PADDING + (6 if node.kind == "function" else 0)
    width = max(*(row.width for row in rows), sum(labels) - 10, 84.0) + 2 * side
    height = sum(row.height for row in rows) + 14 + (13 if any(names) else 0)
    body = _body(node.kind, width, height)
    contents = set_rows(rows, (side, 6.0), width - 2 * side)
    state = f" {run.state}" if run else ""
    return Card(
        Size(width, height, labels or (16.0,) * len(ports), max(len(node.outputs), 1)),
        Group((*body, *contents), f"{node.kind}{state}", "\n".join(_details(view, node, saved))),
        names,
    )


def _details(view: RunView, node: Node, saved: tuple[Saved, ...]) -> list[str]:
    """Lines of the text that is shown on hovering, where the picture is part of the page."""
    lines = [f"{plain(node.name)} (node {node.id})"]
    if node.label:
        lines[0] = f"{plain(node.name)} of {plain(node.label)} (node {node.id})"
    if run := view.node(node.id):
        lines.append(state_text(run) + (f": {plain(run.reason)}" if run.reason else ""))
    lines += [f"output {i}: {type_text(o.shape, o.dtype)}" for i, o in enumerate(node.outputs)]
    for value in saved:
        size = f"  {shape_text(value.shape)} {bytes_text(value.bytes)}" if value.bytes else ""
        lines.append(f"saved {saved_text(value)}{size}")
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


def _pin_card(view: RunView, node: Node, item: Item) -> Card:
    run = view.node(node.id)
    name = plain(node.label or node.name, _LABEL_LIMIT)
    kind = [label(output_text(node), "type", 10)] if node.outputs else []
    if item.uses > 1:
        kind.append(label(f"use {item.use} of {item.uses}", "caption", 10))
    rows = [Row(16, (label(name, "name", 12, font="leaf name"),), state_badge(run, 12), gap=12)]
    if kind:
        rows.append(Row(14, tuple(kind)))
    side = 14.0
    width = max(*(row.width for row in rows), 30.0) + 2 * side
    height = sum(row.height for row in rows) + 8
    contents = set_rows(rows, (side, 4.0), width - 2 * side)
    state = f" {run.state}" if run else ""
    title = "\n".join(_details(view, node, ()))
    group = Group((*_body("leaf", width, height), *contents), f"leaf{state}", title)
    return Card(Size(width, height), group)


def _result_card(graph: Graph, item: Item) -> Card:
    number = f" {item.slot}" if len(graph.roots) > 1 and item.slot else ""
    mark = label(f"result{number}", "name", 14, font="leaf name")
    width, height = mark.width + 24, 20.0
    shapes = (
        Rect(0, 0, width, height, height / 2, "body"),
        *set_rows([Row(20, (mark,))], (12, 0), 0),
    )
    return Card(Size(width, height), Group(shapes, "result"))


def _fold_card(graph: Graph, view: RunView, item: Item) -> Card:
    nodes = [graph.nodes[index] for index in item.nodes]
    saved = [value for node in nodes for value in view.saved(node)]
    held = sum(value.bytes for value in saved if value.state in ("alive", "stale", "packed"))
    stale = sum(value.state == "stale" for value in saved)
    facts = [count_text(len(nodes), "node")]
    if held:
        facts.append(f"{bytes_text(held)} saved")
    rows = [
        Row(18, (label(item.title, "name", 13),)),
        Row(16, (label(" · ".join(facts), "caption", 11),)),
        Row(16, (label(_common_names(nodes), "caption", 11),)),
    ]
    if stale:
        chip = saved_chips((Saved(count_text(stale, "value"), "stale"),))[0]
        rows += [Row(3, ()), Row(CHIP_HEIGHT + CHIP_GAP, (chip,))]
    if view.run:
        rows.append(Row(16, (label(_progress(view, item.nodes), "caption", 11),)))
    width = max(row.width for row in rows) + 2 * PADDING
    height = sum(row.height for row in rows) + 14
    sheets = tuple(Rect(d, d, width, height, 7, "sheet") for d in (6.0, 3.0))
    body = Rect(0, 0, width, height, 7, "body")
    contents = set_rows(rows, (PADDING, 6.0), width - 2 * PADDING)
    states = {run.state for index in item.nodes if (run := view.node(index))}
    state = next((word for word in ("error", "current", "ready") if word in states), "")
    if not state and states == {"done"}:
        state = "done"
    role = f"fold {state}".rstrip()
    return Card(Size(width + 6, height + 6), Group((*sheets, body, *contents), role, item.title))


def _common_names(nodes: list[Node]) -> str:
    """``MulBackward0 ×12, AddBackward0 ×3, …``: what a folded scope is made of."""
    counts = Counter(node.name for node in nodes).most_common(3)
    shown = [
        f"{plain(name, 24)} ×{count}" if count > 1 else plain(name, 24) for name, count in counts
    ]
    return ", ".join(shown[:2]) + (", …" if len(counts) > 2 else "")


def _progress(view: RunView, nodes: tuple[int, ...]) -> str:
    counts = Counter(run.state for index in nodes if (run := view.node(index)))
    words = [f"done {counts['done']}/{len(nodes)}"]
    words += [f"{counts[word]} {word}" for word in ("ready", "error", "skipped") if counts[word]]
    if counts["current"]:
        words.append("current inside")
    return " · ".join(words)

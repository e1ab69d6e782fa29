"""The box of a node, a pin or a result: its contents, and so its size.

Sizes do not depend on how far a run is: nothing moves while one is stepped.
"""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.drawing.card_rows import Row, label, set_rows
from vizgrad.debugger.drawing.chips import (
    LEAST_BADGE,
    chip_rows,
    state_badge,
    state_sign,
    text_badge,
)
from vizgrad.debugger.drawing.describe import (
    bytes_text,
    number_text,
    place_text,
    plain,
    saved_text,
    shape_text,
    sizes_text,
    tangent_text,
    type_text,
)
from vizgrad.debugger.drawing.difference_overlay import role_of, texts_of
from vizgrad.debugger.drawing.geometry import Size
from vizgrad.debugger.drawing.headings import output_text
from vizgrad.debugger.drawing.metrics import text_width
from vizgrad.debugger.drawing.overlay import RunView, state_text
from vizgrad.debugger.drawing.scene import Group, Poly, Rect, Shape, Text
from vizgrad.debugger.drawing.visible import Item
from vizgrad.debugger.model import Node, Saved

PADDING = 10.0
#: Space above the name, and heights of the rows of a card; `extension/src/view/graph/card.ts` has them too.
TOP, NAME, TYPE, PORT = 4.0, 17.0, 15.0, 14.0
#: Chips are set in rows of at most this width.
WRAP = 210.0
_NAME_LIMIT, _LABEL_LIMIT, _PORT_LIMIT = 40, 28, 14


@dataclass(frozen=True, slots=True)
class Card:
    """The inside of one box. `ports` names the lines that leave it, from left to right."""

    size: Size
    group: Group
    ports: tuple[str, ...] = ()


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
    group = Group((*_body("leaf", width, height), *contents), f"leaf{state}", title)
    return Card(Size(width, height), group)


def result_card(item: Item, results: int) -> Card:
    """The mark of a tensor that the backward starts from, one of `results`."""
    number = f" {item.slot}" if results > 1 and item.slot else ""
    width, height = text_width(f"result{number}", 11.5, bold=True) + 24, 20.0
    shapes = (
        Rect(0, 0, width, height, height / 2, "body"),
        Text(width / 2, 14, f"result{number}", "name", "middle"),
    )
    return Card(Size(width, height), Group(shapes, "result"))

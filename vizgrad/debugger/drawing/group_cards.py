"""The box of a closed group, or of equal children of an open one: its contents, and so its size."""

from __future__ import annotations

from collections import Counter

from vizgrad.debugger.drawing.card_rows import Row, label, set_rows
from vizgrad.debugger.drawing.cards import PADDING, Card
from vizgrad.debugger.drawing.chips import state_sign
from vizgrad.debugger.drawing.describe import (
    bytes_text,
    count_text,
    number_text,
    place_text,
    plain,
)
from vizgrad.debugger.drawing.difference_overlay import count_of, most_of, role_of, texts_of
from vizgrad.debugger.drawing.geometry import Box, Size
from vizgrad.debugger.drawing.metrics import text_width
from vizgrad.debugger.drawing.norm_curve import cell_norms, curve_with_words
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.drawing.scene import Group as Shapes
from vizgrad.debugger.drawing.scene import Rect
from vizgrad.debugger.drawing.visible import Item
from vizgrad.debugger.model import Graph, Group, Node, NodeState

#: A title is cut to so many characters, in its middle.
TITLE_LIMIT = 44
#: Height of the curve of the gradients of equal children, where there are some.
CURVE = 34.0
#: Room beside the title, for the sign of the state and what a person clicks to open the group.
_SIGNS = 40.0
_LEAST = 176.0
#: The edges of the sheets below the first: it is more than one thing.
_SHEETS = 6.0


def group_title(group: Group, item: Item) -> str:
    """Of a group its own, of cells which ones of how many: they are counted as they were recorded."""
    if item.kind == "group":
        return shortened(group.title)
    last = group.cells - item.cell
    first = last - item.cells + 1
    which = f"{last:,}" if first == last else f"{first:,} … {last:,}"
    return f"{which} of {group.cells:,}"


def shortened(title: str) -> str:
    """A title that fits a box; what is too long loses its middle."""
    title = plain(title)
    if len(title) <= TITLE_LIMIT:
        return title
    half = (TITLE_LIMIT - 1) // 2
    return f"{title[:half]}…{title[-half:]}"


def group_size(group: Group, item: Item) -> Size:
    """Of the box of a group, or of some of its equal children, as it is now and will be."""
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
    """What a person is to know first."""
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

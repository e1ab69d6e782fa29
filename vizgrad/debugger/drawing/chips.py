"""Words and small marks: around a picture its title, counts and state; on a card a chip for each saved value.

Each state of a saved value has a shape of its own: round corners while it is as saved, cut corners
and a warning sign once it is stale, a broken outline once it is freed, square corners when a hook
packed it. Only a stale one says more than its version: a card keeps its size when a run frees values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from vizgrad.debugger.drawing.describe import (
    bytes_text,
    count_text,
    counter_text,
    plain,
    tangents_text,
    type_text,
    version_text,
    write_text,
)
from vizgrad.debugger.drawing.geometry import MONO, SANS, Point, text_width
from vizgrad.debugger.drawing.overlay import RunView, badge_texts, odd
from vizgrad.debugger.drawing.scene import Group, Poly, Rect, Shape, Text
from vizgrad.debugger.model import Graph, Node, NodeRun, NodeState, Run, Saved, SavedState

# --- the words around a picture -----------------------------------------------------------------------


#: Footnotes on stale values; the rest is counted.
MOST_NOTES = 5
_UNUSUAL: tuple[SavedState, ...] = ("stale", "freed", "packed")


def graph_title(graph: Graph) -> str:
    return plain(graph.title, 80) or "Backward graph"


def graph_summary(graph: Graph, view: RunView) -> str:
    """``12 nodes · 4 leaves · 5 saved values, 1.2 kB · 1 stale``."""
    leaves = sum(node.kind == "leaf" for node in graph.nodes)
    saved = [value for node in graph.nodes for value in view.saved(node) if not value.value]
    held = view.held_bytes(graph.nodes)
    parts = [count_text(len(graph.nodes), "node"), count_text(leaves, "leaf", "leaves")]
    if saved:
        parts.append(f"{count_text(len(saved), 'saved value')}, {bytes_text(held)}")
    counts = Counter(value.state for value in saved)
    parts += [f"{counts[state]:,} {state}" for state in _UNUSUAL if counts[state]]
    if graph.truncated:
        parts.append(f"{count_text(graph.truncated, 'more node')} left out")
    return " · ".join(parts)


def run_summary(graph: Graph, run: Run) -> str:
    """``paused · 3 of 12 nodes done · next MulBackward0 · then AddBackward0, …``."""
    parts = [run.status, done_text(run)]
    if run.current is not None:
        parts.append(f"next {node_text(graph.nodes[run.current])}")
    others = [entry.node for entry in run.ready if entry.node != run.current]
    if others:
        names = [node_text(graph.nodes[index]) for index in others[:3]]
        parts.append(f"also ready: {', '.join(names)}{', …' if len(others) > 3 else ''}")
    if run.error:
        parts.append(plain(run.error, 120))
    return " · ".join(parts)


def done_text(run: Run) -> str:
    """``3 of 12 nodes done``: one that raised is not."""
    done = run.position - (run.status == "failed")
    return f"{done:,} of {count_text(run.total, 'node')} done"


def node_text(node: Node) -> str:
    """A node's name, with the variable's for a leaf: ``AccumulateGrad of w``."""
    name = plain(node.name, 60)
    return f"{name} of {plain(node.label, 60)}" if node.label else name


def output_text(node: Node) -> str:
    """Type of the gradient a node takes: that of its first output, and how many more there are."""
    if not node.outputs:
        return ""
    first = type_text(node.outputs[0].shape, node.outputs[0].dtype, node.outputs[0].batches)
    return first if len(node.outputs) == 1 else f"{first} ×{len(node.outputs)}"


def footnotes(graph: Graph, view: RunView) -> list[str]:
    """One line for each stale value: what was saved, and which line wrote over it."""
    notes = [
        f"{plain(value.name, 40)} of {node_text(node)}: {version_text(value)}"
        + (f", written by {write_text(value.culprit)}" if value.culprit else "")
        for node in graph.nodes
        for value in view.saved(node)
        if value.state == "stale"
    ]
    if len(notes) > MOST_NOTES:
        notes = [*notes[:MOST_NOTES], f"… {len(notes) - MOST_NOTES:,} more stale values"]
    return notes


# --- chips and badges ---------------------------------------------------------------------------------


# --- card rows -------------------------------------------------------------------------------------------
# Setting the contents of a card: marks side by side in rows, rows below each other.


@dataclass(frozen=True, slots=True)
class Mark:
    """Shapes of a known width, drawn from (0, 0)."""

    width: float
    group: Group


@dataclass(frozen=True, slots=True)
class Row:
    """Marks from the left, `gap` apart, and perhaps one at the right end."""

    height: float
    left: tuple[Mark, ...]
    right: Mark | None = None
    gap: float = 8.0

    @property
    def width(self) -> float:
        marks = (*self.left, self.right) if self.right else self.left
        return sum(mark.width for mark in marks) + max(len(marks) - 1, 0) * self.gap


#: Font size and face of each role of text on a card, as the style sheet has them; names have room for the
#: size that the live view gives them where it is zoomed out a little.
_FONTS = {
    "name": (14.5, SANS, True),
    "leaf name": (14.5, SANS, True),
    "caption": (11.0, SANS, False),
    "type": (11.0, MONO, False),
    "port": (11.0, SANS, False),
}


def label(text: str, role: str, baseline: float, font: str = "") -> Mark:
    """A text as a mark; `font` names the entry of the font table when it is not `role`."""
    size, face, bold = _FONTS[font or role]
    group = Group((Text(0, baseline, text, role),))
    return Mark(text_width(text, size, face, bold=bold), group)


def wrapped(marks: Sequence[Mark], width: float, height: float, gap: float) -> list[Row]:
    """Rows of marks in order, each as full as `width` allows."""
    rows: list[list[Mark]] = []
    for mark in marks:
        if rows and Row(0, (*rows[-1], mark), gap=gap).width <= width:
            rows[-1].append(mark)
        else:
            rows.append([mark])
    return [Row(height, tuple(row), gap=gap) for row in rows]


def set_rows(rows: Sequence[Row], start: Point, width: float) -> tuple[Shape, ...]:
    """The shapes of `rows` from the point `start`, right marks ending at `width` from there."""
    x0, y = start
    shapes: list[Shape] = []
    for row in rows:
        x = x0
        for mark in row.left:
            shapes.append(_moved(mark.group, x, y))
            x += mark.width + row.gap
        if row.right:
            shapes.append(_moved(row.right.group, x0 + width - row.right.width, y))
        y += row.height
    return tuple(shapes)


def _moved(group: Group, x: float, y: float) -> Shape:
    """A group at its place; a lone text needs no group around it."""
    if not group.role and len(group.children) == 1 and isinstance(group.children[0], Text):
        text = group.children[0]
        return Text(text.x + x, text.y + y, text.text, text.role, text.anchor)
    return Group(group.children, group.role, group.title, x, y)


# --- chips -----------------------------------------------------------------------------------------------


CHIP_HEIGHT, CHIP_GAP = 16.0, 4.0
ROW = CHIP_HEIGHT + CHIP_GAP
#: Chips on one card; the rest is counted in one last chip.
MOST_CHIPS = 6

_PADDING, _SIGN, _SIZE = 6.0, 13.0, 11.0


def chip_rows(saved: tuple[Saved, ...], width: float) -> list[Row]:
    """A chip for each saved tensor, in rows of at most this width. Plain values are beside them as far as
    there is room, or in one row where there are no tensors; what only says how an input looked is left out.
    """
    rows = wrapped(_chips([s for s in saved if not s.value]), width, ROW, CHIP_GAP)
    last = list(rows.pop().left) if rows else []
    for value in (s for s in saved if s.value and not s.name.endswith("_meta")):
        longer = [*last, _chip(value)]
        if Row(0, tuple(longer), gap=CHIP_GAP).width <= width:
            last = longer
    return [*rows, Row(ROW, tuple(last), gap=CHIP_GAP)] if last else rows


def _chips(saved: list[Saved]) -> list[Mark]:
    """Stale ones first among those that may be left out."""
    if len(saved) <= MOST_CHIPS:
        return [_chip(value) for value in saved]
    by_need = sorted(range(len(saved)), key=lambda i: (saved[i].state != "stale", i))
    shown = sorted(by_need[: MOST_CHIPS - 1])
    more = Text(_PADDING, 12, f"+{len(saved) - len(shown)} more")
    return [
        *(_chip(saved[i]) for i in shown),
        Mark(text_width(more.text, _SIZE, MONO) + 2 * _PADDING, Group((more,), "chip more")),
    ]


def _chip(saved: Saved) -> Mark:
    name = plain(saved.name, 24)
    if saved.value:
        text = f"{name}={plain(saved.value, 20)}"
        return Mark(_width(text) - _PADDING, Group((Text(2, 12, text),), "chip value"))
    if saved.state == "stale":
        text = f"{name} {version_text(saved)}"
        width = _width(text) + _SIGN
        return Mark(
            width, Group((_cut(width), *_warning(), Text(_SIGN + 6, 12, text)), "chip stale")
        )
    text = f"{name} {counter_text(saved.version_saved)}{tangents_text(saved)}"
    radius = 2.0 if saved.state == "packed" else CHIP_HEIGHT / 2
    body = Rect(0, 0, _width(text), CHIP_HEIGHT, radius)
    return Mark(body.width, Group((body, Text(_PADDING, 12, text)), f"chip {saved.state}"))


def _width(text: str) -> float:
    return text_width(text, _SIZE, MONO) + 2 * _PADDING


def _cut(width: float) -> Poly:
    cut, height = 5.0, CHIP_HEIGHT
    return Poly(
        (
            (cut, 0), (width - cut, 0), (width, cut), (width, height - cut),
            (width - cut, height), (cut, height), (0, height - cut), (0, cut),
        )
    )  # fmt: skip


def _warning() -> tuple[Shape, ...]:
    return (
        Poly(((6, 12.5), (11, 3.5), (16, 12.5)), "warning"),
        Poly(((11, 6.5), (11, 9.2)), "bang", closed=False),
        Poly(((11, 10.4), (11, 11.4)), "bang", closed=False),
    )


def state_badge(
    run: NodeRun | None, baseline: float, room: float, *, made: float | None = None
) -> Mark | None:
    """The state of a node in a run, as a sign and in as many words as there is `room` for; None without
    a run. The words say so if it `made` a non-finite value.
    """
    if run is None:
        return None
    wrong = made is not None or odd(run.grad_norm)
    mark = Group(_sign(run.state, wrong=wrong), y=baseline - 10.5)
    for text in badge_texts(run, made):
        width = SIGN + text_width(text, 11, bold=True)
        if width <= room:
            return Mark(width, Group((mark, Text(SIGN, baseline, text)), "badge"))
    return Mark(SIGN, Group((mark,), "badge"))


def text_badge(texts: tuple[str, ...], baseline: float, room: float) -> Mark | None:
    """The first of some texts that there is room for; None if there is none."""
    for text in texts:
        width = text_width(text, 11, bold=True)
        if width <= room:
            return Mark(width, Group((Text(0, baseline, text),), "badge"))
    return None


def state_sign(state: NodeState, baseline: float, *, wrong: bool = False) -> Mark:
    """A state as a sign alone, where there is no room for words."""
    return Mark(12, Group((Group(_sign(state, wrong=wrong), y=baseline - 10.5),), "badge"))


SIGN = 14.0
#: Room that a card leaves for a badge at least: for "#1,234 0.00123", and "#12 ‖g‖ 0.12".
LEAST_BADGE = SIGN + text_width("done #99,999", 11, bold=True)


def _sign(state: NodeState, *, wrong: bool) -> tuple[Shape, ...]:
    """`wrong`: what came to the node, or what it made, is not finite; one that failed says more."""
    return _WARNING if wrong and state != "error" else _SIGNS[state]


def _circle(radius: float, role: str) -> Rect:
    return Rect(5.8 - radius, 5.8 - radius, 2 * radius, 2 * radius, radius, role)


#: As the live view has them (`extension/src/view/Icons.tsx`), smaller.
_SIGNS: dict[str, tuple[Shape, ...]] = {
    "waiting": (_circle(3.6, "stroke dash"),),
    "ready": (_circle(3.6, "stroke"),),
    "current": (Poly(((2.9, 1.7), (10.0, 5.8), (2.9, 9.9)), "fill"),),
    "done": (Poly(((2.2, 6.1), (4.6, 8.5), (9.4, 3.3)), "stroke", closed=False),),
    "skipped": (
        _circle(3.6, "stroke"),
        Poly(((3.3, 8.2), (8.2, 3.3)), "stroke", closed=False),
    ),
    "captured": (
        Poly(((2.9, 10.1), (2.9, 1.9)), "stroke", closed=False),
        Poly(((3.5, 2.2), (9.2, 2.2), (7.6, 4.2), (9.2, 6.2), (3.5, 6.2)), "fill"),
    ),
    "error": (
        Poly(((2.6, 2.6), (9.0, 9.0)), "stroke", closed=False),
        Poly(((9.0, 2.6), (2.6, 9.0)), "stroke", closed=False),
    ),
}
_WARNING: tuple[Shape, ...] = (
    Poly(((5.8, 1.2), (10.6, 9.6), (1.0, 9.6)), "stroke"),
    Poly(((5.8, 4.2), (5.8, 6.6)), "stroke", closed=False),
    Poly(((5.8, 8.0), (5.8, 8.2)), "stroke", closed=False),
)

"""Small marks on a card: a chip for each saved value, a badge for the state in a run.

Each state of a saved value has a shape of its own: round corners while it is as saved, cut corners
and a warning sign once it is stale, a broken outline once it is freed, square corners when a hook
packed it. Only a stale one says more than its version: a card keeps its size when a run frees values.
"""

from __future__ import annotations

from vizgrad.inspection.model import NodeRun, NodeState, Saved
from vizgrad.rendering.describe import counter_text, number_text, plain, version_text
from vizgrad.rendering.metrics import MONO, text_width
from vizgrad.rendering.overlay import state_text
from vizgrad.rendering.rows import Mark, Row, wrapped
from vizgrad.rendering.scene import Group, Poly, Rect, Shape, Text

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
    text = f"{name} {counter_text(saved.version_saved)}"
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


def state_badge(run: NodeRun | None, baseline: float, made: float | None = None) -> Mark | None:
    """The state of a node in a run, as a sign and in words; None without a run. Of one that `made` something
    that is not finite that is said.
    """
    if run is None:
        return None
    text = state_text(run) if made is None else f"made {number_text(made)}"
    mark = Group(_SIGNS[run.state], y=baseline - 10.5)
    group = Group((mark, Text(14, baseline, text)), "badge")
    return Mark(14 + text_width(text, 11, bold=True), group)


def state_sign(state: NodeState, baseline: float) -> Mark:
    """A state as a sign alone, where there is no room for words."""
    return Mark(12, Group((Group(_SIGNS[state], y=baseline - 10.5),), "badge"))


#: Room that is left for a badge: none is wider, but of a run of more than 99,999 nodes.
WIDEST_BADGE = 14 + text_width("done #99,999", 11, bold=True)

_SIGNS: dict[str, tuple[Shape, ...]] = {
    "waiting": (Rect(1.5, 2.5, 8, 8, 4, "stroke"),),
    "ready": (Rect(1.5, 2.5, 8, 8, 4, "fill"),),
    "current": (Poly(((2, 1.5), (10.5, 6.5), (2, 11.5)), "fill"),),
    "done": (Poly(((1.5, 7), (4.5, 10), (10, 3)), "stroke", closed=False),),
    "skipped": (Poly(((1.5, 6.5), (9.5, 6.5)), "stroke", closed=False),),
    "captured": (Rect(1, 2, 9, 9, 4.5, "stroke"), Rect(3.5, 4.5, 4, 4, 2, "fill")),
    "error": (
        Poly(((2, 2.5), (10, 10.5)), "stroke", closed=False),
        Poly(((10, 2.5), (2, 10.5)), "stroke", closed=False),
    ),
}

"""The capability card of a custom Function: as text, and as a picture in the language of the graphs.

A proven ability looks like a node that is done, a failed one like one that raised, an untested one
like one that is skipped; each has a sign and a word as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger.drawing.describe import place_text, plain
from vizgrad.debugger.drawing.geometry import MONO, fitted, text_width
from vizgrad.debugger.drawing.scene import Group, Poly, Rect, Scene, Shape, Text, to_svg
from vizgrad.debugger.engines.api.abilities import Capability, CapabilityCard

_SIGNS = {"proven": "✓", "failed": "✗", "untested": "·"}
_ROLES = {"proven": "done", "failed": "error", "untested": "skipped"}
_MARGIN, _WIDTH, _INDENT, _NAMES = 20.0, 620.0, 34.0, 130.0
_HEAD, _LINE, _GAP = 30.0, 15.0, 6.0


# --- text ------------------------------------------------------------------------------------------------


def card_text(card: CapabilityCard) -> str:
    lines = [f"{plain(card.function)}({plain(card.example)}): {summary(card)}"]
    width = max(len(c.name) for c in card.capabilities)
    for capability in card.capabilities:
        detail = f"  {plain(capability.detail)}" if capability.detail else ""
        line = (
            f"  {_SIGNS[capability.state]} {capability.name:<{width}}  {capability.state}{detail}"
        )
        lines.append(line.rstrip())
        for each in capability.told:
            lines += [f"      {plain(line)}" for line in _told(each)]
    return "\n".join(lines)


def summary(card: CapabilityCard) -> str:
    counts = {s: sum(c.state == s for c in card.capabilities) for s in _SIGNS}
    return ", ".join(f"{n} {state}" for state, n in counts.items() if n)


def _where(place: Place) -> str:
    """``train.py:12: ctx.y = y``."""
    return f"{place_text(place)}: {plain(place.text, 120)}" if place.text else place_text(place)


def _told(failure: Explanation) -> Iterator[str]:
    yield failure.story or failure.kind
    if failure.culprit is not None:
        yield f"where: {_where(failure.culprit)}"
    if failure.fix:
        yield f"fix: {failure.fix}"


# --- picture ---------------------------------------------------------------------------------------------


def card_svg(card: CapabilityCard) -> str:
    """The text of an SVG file."""
    return to_svg(card_scene(card))


def card_scene(card: CapabilityCard) -> Scene:
    title = f"{plain(card.function, 40)}({plain(card.example, 60)})"
    shapes: list[Shape] = [
        Text(_MARGIN, 32, fitted(title, _WIDTH, 15, bold=True), "heading"),
        Text(_MARGIN, 51, summary(card), "summary"),
    ]
    y = 66.0
    for capability in card.capabilities:
        children, height = _row(capability)
        role = f"capability {_ROLES[capability.state]}"
        shapes.append(Group(tuple(children), role, _spoken(capability), _MARGIN, y))
        y += height + _GAP
    said = ". ".join(_spoken(c) for c in card.capabilities)
    return Scene(_WIDTH + 2 * _MARGIN, y + 10, title, f"{summary(card)}. {said}", tuple(shapes))


def _spoken(capability: Capability) -> str:
    """The row for those who hear it."""
    parts = [f"{capability.name}: {capability.state}", capability.detail]
    parts += [line for each in capability.told for line in _told(each)]
    return plain(", ".join(part for part in parts if part))


def _row(capability: Capability) -> tuple[list[Shape], float]:
    room = _WIDTH - _INDENT - 12
    lines: list[tuple[str, str]] = []
    detail = list(_wrapped(capability.detail, room - _NAMES - 70, 11)) if capability.detail else []
    for each in capability.told:
        role = "failing" if each in capability.failures else "caption"
        lines += [(line, role) for line in _wrapped(each.story or each.kind, room, 11)]
        if each.culprit is not None:
            lines.append((fitted(_where(each.culprit), room, 11, MONO), "type"))
        if each.fix:
            lines += [(line, role) for line in _wrapped(f"Fix: {each.fix}", room, 11)]
    head = max(_HEAD, 15 + _LINE * len(detail))
    height = head + (_LINE * len(lines) + 8 if lines else 0)
    shapes: list[Shape] = [
        Rect(0, 0, _WIDTH, height, 5, "body"),
        Group(_sign(capability.state), "badge", x=12, y=9),
        Text(_INDENT, 20, capability.name, "name"),
        Group((Text(0, 0, capability.state),), "badge", x=_INDENT + _NAMES, y=20),
    ]
    shapes += [
        Text(_INDENT + _NAMES + 70, 20 + _LINE * nr, line, "caption")
        for nr, line in enumerate(detail)
    ]
    shapes += [
        Text(_INDENT, head + 9 + _LINE * nr, text, role) for nr, (text, role) in enumerate(lines)
    ]
    return shapes, height


def _sign(state: str) -> tuple[Shape, ...]:
    if state == "proven":
        return (Poly(((0, 6), (4, 10), (11, 1)), "stroke", closed=False),)
    if state == "failed":
        return (
            Poly(((1, 1), (10, 10)), "stroke", closed=False),
            Poly(((10, 1), (1, 10)), "stroke", closed=False),
        )
    return (Poly(((1, 6), (10, 6)), "stroke dash", closed=False),)


def _wrapped(text: str, room: float, size: float) -> Iterator[str]:
    line = ""
    for word in plain(text).split():
        longer = f"{line} {word}" if line else word
        if line and text_width(longer, size) > room:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield fitted(line, room, size)


class CardPicture:
    """A card that draws itself: as SVG in a notebook, as text elsewhere. `data` is what it shows."""

    def __init__(self, data: CapabilityCard) -> None:
        self.data = data

    @property
    def capabilities(self) -> tuple[Capability, ...]:
        return self.data.capabilities

    def __getitem__(self, name: str) -> Capability:
        return self.data[name]

    def to_json(self) -> dict[str, Any]:
        return self.data.to_json()

    def to_svg(self) -> str:
        """A standalone SVG file as text, for light and dark."""
        return card_svg(self.data)

    def to_text(self) -> str:
        return card_text(self.data)

    def __repr__(self) -> str:
        return self.to_text()

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.to_text(), "image/svg+xml": self.to_svg()}

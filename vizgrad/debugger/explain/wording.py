"""How explanations are worded: names, lines, sizes."""

from __future__ import annotations

from typing import Any

from vizgrad.core.errors import Explanation, Place, place_at, place_of
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note


def healthy(story: str) -> Explanation:
    return Explanation("healthy", story=story)


HEALTHY = healthy("There is nothing to explain.")


def said(kind: str, site: Site | Place | None, tensor: str, story: str, fix: str) -> Explanation:
    place = site if isinstance(site, Place) else place_of(site)
    return Explanation(kind, place, tensor, fix, story)


def line(site: Site | None) -> str:
    """As in: line 14, or the cell and its line."""
    return line_of(place_of(site))


def line_of(place: Place | None) -> str:
    """The same of a place."""
    if place is None:
        return "a line that is not known"
    return f"{place.cell}, line {place.line}" if place.cell else f"line {place.line}"


def sized(value: float) -> str:
    """How large a gradient is, as words: as in "of size 0.25"."""
    return f"of size {number(value)}" if value else "zero"


def line_place(found: tuple[Any, int] | None) -> Place | None:
    return None if found is None else place_at(*found)


def name_of(note: Note | None, other: str = "") -> str:
    """What a person calls the tensor of a note."""
    if note is None:
        return other
    given = "" if note.op in ("given", "gradient") else note.op
    return source_expressions.assigned(note.site) or other or given or "a tensor"


def leaf_name(noting: Noting, leaf: Leaf) -> str:
    """What a person calls a leaf, which may be gone by now."""
    tensor = leaf.tensor()
    known = "" if tensor is None else noting.names.get(id(tensor), "")
    if known or leaf.name:
        return known or leaf.name
    made = source_expressions.called(None if leaf.note is None else leaf.note.site)
    if type(tensor).__name__ == "Parameter" and made != "Parameter":
        return "the parameter"  # of a module: what is assigned on its line is that
    return name_of(leaf.note, "the parameter")


def operand_of(note: Note, other: str = "") -> str:
    """What the operation of a note was applied to."""
    return (
        source_expressions.operand(note.site, note.op.strip("_"))
        or other
        or source_expressions.assigned(note.site)
        or note.op
    )


def call(note: Note) -> str:
    """The operation as a person wrote it, shortened."""
    text = source_expressions.text_of(note.site)
    return f"`{text}`" if text and len(text) <= 60 else f"{note.op}"


def number(value: float) -> str:
    return f"{value:.3g}"

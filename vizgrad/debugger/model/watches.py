"""The entries of a watch list, and who wrote a value."""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.core.errors import Place
from vizgrad.debugger.model.arrays import TensorSummary


@dataclass(frozen=True, slots=True)
class Watched:
    """An expression of a session's watch list, known there by its `id`, with its value where the run stands.

    The value is a tensor, told by its `summary`; or anything else, in words (`text`). Both are empty where it
    has none: `error` says why.
    """

    id: int
    expression: str
    text: str = ""
    summary: TensorSummary | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Writer:
    """Who wrote a value last, in words (`text`). `position` is that after the step which did
    (`Session.seek` goes there), `node` the node of that step or of the operation that made the value, `place`
    its line. None: no step of the run, no node, or no line is known.
    """

    text: str
    position: int | None = None
    node: int | None = None
    place: Place | None = None

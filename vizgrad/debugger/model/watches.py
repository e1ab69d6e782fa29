"""The entries of a watch list: expressions and their values where a run stands."""

from __future__ import annotations

from dataclasses import dataclass

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

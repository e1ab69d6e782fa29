"""Suspicious operations whose result became part of a loss."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.debugger.explain.cause import Cause, cause
from vizgrad.debugger.explain.wording import (
    FIRST_OPERAND,
    OTHER_OPERAND,
    SECOND_OPERAND,
    THE_SCORES,
    call,
)
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note


def find(noting: Noting) -> Iterator[Cause]:
    if not noting.suspects:
        return
    reached: set[int] = set()
    for run in noting.runs:
        for root in run.roots:
            if id(root) not in reached:
                reached |= {id(note) for note in root.tracked()}
    for kind, note, more in noting.suspects:
        if id(note) in reached:
            yield _broadcast(note, more) if kind == "shape-broadcast" else _normalised(note, *more)


def _broadcast(note: Note, shapes: tuple[tuple[int, ...], ...]) -> Cause:
    first, second, both = (list(shape) for shape in shapes)
    names = [name for name in source_expressions.operands(note.site) if name] or [
        FIRST_OPERAND,
        SECOND_OPERAND,
    ]
    one, other = (*names, OTHER_OPERAND)[:2]
    column, row = (one, other) if len(first) >= len(second) else (other, one)
    return cause(
        "shape-broadcast", "broadcast", note.site, one,
        call=call(note), one=one, first=first, other=other, second=second, both=both, column=column, row=row,
    )  # fmt: skip


def _normalised(note: Note, source: Note, inner: str) -> Cause:
    op = note.op.removesuffix("_")
    shown = (
        source_expressions.assigned(source.site) or source_expressions.variable(note.site) or inner
    )
    raw = (
        source_expressions.variable(source.site)
        if source_expressions.called(source.site) == inner
        else ""
    )
    case = "normalised-twice" if op in ("sigmoid", "softmax") else "normalised-before"
    return cause(
        "double-normalised", case, note.site, shown,
        op=op, name=shown, inner=inner, before=source.site, given=raw or THE_SCORES, raw=raw,
    )  # fmt: skip

"""Suspicious operations whose result became part of a loss."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.wording import call, code, line, said
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note


def find(noting: Noting) -> Iterator[Explanation]:
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


def _broadcast(note: Note, shapes: tuple[tuple[int, ...], ...]) -> Explanation:
    first, second, both = (list(shape) for shape in shapes)
    names = [name for name in source_expressions.operands(note.site) if name] or [
        "the first operand",
        "the second",
    ]
    one, other = (*names, "the other operand")[:2]
    column, row = (one, other) if len(first) >= len(second) else (other, one)
    return said(
        "shape-broadcast", note.site, one,
        f"{call(note)} on {line(note.site)} broadcast `{one}` {first} and `{other}` {second} to "
        f"{both}, a shape that "
        "neither has: every element meets every other.",
        f"give both the same shape: {column}.squeeze() or {row}.reshape({column}.shape)",
    )  # fmt: skip


def _normalised(note: Note, source: Note, inner: str) -> Explanation:
    op = note.op.removesuffix("_")
    shown = (
        source_expressions.assigned(source.site) or source_expressions.variable(note.site) or inner
    )
    raw = (
        source_expressions.variable(source.site)
        if source_expressions.called(source.site) == inner
        else ""
    )
    given = f"`{raw}`" if raw else "the scores"
    twice = op in ("sigmoid", "softmax")
    does = "is a normalisation" if twice else "applies a normalisation of its own"
    return said(
        "double-normalised", note.site, shown,
        f"{op} on {line(note.site)} {does}, and {code(shown)} is a {inner} already ({line(source.site)}): "
        "gradients become small and the loss cannot reach zero.",
        f"normalise once: leave out this {op}, or the {inner} before it"
        if twice
        else f"pass the raw logits: give {op} {given}, without {inner}",
    )  # fmt: skip

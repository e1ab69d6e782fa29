"""Hooks that were shown, or made, another gradient than meant."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.debugger.explain.cause import Cause, cause
from vizgrad.debugger.explain.wording import A_WRITE, THE_TENSOR, operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Event, Noting


def find(noting: Noting) -> Iterator[Cause]:
    for event in noting.hooks:
        found = _rewritten(noting, event) or _cycle(event)
        if found is not None:
            yield found
    for run in noting.runs:
        for site, name in run.edited:
            yield cause("hook-effect", "hook-edits", site, name or "grad")


def _rewritten(noting: Noting, event: Event) -> Cause | None:
    """The tensor was written in place after the hook was registered on its old value, and the hook ran."""
    note, written = event.note, event.rewritten
    if note is None or note.node is None or written is None:
        return None
    if not any(note.node in run.visits for run in noting.runs):
        return None  # it was never called
    name = source_expressions.variable(event.site) or THE_TENSOR
    return cause(
        "hook-effect", "hook-before-write", event.site, name,
        name=name, written=written, write=operation(written, A_WRITE),
    )  # fmt: skip


def _cycle(event: Event) -> Cause | None:
    """The hook holds the tensor that holds the hook."""
    if event.note is None or event.note.node is None or not event.held:
        return None
    name = source_expressions.variable(event.site) or THE_TENSOR
    return cause("reference-cycle", "hook-holds-its-tensor", event.site, name, name=name)

"""Hooks that were shown, or made, another gradient than meant."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.wording import Words, code, line, operation, said
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Event, Noting


def find(noting: Noting) -> Iterator[Explanation]:
    for event in noting.hooks:
        found = _rewritten(noting, event) or _cycle(event)
        if found is not None:
            yield found
    for run in noting.runs:
        for site, name in run.edited:
            yield said(
                "hook-effect", site, name or "grad",
                f"A hook changed the gradient it was given in place on {line(site)}: others that "
                "share this memory "
                "get the changed one, too.",
                "return a new gradient from the hook (out of place: `return grad * 2`), and leave "
                "the given one as it is",
            )  # fmt: skip


def _rewritten(noting: Noting, event: Event) -> Explanation | None:
    """The tensor was written in place after the hook was registered on its old value, and the hook ran."""
    note, site = event.note, event.rewritten
    if note is None or note.node is None or site is None:
        return None
    if not any(note.node in run.visits for run in noting.runs):
        return None  # it was never called
    name = source_expressions.variable(event.site) or "the tensor"
    return said(
        "hook-effect",
        event.site,
        name,
        f"The hook was registered on {line(event.site)}, and {operation(site, Words('a write'))} on "
        f"{line(site)} then wrote "
        f"{code(name)} in place: the hook belongs to the value before, and was shown its gradient.",
        f"register the hook after the write on {line(site)}, or write out of place",
    )


def _cycle(event: Event) -> Explanation | None:
    """The hook holds the tensor that holds the hook."""
    if event.note is None or event.note.node is None or not event.held:
        return None
    name = source_expressions.variable(event.site) or "the tensor"
    return said(
        "reference-cycle",
        event.site,
        name,
        f"The hook registered on {line(event.site)} holds {code(name)}, whose graph holds the hook: "
        "only the garbage "
        "collector can free them.",
        f"let the hook refer to {code(name)} weakly (weakref.ref), or take what it needs as a plain value "
        "before",
    )

"""Values that carry the graphs of earlier steps along."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.errors import Explanation
from vizgrad.explaining.said import line, said
from vizgrad.provenance import written
from vizgrad.provenance.notes import Note
from vizgrad.provenance.noting import Noting

#: So many backwards a history has to reach over.
_TURNS = 2


def find(noting: Noting) -> Iterator[Explanation]:
    found = [note for note in noting.carried.values() if note.turns >= _TURNS]
    for note in sorted(found, key=lambda each: -each.turns)[:1]:
        if note.carried is not None:
            yield _said(note.carried, note.turns)


def _said(note: Note, turns: int) -> Explanation:
    name = written.assigned(note.site) or written.variable(note.site) or note.op
    nodes = sum(each.node is not None for each in note.tracked())
    if note.op.strip("_") in ("add", "iadd", "radd", "cat", "stack"):
        term = next(
            (text for text in reversed(written.operands(note.site)) if text != name), "loss"
        )
        term = term if term.isidentifier() else f"({term})"
        fix = f"add a plain number: {name} += {term}.item() (or {term}.detach())"
    else:
        fix = f"cut it at the start of a step: {name} = {name}.detach()"
    return said(
        "history-kept",
        note.site,
        name,
        f"`{name}` carries the graphs of {turns + 1} steps along: on {line(note.site)} it is "
        "computed from its "
        f"value of the step before, with history ({nodes} operations by now).",
        fix,
    )

"""Values that carry the graphs of earlier steps along."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.model.byte_sizes import bytes_text
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note, Weight

#: So many backwards a history has to reach over.
_TURNS = 2


def find(noting: Noting) -> Iterator[Cause]:
    found = [note for note in noting.carried.values() if note.turns >= _TURNS]
    for note in sorted(found, key=lambda each: -each.turns)[:1]:
        if note.carried is not None:
            known = noting.weights.get(note.carried.site, []) if note.carried.site else []
            last = noting.weigh(note)
            steps = note.turns + (not note.late)
            tensor = note.tensor()
            one = tensor is None or noting.look.array(tensor).size == 1
            weights = [*known, last] if last is not None else known
            yield _carried(note.carried, steps, note.turns, weights, one=one)


def _kept(nodes: int, steps: int, turns: int, weights: list[Weight]) -> Phrase:
    """How many operations and bytes it keeps, and by how many that grows. It reaches over so many `turns`."""
    if not weights:
        return Phrase("operations-by-now", nodes=nodes)
    last = weights[-1]
    weighed = max(1, last.turns + steps - turns)  # so many steps it carried when it was weighed
    size = more_size = after = NOTHING
    if last.nbytes > 1024:  # less is no reason
        size = Phrase("and-bytes", size=bytes_text(last.nbytes))
        more_size = Phrase("and-bytes", size=bytes_text(round(last.nbytes / weighed)))
    if weighed != steps:
        after = Phrase("after-one-step") if weighed == 1 else Phrase("after-steps", steps=weighed)
    return Phrase(
        "weighed", nodes=last.nodes, size=size, after=after,
        more=max(1, round(last.nodes / weighed)), more_size=more_size,
    )  # fmt: skip


def _carried(note: Note, steps: int, turns: int, weights: list[Weight], *, one: bool) -> Cause:
    """`one`: is it a single number, as far as is known?"""
    site = note.site
    name = source_expressions.assigned(site) or source_expressions.variable(site) or note.op
    nodes = sum(each.node is not None for each in note.tracked())
    fix, term = "cut-each-step", ""
    if note.op.strip("_") in ("add", "iadd", "radd", "cat", "stack"):
        operands = source_expressions.operands(site)
        term = next((text for text in reversed(operands) if text != name), "loss")
        if term.isidentifier() and name in operands:
            fix = "add-number" if one else "add-detached"
        else:
            inner = [each for each in re.findall(r"[A-Za-z_]\w*", term) if each != name]
            term = inner[-1] if inner else "loss"
            fix = "compute-number" if one else "compute-detached"
    return cause(
        "history-kept", "carried", site, name,
        fix=fix, name=name, term=term, steps=steps, kept=_kept(nodes, steps, turns, weights),
    )  # fmt: skip

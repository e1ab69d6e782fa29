"""Values that carry the graphs of earlier steps along."""

from __future__ import annotations

import re
from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.wording import code, line, said
from vizgrad.debugger.model.byte_sizes import bytes_text
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note, Weight

#: So many backwards a history has to reach over.
_TURNS = 2


def find(noting: Noting) -> Iterator[Explanation]:
    found = [note for note in noting.carried.values() if note.turns >= _TURNS]
    for note in sorted(found, key=lambda each: -each.turns)[:1]:
        if note.carried is not None:
            known = noting.weights.get(note.carried.site, []) if note.carried.site else []
            last = noting.weigh(note)
            steps = note.turns + (not note.late)
            tensor = note.tensor()
            one = tensor is None or noting.look.array(tensor).size == 1
            weights = [*known, last] if last is not None else known
            yield _said(note.carried, steps, note.turns, weights, one=one)


def _kept(nodes: int, steps: int, turns: int, weights: list[Weight]) -> str:
    """How many operations and bytes it keeps, and by how many that grows. It reaches over so many `turns`."""
    if not weights:
        return f"{nodes} operations by now"
    last = weights[-1]
    weighed = max(1, last.turns + steps - turns)  # so many steps it carried when it was weighed
    grown = f"about {max(1, round(last.nodes / weighed))} operations"
    size = ""
    if last.nbytes > 1024:  # less is no reason
        size = f" and {bytes_text(last.nbytes)}"
        grown += f" and {bytes_text(round(last.nbytes / weighed))}"
    after = "" if weighed == steps else f" after {weighed} step{'' if weighed == 1 else 's'}"
    return f"{last.nodes} operations{size}{after}, {grown} more with each step"


def _said(note: Note, steps: int, turns: int, weights: list[Weight], *, one: bool) -> Explanation:
    """`one`: is it a single number, as far as is known?"""
    name = (
        source_expressions.assigned(note.site) or source_expressions.variable(note.site) or note.op
    )
    nodes = sum(each.node is not None for each in note.tracked())
    if note.op.strip("_") in ("add", "iadd", "radd", "cat", "stack"):
        term = next(
            (text for text in reversed(source_expressions.operands(note.site)) if text != name),
            "loss",
        )
        if term.isidentifier() and name in source_expressions.operands(note.site):
            plain = f"add a plain number: {name} += {term}.item() (or {term}.detach())"
            fix = plain if one else f"add it without its history: {name} += {term}.detach()"
        else:
            inner = [each for each in re.findall(r"[A-Za-z_]\w*", term) if each != name]
            term = inner[-1] if inner else "loss"
            plain = (
                f"compute with a plain number there: {term}.item() (or {term}.detach()) for {term}"
            )
            fix = plain if one else f"compute without its history: {term}.detach() for {term}"
    else:
        fix = f"cut it at the start of a step: {name} = {name}.detach()"
    return said(
        "history-kept",
        note.site,
        name,
        f"{code(name)} carries the graphs of {steps} steps along: on {line(note.site)} it is "
        "computed from its "
        f"value of the step before, with history ({_kept(nodes, steps, turns, weights)}).",
        fix,
    )

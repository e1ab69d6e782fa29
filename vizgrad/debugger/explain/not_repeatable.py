"""Functions whose second run, within a backward, computed something else than the first."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.debugger.explain.cause import Cause, cause
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.repeated_functions import Difference

#: Beginnings of names of operations that draw.
_DRAWING = ("rand", "dropout", "bernoulli", "normal", "multinomial")


def find(noting: Noting) -> Iterator[Cause]:
    yield from map(of_difference, noting.repeats.differences[:3])


def of_difference(difference: Difference) -> Cause:
    result = difference.result
    site = result.site
    name = source_expressions.assigned(site) or source_expressions.variable(site) or result.op
    text = source_expressions.text_of(site) or result.op
    where = site or difference.function
    if not difference.computed:
        case, fix = "other-operations", ""
    else:
        case = "other-result"
        fix = "random-state" if result.op.startswith(_DRAWING) else "arguments-alone"
    return cause("not-repeatable", case, where, name, fix=fix, call=text, op=result.op, at=site)

"""Gradients that shrink or grow by orders of magnitude: where, and by which factor per step."""

from __future__ import annotations

from collections import defaultdict
from math import log10

from vizgrad.debugger.explain.cause import Cause, Operand, Phrase, cause
from vizgrad.debugger.explain.loss_minima import fits_its_label, is_residual
from vizgrad.debugger.explain.wording import operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Run, Visit

#: Orders of magnitude that are worth a word: along a recurrence, at one line, over all.
_ALONG, _AT_ONE, _OVER_ALL = 6.0, 5.0, 9.0
#: So often one line has to come for it to be a recurrence.
_TURNS = 5
#: Their gradient by what is added is a sum.
_ADDING = ("Add", "Linear", "Sub", "Sum", "Baddbmm")


def of_gradient(run: Run, key: int, name: str) -> Cause | None:
    way = _way(run, key)
    if not way:
        return None
    by_line: defaultdict[object, list[tuple[Visit, float]]] = defaultdict(list)
    total = 0.0
    for visit, size in way:
        if (
            visit.incoming > 0
            and size > 0
            and not visit.name.startswith(("Mean", "Sum", "Expand", "GraphRoot"))
        ):
            change = _change(visit, size)
            total += change
            by_line[visit.site].append((visit, change))
    if not by_line:
        return None
    end = way[-1][1]
    worst = max(by_line.values(), key=lambda each: abs(sum(change for _, change in each)))
    change = sum(each for _, each in worst)
    if abs(change) < _AT_ONE or change * total < 0 or abs(total) < _AT_ONE:
        return None
    if not (end > 1e4 or end < 1e-5):
        return None
    turns = len(worst)
    worst_visits = [visit for visit, _ in worst]
    if change < 0 and turns < _TURNS and _at_minimum(way, worst_visits):
        return None
    if _cancels(way, worst_visits, change, total):
        return None
    along = turns >= _TURNS and abs(change) >= _ALONG and _steady([each for _, each in worst])
    if not (along or turns < _TURNS or abs(total) >= _OVER_ALL):
        return None
    site = worst[0][0].site
    shown = _name(worst[0][0])
    grows = change > 0
    steps = Phrase("one-step", factor=10**change)
    if turns > 1:
        single = 10 ** (change / turns)
        steps = Phrase("steps", count=turns, factor=10**change, single=single)
    way_it_goes = "grows" if grows else "shrinks"
    return cause(
        "ill-scaled", "scale", site, shown,
        fix=way_it_goes, operand=Operand(shown), call=operation(site, shown), name=name, size=end,
        verb=Phrase(way_it_goes), steps=steps,
    )  # fmt: skip


def _cancels(
    way: list[tuple[Visit, float]], worst: list[Visit], change: float, total: float
) -> bool:
    """Is it small because large gradients cancel in the last sum? As at a bias before a norm, and that of
    the keys of an attention, whose softmax is blind to what is added to all of a row.
    """
    end, last = way[-1][0], _change(*way[-1])
    if last >= 0:
        return False
    alone = end in worst and end.name.startswith(_ADDING) and abs(change - last) < _AT_ONE
    return alone or abs(total - last) < _AT_ONE


def _at_minimum(way: list[tuple[Visit, float]], worst: list[Visit]) -> bool:
    """Is the gradient small because the loss is near its minimum?"""
    visits = [visit for visit, _ in way]
    for before, visit in zip([None, *visits], visits, strict=False):
        if visit in worst and (is_residual(visit) or fits_its_label(before, visit)):
            return True
    return False


def _change(visit: Visit, size: float) -> float:
    """Orders of magnitude from what came to a node to what it delivered."""
    return log10(size) - log10(visit.incoming) if visit.incoming > 0 and size > 0 else 0.0


def _steady(changes: list[float]) -> bool:
    up = sum(each > 0.04 for each in changes)
    down = sum(each < -0.04 for each in changes)
    return max(up, down) >= 0.8 * len(changes)


def _name(visit: Visit) -> str:
    names = [text for text in source_expressions.operands(visit.site) if text.isidentifier()]
    return names[-1] if names else source_expressions.assigned(visit.site) or visit.name


def _way(run: Run, key: int) -> list[tuple[Visit, float]]:
    """From the loss to the node along what delivered most: each visit, and how much it delivered."""
    from_: dict[int, tuple[Visit, float]] = {}
    for visit in run.visits.values():
        for delivered in visit.out:
            known = from_.get(delivered.target)
            if known is None or delivered.size > known[1]:
                from_[delivered.target] = visit, delivered.size
    found: list[tuple[Visit, float]] = []
    seen: set[int] = set()
    while key in from_ and key not in seen:
        seen.add(key)
        step = from_[key]
        found.append(step)
        key = step[0].key
    found.reverse()
    return found

"""Gradients that are zero, or that shrink or grow by orders of magnitude."""

from __future__ import annotations

from collections import defaultdict
from math import log10

from vizgrad.debugger.explain import hook_faults
from vizgrad.debugger.explain.cause import NOTHING, Cause, Operand, Phrase, cause
from vizgrad.debugger.explain.nonfinite import STEPS, reaches, zero_fix
from vizgrad.debugger.explain.wording import operation, raw
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Delivered, Odd, Run, Visit
from vizgrad.debugger.watch.note_recorder import Noting

# --- loss minima -----------------------------------------------------------------------------------------
# Gradients that are small, or zero, because a loss has reached its minimum: nothing is wrong with these.


#: Their derivative is what is left between a prediction and its target.
_RESIDUALS = (
    "Abs", "BinaryCrossEntropyWithLogits", "Huber", "L1Loss", "LinalgVectorNorm", "LogSigmoid",
    "LogSoftmax", "MseLoss", "Norm", "Pow", "SmoothL1", "Square", "Sub",
)  # fmt: skip
#: Theirs is zero where a margin is kept.
_HINGES = ("Clamp", "Maximum", "Relu")
_TOTALS, _SUMMING = ("Mean", "Sum"), ("Add", "Rsub", "Sub")
#: Visits that are gone through at most, on either side of a hinge.
_NEAR = 8


def is_residual(visit: Visit) -> bool:
    """Is what a node hands on as small as the distance from its minimum?"""
    return visit.name.startswith(_RESIDUALS) or _multiplies_with_itself(visit)


def _multiplies_with_itself(visit: Visit) -> bool:
    """`gap * gap`, or their dot product: both operands are one."""
    out = visit.out
    return (
        visit.name.startswith(("Mul", "Dot")) and len(out) == 2 and out[0].target == out[1].target
    )


def fits_its_label(before: Visit | None, visit: Visit) -> bool:
    """A sigmoid right before its loss: were it saturated on the wrong side, the loss would make up for it."""
    return (
        before is not None
        and before.name.startswith("BinaryCrossEntropy")
        and visit.name.startswith("Sigmoid")
    )


def keeps_its_margin(run: Run, visit: Visit) -> bool:
    """Is it the hinge of a loss that is zero, as that of a triplet whose margin is kept?

    Dead units are another thing: of a hinge nothing but a sum or mean is taken, and it is given a margin, a
    plain number to which something was added, or from which it was taken. A number that was taken from
    what the units are given (`x - 10`) is none.
    """
    if not visit.name.startswith(_HINGES):
        return False
    after = [visit]
    for each in after:
        found = [v for v in run.visits.values() if any(d.target == each.key for d in v.out)]
        if not all(v.name.startswith(_TOTALS) for v in found) or len(after) > _NEAR:
            return False
        after += found
    before = [visit]
    for each in before:
        sums = (run.visits.get(delivered.target) for delivered in each.out)
        before += [v for v in sums if v is not None and v.name.startswith(_SUMMING)][:_NEAR]
        if each is not visit and len(each.out) == 1 and not each.name.startswith("Sub"):
            return True
        if len(before) > _NEAR:
            return False
    return False


# --- zero gradients --------------------------------------------------------------------------------------
# Why a whole gradient is exactly zero.


def why_zero(run: Run, key: int, name: str, noting: Noting | None = None) -> Cause | None:
    if run.changed and (at := hook_above(run, key)) is not None:
        return hook_faults.of_hook(run, at, name, noting)
    kills, cancelled = zeros_above(run, key)
    if kills:
        return of_zero(run, kills[0], name)
    return None if cancelled is None else _cancelled(cancelled, name)


def of_zero(run: Run, kill: Odd, name: str) -> Cause | None:
    """A node made zeros of what came to it; None where that is right, at the minimum of a loss."""
    visit = kill.visit
    if is_residual(visit) or keeps_its_margin(run, visit):
        return None
    site = visit.site
    shown = source_expressions.assigned(site) or source_expressions.variable(site) or visit.name
    operand = source_expressions.operand(site) or shown
    factor = zero_factor(run, kill)
    return cause(
        "zero-derivative", "zero", site, shown,
        fix=_fix(kill, factor), operand=Operand(operand), call=operation(site, visit.name), name=name,
        where=Phrase("everywhere" if visit.name.startswith(STEPS) else "at-values"), dead=_dead(kill),
        shown=operand, x=raw(operand), factor=factor,
    )  # fmt: skip


def zeros_above(run: Run, key: int) -> tuple[list[Odd], Visit | None]:
    """The nodes that made the zeros which came to node `key`, in the order in which they ran: a zero that
    another way made good is none of them. And what sent gradients over several ways that cancelled.
    """
    into: defaultdict[int, list[tuple[Visit, Delivered]]] = defaultdict(list)
    for visit in run.visits.values():
        for delivered in visit.out:
            into[delivered.target].append((visit, delivered))
    kills = {(kill.visit.key, kill.edge) for kill in run.kills}
    found: set[tuple[int, int]] = set()
    seen, todo = {key}, [key]
    cancelled: Visit | None = None
    for each in todo:
        came = run.visits.get(each)
        if came is None or came.incoming != 0.0 or each in run.changed:
            continue  # the `.grad` was cleared by hand, or hooks may have made the zeros
        nonzero = [visit for visit, delivered in into[each] if delivered.size != 0.0]
        cancelled = cancelled or _first_of(run, nonzero)
        for visit, delivered in into[each]:
            if delivered.size != 0.0:
                continue
            if (visit.key, delivered.edge) in kills:
                found.add((visit.key, delivered.edge))
            elif visit.key not in seen:
                seen.add(visit.key)
                todo.append(visit.key)
    return [kill for kill in run.kills if (kill.visit.key, kill.edge) in found], cancelled


def hook_above(run: Run, key: int) -> int | None:
    """The node whose hooks made zeros, of which alone the gradient of node `key` came."""
    seen, todo = {key}, [key]
    for each in todo:
        changed = run.changed.get(each)
        if changed is not None and changed.after == 0.0 < (changed.before or 0.0):
            return each
        for visit in run.visits.values():
            here = visit.incoming == 0.0 and visit.key not in seen
            if here and any(delivered.target == each for delivered in visit.out):
                seen.add(visit.key)
                todo.append(visit.key)
    return None


def _first_of(run: Run, visits: list[Visit]) -> Visit | None:
    """The one of several from which gradients went to all others."""
    if len(visits) < 2:
        return None
    for one in visits:
        if all(each is one or reaches(run, one.key, each.key) for each in visits):
            return one
    return None


def _cancelled(visit: Visit, name: str) -> Cause | None:
    site = visit.site
    text = source_expressions.text_of(site)
    operand = source_expressions.operand(site)
    if not text or not operand:
        return None
    return cause(
        "zero-derivative", "zero-cancelled", site, operand,
        call=operation(site, visit.name), shown=operand, name=name,
    )  # fmt: skip


def _fix(kill: Odd, factor: str) -> str:
    if factor:
        return "zero-constant" if is_zero(factor) else "zero-factor"
    if kill.visit.name.startswith("Softmax"):
        low = [low for low, size, _ in kill.saved.values() if size]
        if low == [0]:  # a row of several that is saturated has zeros
            return "zero-softmax-of-one"
    return zero_fix(kill.visit.name)


def zero_factor(run: Run, kill: Odd) -> str:
    """The factor of a product that is zero, as written; "" where it is not known, or is long."""
    visit = kill.visit
    factors = source_expressions.factors(visit.site) if visit.name.startswith("Mul") else []
    zero = [text for text in factors if is_zero(text)]
    if not zero and len(factors) == 2 and kill.edge in (0, 1):
        other = 1 - kill.edge  # by what the gradient was multiplied
        if kill.saved.get(("self", "other")[other], (0, 0, False))[2]:
            zero = factors[other : other + 1] if kill.edge else _beside(run, visit, factors)
    return zero[0] if len(zero) == 1 and len(zero[0]) <= source_expressions.SHORT else ""


def _beside(run: Run, visit: Visit, factors: list[str]) -> list[str]:
    """The factor beside the tensor: a number is always the second operand, wherever it is written."""
    for note in (each for root in run.roots for each in root.tracked()):
        if note.node == visit.key and note.parents:
            tensor, *others = note.parents
            if others:
                return factors[1:]
            site = tensor.site
            names = source_expressions.assigned(site), source_expressions.expression_of(site)
            return [text for text in factors if text not in names] if site else []
    return []


def is_zero(text: str) -> bool:
    """Is it a plain number that is zero, as written?"""
    try:
        return float(text) == 0.0
    except ValueError:
        return False


def _dead(kill: Odd) -> Phrase:
    if kill.visit.name.startswith(("Relu", "Threshold")):
        for low, size, _ in kill.saved.values():
            if size:
                return Phrase("dead-units", dead=low, units=size)
    return NOTHING


# --- gradient scale --------------------------------------------------------------------------------------
# Gradients that shrink or grow by orders of magnitude: where, and by which factor per step.


#: Orders of magnitude that are worth a word: along a recurrence, at one line, over all.
_ALONG, _AT_ONE, _OVER_ALL = 6.0, 5.0, 9.0
#: So often one line has to come for it to be a recurrence.
_TURNS = 5
#: Their gradient by what is added is a sum.
_ADDED = ("Add", "Linear", "Sub", "Sum", "Baddbmm")


def why_scaled(run: Run, key: int, name: str) -> Cause | None:
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
            by_line[visit.site or visit.name].append((visit, change))  # where no line was noted
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
    alone = end in worst and end.name.startswith(_ADDED) and abs(change - last) < _AT_ONE
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

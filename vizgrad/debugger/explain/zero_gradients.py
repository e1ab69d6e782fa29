"""Why a whole gradient is exactly zero."""

from __future__ import annotations

from vizgrad.debugger.explain.advice import STEPS, zero_fix
from vizgrad.debugger.explain.cause import NOTHING, Cause, Operand, Phrase, cause
from vizgrad.debugger.explain.loss_minima import is_residual, keeps_its_margin
from vizgrad.debugger.explain.nonfinite import reaches
from vizgrad.debugger.explain.wording import operation, raw
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Odd, Run


def of_gradient(run: Run, key: int, name: str) -> Cause | None:
    for kill in run.kills:
        visit = kill.visit
        target = next((d.target for d in visit.out if d.edge == kill.edge), None)
        if target is None or not reaches(run, target, key):
            continue
        if is_residual(visit) or keeps_its_margin(run, visit):
            return None
        site = visit.site
        shown = source_expressions.assigned(site) or source_expressions.variable(site) or visit.name
        operand = source_expressions.operand(site) or shown
        factor = _zero_factor(kill)
        return cause(
            "zero-derivative", "zero", site, shown,
            fix=_fix(kill, factor), operand=Operand(operand), call=operation(site, visit.name), name=name,
            where=Phrase("everywhere" if visit.name.startswith(STEPS) else "at-values"), dead=_dead(kill),
            shown=operand, x=raw(operand), factor=factor,
        )  # fmt: skip
    return None


def _fix(kill: Odd, factor: str) -> str:
    if not factor:
        return zero_fix(kill.visit.name)
    return "zero-constant" if is_zero(factor) else "zero-factor"


def _zero_factor(kill: Odd) -> str:
    """Of a product the factor that is zero, as written; "" where it is not known, or is long."""
    visit = kill.visit
    factors = source_expressions.factors(visit.site) if visit.name.startswith("Mul") else []
    zero = [text for text in factors if is_zero(text)]
    if not zero and len(factors) == 2 and kill.edge in (0, 1):
        other = 1 - kill.edge  # by what the gradient was multiplied
        if kill.saved.get(("self", "other")[other], (0, 0, False))[2]:
            zero = [factors[other]]
    return zero[0] if len(zero) == 1 and len(zero[0]) <= source_expressions.SHORT else ""


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

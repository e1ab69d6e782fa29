"""Why a whole gradient is exactly zero."""

from __future__ import annotations

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.advice import STEPS, zero_fix
from vizgrad.debugger.explain.loss_minima import is_residual, keeps_its_margin
from vizgrad.debugger.explain.nonfinite import reaches
from vizgrad.debugger.explain.wording import code, line, operation, said
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Odd, Run


def of_gradient(run: Run, key: int, name: str) -> Explanation | None:
    for kill in run.kills:
        visit = kill.visit
        target = next((d.target for d in visit.out if d.edge == kill.edge), None)
        if target is None or not reaches(run, target, key):
            continue
        if is_residual(visit) or keeps_its_margin(run, visit):
            return None
        shown = (
            source_expressions.assigned(visit.site)
            or source_expressions.variable(visit.site)
            or visit.name
        )
        operand = source_expressions.operand(visit.site) or shown
        steps = visit.name.startswith(STEPS)
        story = (
            f"{operation(visit.site, visit.name)} on {line(visit.site)} has derivative "
            f"zero {'everywhere' if steps else 'at all these values'}"
        )
        story += _dead(kill)
        story += f", so the whole gradient of {code(name)} is zero."
        return said("zero-derivative", visit.site, shown, story, _fix(kill, operand))
    return None


def _fix(kill: Odd, operand: str) -> str:
    """Of a product the factor is named that is zero."""
    visit = kill.visit
    factors = source_expressions.factors(visit.site) if visit.name.startswith("Mul") else []
    zero = [text for text in factors if is_zero(text)]
    if not zero and len(factors) == 2 and kill.edge in (0, 1):
        other = 1 - kill.edge  # by what the gradient was multiplied
        if kill.saved.get(("self", "other")[other], (0, 0, False))[2]:
            zero = [factors[other]]
    if len(zero) != 1 or len(zero[0]) > source_expressions.SHORT:
        return zero_fix(visit.name, operand)
    if is_zero(zero[0]):
        return f"the factor `{zero[0]}` makes all of it zero: leave the term out, or give it another factor"
    return (
        f"`{zero[0]}` is zero where the gradient arrives: check it if it is a mask, a coefficient or data; "
        "if it is a parameter, initialise it with small random values"
    )


def is_zero(text: str) -> bool:
    """Is it a plain number that is zero, as written?"""
    try:
        return float(text) == 0.0
    except ValueError:
        return False


def _dead(kill: Odd) -> str:
    if not kill.visit.name.startswith(("Relu", "Threshold")):
        return ""
    for low, size, _ in kill.saved.values():
        if size:
            return f": {low} of {size} units are dead"
    return ""

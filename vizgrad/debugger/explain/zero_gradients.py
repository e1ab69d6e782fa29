"""Why a whole gradient is exactly zero."""

from __future__ import annotations

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.advice import STEPS, zero_fix
from vizgrad.debugger.explain.loss_minima import is_residual, keeps_its_margin
from vizgrad.debugger.explain.nonfinite import reaches
from vizgrad.debugger.explain.wording import line, said
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
            f"`{source_expressions.text_of(visit.site) or visit.name}` on {line(visit.site)} has derivative "
            f"zero {'everywhere' if steps else 'at all these values'}"
        )
        story += _dead(kill)
        story += f", so the whole gradient of `{name}` is zero."
        return said("zero-derivative", visit.site, shown, story, zero_fix(visit.name, operand))
    return None


def _dead(kill: Odd) -> str:
    if not kill.visit.name.startswith(("Relu", "Threshold")):
        return ""
    for low, size, _ in kill.saved.values():
        if size:
            return f": {low} of {size} units are dead"
    return ""

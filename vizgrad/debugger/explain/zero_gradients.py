"""Why a whole gradient is exactly zero."""

from __future__ import annotations

from vizgrad.errors import Explanation
from vizgrad.explaining.advice import STEPS, zero_fix
from vizgrad.explaining.minima import is_residual, keeps_its_margin
from vizgrad.explaining.nonfinite import reaches
from vizgrad.explaining.said import line, said
from vizgrad.provenance import written
from vizgrad.provenance.backwards import Odd, Run


def of_gradient(run: Run, key: int, name: str) -> Explanation | None:
    for kill in run.kills:
        visit = kill.visit
        target = next((d.target for d in visit.out if d.edge == kill.edge), None)
        if target is None or not reaches(run, target, key):
            continue
        if is_residual(visit) or keeps_its_margin(run, visit):
            return None
        shown = written.assigned(visit.site) or written.variable(visit.site) or visit.name
        operand = written.operand(visit.site) or shown
        steps = visit.name.startswith(STEPS)
        story = (
            f"`{written.text_of(visit.site) or visit.name}` on {line(visit.site)} has derivative zero "
            f"{'everywhere' if steps else 'at all these values'}"
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

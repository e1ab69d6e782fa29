"""Gradients that are small, or zero, because a loss has reached its minimum: nothing is wrong with these."""

from __future__ import annotations

from vizgrad.debugger.watch.backwards import Run, Visit

#: Their derivative is what is left between a prediction and its target.
_RESIDUALS = (
    "Abs", "BinaryCrossEntropyWithLogits", "Huber", "L1Loss", "LinalgVectorNorm", "LogSigmoid",
    "LogSoftmax", "MseLoss", "Norm", "Pow", "SmoothL1", "Square", "Sub",
)  # fmt: skip
#: Theirs is zero where a margin is kept.
_HINGES = ("Clamp", "Maximum", "Relu")
_TOTALS, _ADDING = ("Mean", "Sum"), ("Add", "Rsub", "Sub")
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
        before += [v for v in sums if v is not None and v.name.startswith(_ADDING)][:_NEAR]
        if each is not visit and len(each.out) == 1 and not each.name.startswith("Sub"):
            return True
        if len(before) > _NEAR:
            return False
    return False

"""Nothing is timed before its gradients are known to be the peers' gradients."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tests.benchmarks.case import Case, Run


class Mismatch(SystemExit):
    """Two peers do not compute the same: their times cannot be compared."""


def check_gradients(case: Case, runs: Mapping[str, Run]) -> None:
    """Runs each peer once and compares with the base's gradients; raises Mismatch."""
    found: dict[str, list[np.ndarray]] = {}
    for peer, run in runs.items():
        run.step()
        found[peer] = [np.array(gradient) for gradient in run.gradients()]
    base = found[case.base]
    for peer, gradients in found.items():
        if len(gradients) != len(base):
            raise Mismatch(
                f"{case.name}: {peer} has {len(gradients)} gradients, {case.base} {len(base)}"
            )
        for number, (ours, theirs) in enumerate(zip(gradients, base, strict=True)):
            fault = difference(ours, theirs, case.tolerance)
            if fault:
                raise Mismatch(
                    f"{case.name}: gradient {number} of {peer} is not that of {case.base}: {fault}. "
                    "Nothing was timed."
                )


def difference(ours: np.ndarray, theirs: np.ndarray, tolerance: float) -> str:
    """What is wrong with `ours`, or nothing."""
    if ours.shape != theirs.shape:
        return f"its shape is {ours.shape}, not {theirs.shape}"
    if ours.dtype != theirs.dtype:
        return f"its type is {ours.dtype}, not {theirs.dtype}"
    if not np.isfinite(ours).all():
        return "it is not finite"
    largest = float(np.abs(theirs).max(initial=0.0))
    far = float(np.abs(ours - theirs).max(initial=0.0))
    if far > tolerance * max(largest, 1e-12):
        return f"they differ by {far:.3g}, the largest element is {largest:.3g}"
    return ""

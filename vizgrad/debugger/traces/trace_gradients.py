"""The gradients of a trace, node by node, and how far those of two traces are apart."""

from __future__ import annotations

from collections.abc import Mapping
from math import hypot, inf, isfinite, isnan, nan
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host
from vizgrad.debugger import model
from vizgrad.debugger.session.open_session import Traced
from vizgrad.debugger.traces.files import FromFile

#: The gradient of a node's slot: the array if it is known, and numbers about it.
Got = tuple[Any, model.TensorSummary | None]


class Gradients:
    """The gradients in a trace."""

    def __init__(self, trace: model.Trace) -> None:
        self._visits = {visit.node: visit for visit in trace.visits}
        #: Nodes, as they ran.
        self.order = tuple(self._visits)
        self._arrays: Mapping[model.ArrayName, Any] = {}
        if isinstance(trace, FromFile):
            self._arrays = trace.values
        elif isinstance(trace, Traced):
            self._arrays = dict(trace.arrays())

    def norm(self, node: int) -> float | None:
        """The norm of all gradients that arrived; None if none did."""
        visit = self._visits.get(node)
        told = () if visit is None else visit.incoming
        norms = [summary.norm for summary in told if summary is not None]
        known = [norm for norm in norms if norm is not None]
        if not known:
            return None
        return nan if any(map(isnan, known)) else hypot(*known)

    def of(self, node: int, *, accumulated: bool) -> Mapping[str, Got]:
        """The gradient that arrived, by name, and (`accumulated`) a leaf's `.grad` after it."""
        visit = self._visits.get(node)
        if visit is None:
            return {}
        found = {
            f"gradient {nr}" if len(visit.incoming) > 1 else "": (
                self._arrays.get(model.ArrayName(node, "incoming", nr)),
                summary,
            )
            for nr, summary in enumerate(visit.incoming)
        }
        if accumulated and visit.accumulate is not None:
            after = self._arrays.get(model.ArrayName(node, "grad_after"))
            found[".grad"] = after, visit.accumulate.after
        return found


def apart(
    here: Mapping[str, Got], there: Mapping[str, Got], size: float = 0.0
) -> tuple[float | None, str]:
    """The largest difference relative to the norm here, or to `size` if that is larger, and in words what
    numbers do not say. None: there is nothing to compare; infinite: one is not defined, not finite where the
    other is, or of another shape.
    """
    worst: tuple[float | None, str] = None, ""
    for slot, (array, summary) in here.items():
        if slot not in there:
            continue
        relative, what = _of_one(array, summary, *there[slot], size)
        if relative is not None and (worst[0] is None or relative > worst[0]):
            worst = relative, ", ".join(filter(None, (slot, what)))
    return worst


def _of_one(
    a: Any, told: model.TensorSummary | None, b: Any, its: model.TensorSummary | None, size: float
) -> tuple[float | None, str]:
    if told is None or its is None:
        return (0.0, "") if told is its else (inf, "undefined on one side")
    if told.shape != its.shape:
        return inf, f"shape {list(told.shape)} here, {list(its.shape)} there"
    if a is not None and b is not None:
        return _of_arrays(to_host(a), to_host(b), size)
    if told.norm is None or its.norm is None:
        return None, ""
    if not (isfinite(told.norm) and isfinite(its.norm)):
        same = told.norm == its.norm or (isnan(told.norm) and isnan(its.norm))
        return (0.0, "") if same else (inf, f"norm {told.norm:g} here, {its.norm:g} there")
    return _relative(abs(told.norm - its.norm), max(told.norm, size)), "by norms"


def _of_arrays(a: Any, b: Any, size: float) -> tuple[float, str]:
    kind = xp.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else xp.float64
    a, b = a.astype(kind), b.astype(kind)
    odd = ~(xp.isfinite(a) & xp.isfinite(b))
    same = (a == b) | (xp.isnan(a) & xp.isnan(b))
    if bool(xp.any(odd & ~same)):
        count = int(xp.count_nonzero(odd & ~same))
        return inf, f"{count} of {a.size} not finite on one side"
    off = xp.where(same, 0, a - b)
    here = float(xp.linalg.norm(xp.where(odd, 0, a).reshape(-1)))
    return _relative(float(xp.linalg.norm(off.reshape(-1))), max(here, size)), ""


def _relative(off: float, here: float) -> float:
    if off == 0:
        return 0.0
    return off / here if here else inf

"""How far apart two runs may be by their number types alone.

Every operation rounds, and errors add up on the way. What counts is not only the type: where gradients
cancel (the bias before a normalisation gets a sum that is zero but for rounding) the error is as large as
that of what was summed. So a difference is measured against what the gradient was made of, if that is larger.
"""

from __future__ import annotations

from math import isfinite, prod

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import finfo
from vizgrad.debugger import model

#: Of the digits of a type so large a part must agree. What is left to rounding, and to other orders of sums,
#: was enough for models of a hundred operations on both engines (`tests/traces/test_rounding.py`).
DIGITS = 2 / 3
#: Parts of names of nodes that take an average off: what they send on may be what is left of a difference.
_CANCELLING = ("Norm", "Softmax", "Std", "Var")


def coarsest(*graphs: model.Graph) -> str:
    """The floating type with the fewest digits of those that gradients have; empty if there is none."""
    names = {out.dtype for graph in graphs for node in graph.nodes for out in node.outputs}
    known = {name: found for name in names if (found := _eps(name))}
    return max(known, key=known.__getitem__, default="")


def tolerance(dtype: str) -> float:
    """The relative difference that numbers of a type explain."""
    return _eps(dtype) ** DIGITS


def _eps(name: str) -> float:
    found = getattr(dtypes, name, None)
    if not isinstance(found, dtypes.DType) or found.category < 2:
        return 0.0
    return finfo(found).eps


def sizes(trace: model.Trace) -> dict[int, float]:
    """By node: the norm of what the gradient that arrived there was made of."""
    found: dict[int, float] = {}
    for visit in trace.visits:
        came, made_of = _norm(visit.incoming), found.get(visit.node, 0.0)
        cancelling = any(part in trace.graph.nodes[visit.node].name for part in _CANCELLING)
        for routed in visit.routed:
            sent, target = routed.routed, routed.edge.node
            if sent is None or target is None:
                continue
            size = _norm((sent,))
            if cancelling or prod(sent.shape) < _elements(visit.incoming):
                size = max(size, came)
            size = size * max(made_of / came, 1.0) if came else made_of
            if isfinite(size):
                found[target] = max(found.get(target, 0.0), size)
    return found


def _norm(summaries: tuple[model.TensorSummary | None, ...]) -> float:
    return max((s.norm for s in summaries if s is not None and s.norm is not None), default=0.0)


def _elements(summaries: tuple[model.TensorSummary | None, ...]) -> int:
    return max((prod(s.shape) for s in summaries if s is not None), default=0)

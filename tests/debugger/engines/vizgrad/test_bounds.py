"""No output is larger than it is said to be at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.core.graph.node import Node
from vizgrad.debugger.engines.common.nonfinite_origin import bound
from vizgrad.debugger.engines.vizgrad.engine_reader import READER
from vizgrad.nn import functional as F

CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "sums": lambda x, w, v: x + w - v,
    "products": lambda x, w, v: x * w * v,
    "sum": lambda x, w, v: (x * w).sum(),
    "sum of a dimension": lambda x, w, v: (x - w).sum(0),
    "mean": lambda x, w, v: (x * w).mean(1),
    "mm": lambda x, w, v: x @ w,
    "mm of a transpose": lambda x, w, v: x @ w.t(),
    "mv": lambda x, w, v: x @ v,
    "bmm": lambda x, w, v: x.expand(2, 3, 3).bmm(w.expand(2, 3, 3)),
    "addmm": lambda x, w, v: vg.addmm(v, x, w),
    "addmm with factors": lambda x, w, v: vg.addmm(v, x, w, beta=-30, alpha=50),
    "addmv with factors": lambda x, w, v: vg.addmv(v, x, v, beta=40, alpha=-20),
    "add with a factor": lambda x, w, v: x.add(w, alpha=70),
    "linear": F.linear,
    "a chain": lambda x, w, v: ((x @ w).relu() + v).tanh() @ w - x.softmax(0),
    "parts": lambda x, w, v: vg.cat([x[0], (w * v).max(1).values, v.abs().flip(0)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_bounds_hold(name: str) -> None:
    for seed in range(20):
        values = np.random.default_rng(seed)
        x, w, v = (
            vg.tensor(values.standard_normal(shape) * 3, requires_grad=True)
            for shape in ((3, 3), (3, 3), (3,))
        )
        y = CALLS[name](x, w, v)
        node: Any = y.grad_fn
        assert isinstance(node, Node)
        assert float(y.detach().abs().max()) <= bound(node, READER) * (1 + 1e-12)


def test_some_are_known() -> None:
    """Bounds are not just infinite."""
    x, w, v = (vg.ones(*s, requires_grad=True) for s in ((3, 3), (3, 3), (3,)))
    known = [name for name, call in CALLS.items() if bound(call(x, w, v).grad_fn, READER) < 1e6]
    assert set(CALLS) - set(known) <= {"add with a factor", "parts"}

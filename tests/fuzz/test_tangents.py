"""Random calls in forward mode: the tangent is the transpose of the gradient (spec A-6), whatever the call.

No other library is asked, so nothing has to be known of where that one differs.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fuzz.calls import Call
from tests.fuzz.observe import _operand_names, _shape_of, run, weight
from tests.fuzz.operations import FAMILIES, Drawing, operations
from vizgrad.autograd.forward_ad import attach, new_level, strip

pytestmark = [pytest.mark.rule("A-6"), pytest.mark.filterwarnings("ignore")]

CALLS = 4

#: Operations whose gradient is not that of their value, on purpose, and why.
NOT_ADJOINT = {
    "F.embedding": "the row of the padding gets no gradient",
    "embedding": "as F.embedding",
    "F.embedding_bag": "as F.embedding",
    "polar": "as in PyTorch the gradient by a negative radius has the other sign",
    "as_strided": "elements that share a place share its gradient, and may be given different tangents",
    "lobpcg": "a Function without jvp",
    "max_unpool": "of several values for one place each gets its gradient (T-85)",
    "scatter": "of several sources for one place each gets its gradient (T-85)",
    "index_put": "as scatter",
    "index_copy": "as scatter",
    "put": "as scatter",
    "select_scatter": "as scatter",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_tangents_are_transposed_gradients(family: str) -> None:
    torch = pytest.importorskip("torch")
    drawing = Drawing(torch, vg)
    wrong, looked = [], 0
    for name, operation in operations().items():
        if operation.family != family or any(word in name for word in NOT_ADJOINT):
            continue
        for k in range(CALLS):
            call = drawing.call(operation, f"tangents.{k}")
            if call is None or call.form == "out" or not any(g.grad for g in call.operands()):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                apart = difference(call)
            looked += apart is not None
            if apart:
                wrong.append(f"{apart}\n" + "\n".join(call.source()))
    assert not wrong, "\n\n".join(wrong)
    assert looked or family == "creation"


def difference(call: Call) -> str | None:
    """What is wrong; "" if nothing is, None if the call is refused, random or too coarse to tell."""
    try:
        names, results = _called(call, None)
    except Exception:  # noqa: BLE001  it is the business of the other tests
        return None
    wanted = [n for n, g in zip(_operand_names(call), call.operands(), strict=True) if g.grad]
    roots = [i for i, r in enumerate(results) if r.requires_grad]
    exact = [names[n].dtype for n in wanted] + [results[i].dtype for i in roots]
    if not roots or any(dtype not in (vg.float64, vg.complex128) for dtype in exact):
        return None
    try:
        slopes = vg.autograd.grad(
            [results[i] for i in roots],
            [names[n] for n in wanted],
            [weight(vg, results[i]) for i in roots],
            allow_unused=True,
            materialize_grads=True,
        )
    except Exception:  # noqa: BLE001  a derivative that is refused
        return None
    back = _inner(slopes, [weight(vg, names[n], 1.0) for n in wanted])
    with new_level() as level:
        try:
            _, made = _called(call, level)
        except NotImplementedError as error:
            return None if "does not support" in str(error) else f"raises {error}"
        found = [strip(made[i], level)[1] for i in roots]
    if any(
        not np.array_equal(_plain(a), _plain(b), True) for a, b in zip(results, made, strict=True)
    ):
        return None  # random
    there = _inner(found, [weight(vg, results[i]) for i in roots])
    if not (math.isfinite(back[0]) and math.isfinite(there[0])):
        return None
    size = max(back[1], there[1], 1.0)
    return "" if abs(back[0] - there[0]) <= 1e-7 * size else f"{back[0]} back, {there[0]} forward"


def _called(call: Call, level: Any) -> tuple[dict[str, Any], list[Any]]:
    """The names after the call, and its tensors; with a `level`, of duals."""
    lines = call.source()
    names = run(vg, [line for line in lines[:-1] if not line.startswith("target")])
    if level is not None:
        for name in _operand_names(call):
            if names[name].requires_grad:
                plain = names[name].detach()
                names[name] = attach(plain, weight(vg, plain, 1.0), level)
    vg.manual_seed(0)
    last = [line for line in lines[:-1] if line.startswith("target")] + lines[-1:]
    exec(compile("\n".join(last), "<call>", "exec"), names)
    results: list[Any] = []
    _shape_of(vg, names["result"], results)
    return names, results


def _plain(tensor: Any) -> Any:
    return np.asarray(tensor.detach().to(vg.complex128))


def _inner(values: Any, others: Any) -> tuple[float, float]:
    """The real inner product, and the sum of the sizes of its terms."""
    total = size = 0.0
    for value, other in zip(values, others, strict=True):
        if value is not None:
            terms = (_plain(value).conj() * _plain(other)).real
            total += float(terms.sum())
            size += float(abs(terms).sum())
    return total, size

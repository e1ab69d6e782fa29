"""Every declared operation with a derivative is reached by a row of the spec table (T-96)."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from tests.core.ops.differences import gradients, leaves_of, results_of
from tests.specs.table import CASES
from vizgrad.core.function.primitive import REGISTRY

#: Operations whose rows belong to others (nn, views written in place), or that only random fillers use.
ELSEWHERE = {
    "strided_take", "strided_put", "strided_replace", "overwrite",
    "overwrite_compared", "to_device",
    "floor_divide", "floor_divide_number", "heaviside",  # refuse to be differentiated
    "crop", "take",  # met in second derivatives
    "to_copy",  # tests/core/ops/test_conversion.py: differences cannot be taken in float32
    # of layers and distributions: tests/nn, tests/distributions
    "addmm_t", "bmm_t", "mm_t", "embedding", "embedding_backward", "embedding_take", "standard_gamma",
}  # fmt: skip

#: Families with rows in tests/specs.
FAMILIES = (
    "arithmetic", "compare", "complexes", "copying", "decompositions",
    "extremes", "fourier", "indexing", "joining", "linalg", "matrix_products", "pointwise",
    "pointwise_binary", "reduce", "select", "shape", "special", "statistics",
)  # fmt: skip


def _ops_below(node: Any, found: set[str]) -> None:
    stack, seen = [node], set()
    while stack:
        current = stack.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        op = getattr(type(current), "op", None)
        if op is not None:
            found.add(op.name)
        stack.extend(following for following, _ in current.next_functions)


def test_every_operation_has_a_row() -> None:
    met: set[str] = set()
    for row, sample in CASES:
        for result in results_of(row, leaves_of(sample)):
            _ops_below(result.grad_fn, met)
        for gradient in gradients(row, sample, create_graph=True)[2]:
            _ops_below(gradient.grad_fn, met)
    declared = {
        name
        for name, op in REGISTRY.items()
        if op.formulas and any(_family(f) in FAMILIES for f in op.formulas.values())
    }
    assert [f for f in FAMILIES if find_spec(f"vizgrad.core.ops.{f}") is None] == []
    assert sorted(declared - met - ELSEWHERE) == []


def _family(formula: Any) -> str:
    return (
        formula.__module__.rpartition(".")[2]
        if formula.__module__.startswith("vizgrad.core.ops")
        else ""
    )

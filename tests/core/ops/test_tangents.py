"""Every row of the spec table in forward mode: against differences, against the gradient, and twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.ops.differences import gradients, leaves_of, results_of, weights_for
from tests.specs import activations, layers
from tests.specs.checks import check_row
from tests.specs.row import Row, Sample, wave
from tests.specs.table import ROWS
from vizgrad.autograd.forward_ad import attach, new_level, strip
from vizgrad.core.function.primitive import REGISTRY
from vizgrad.core.ops import registry
from vizgrad.core.ops.tangents.table import kind_of

pytestmark = pytest.mark.rule("A-6")

ROWS = [*ROWS, *activations.ROWS, *layers.ROWS]

#: Rows whose gradient is not the derivative of the value, on purpose: there the tangent is.
NOT_ADJOINT = {"embedding, padding"}


def directions(sample: Sample, seed: int) -> list[np.ndarray | None]:
    """A direction for each array of floats."""
    return [
        wave(*a.shape, low=-1.0, high=1.5, seed=seed + i).reshape(a.shape)
        if a.dtype.kind == "f"
        else None
        for i, a in enumerate(sample.arrays)
    ]


def duals(leaves: list[Any], along: list[Any], level: Any) -> list[Any]:
    return [
        x if d is None else attach(x, vg.tensor(d), level)
        for x, d in zip(leaves, along, strict=True)
    ]


def tangents(row: Row, leaves: list[Any], along: list[Any]) -> list[Any]:
    with new_level() as level:
        results = results_of(row, duals(leaves, along, level))
        return [strip(r, level)[1] for r in results]


def the_tangent_is_the_slope_along_it(row: Row, sample: Sample) -> None:
    along = directions(sample, 1)
    with vg.no_grad():
        found = tangents(row, leaves_of(sample), along)
        results = results_of(row, leaves_of(sample))
        assert all(
            t is None or (t.shape == r.shape and t.dtype is r.dtype)
            for t, r in zip(found, results, strict=True)
        )
        if not row.smooth:
            return
        ends = [
            results_of(
                row,
                [
                    vg.from_numpy(a if d is None else np.asarray(a + step * d))
                    for a, d in zip(sample.arrays, along, strict=True)
                ],
            )
            for step in (1e-5, -1e-5)
        ]
    for tangent, high, low in zip(found, *ends, strict=True):
        if high.is_floating_point():
            slope = (high.numpy() - low.numpy()) / 2e-5
            have = np.zeros_like(slope) if tangent is None else tangent.numpy()
            np.testing.assert_allclose(have, slope, rtol=1e-6, atol=1e-6)


def the_tangent_is_the_transpose_of_the_gradient(row: Row, sample: Sample) -> None:
    if row.name in NOT_ADJOINT:
        return
    along = directions(sample, 2)
    _, incoming, slopes = gradients(row, sample, create_graph=False)
    leaves = leaves_of(sample)
    with_grad = [r.requires_grad for r in results_of(row, leaves)]
    found = [
        t
        for t, wanted in zip(tangents(row, leaves_of(sample), along), with_grad, strict=True)
        if wanted
    ]
    forward = sum(
        float((t.detach().numpy() * u.numpy()).sum())
        for t, u in zip(found, incoming, strict=True)
        if t is not None
    )
    given = [d for d in along if d is not None]
    back = sum(float((g.numpy() * d).sum()) for g, d in zip(slopes, given, strict=True))
    np.testing.assert_allclose(forward, back, rtol=1e-9, atol=1e-9)


def number(row: Row, leaves: list[Any]) -> Any:
    """The results, weighted and added up."""
    results = [r for r in results_of(row, leaves) if r.is_floating_point()]
    weights = weights_for(results)
    return sum((r * vg.tensor(w)).sum() for r, w in zip(results, weights, strict=True))


def inner(values: list[Any], along: list[Any]) -> float:
    return sum(
        float((v.detach().numpy() * d).sum())
        for v, d in zip(values, along, strict=True)
        if v is not None
    )


def all_ways_to_the_second_derivative_agree(row: Row, sample: Sample) -> None:
    """s H t: by two gradients, by the tangent of a gradient, the gradient of a tangent, by two tangents."""
    if not row.twice or sample is not row.samples[0]:  # shapes are the first derivative's business
        return
    first, second = directions(sample, 3), directions(sample, 7)
    some, others = ([d for d in way if d is not None] for way in (first, second))

    def wanted(leaves: list[Any]) -> list[Any]:
        return [x for x in leaves if x.is_floating_point()]

    options = {"allow_unused": True, "materialize_grads": True}

    leaves = leaves_of(sample)
    slopes = vg.autograd.grad(number(row, leaves), wanted(leaves), create_graph=True, **options)
    along = sum((g * vg.tensor(d)).sum() for g, d in zip(slopes, some, strict=True))
    expected = 0.0
    if along.requires_grad:
        expected = inner(vg.autograd.grad(along, wanted(leaves), **options), others)

    leaves = leaves_of(sample)
    with new_level() as level:
        given = duals(leaves, second, level)
        slopes = vg.autograd.grad(number(row, given), wanted(given), **options)
        forward_over_reverse = inner([strip(g, level)[1] for g in slopes], some)

    leaves = leaves_of(sample)
    with new_level() as level:
        slope = strip(number(row, duals(leaves, first, level)), level)[1]
        reverse_over_forward = 0.0
        if slope is not None and slope.requires_grad:
            reverse_over_forward = inner(vg.autograd.grad(slope, wanted(leaves), **options), others)

    leaves = leaves_of(sample)
    with new_level() as outer:
        given = duals(leaves, second, outer)
        with new_level() as level:
            slope = strip(number(row, duals(given, first, level)), level)[1]
        found = None if slope is None else strip(slope, outer)[1]
        forward_over_forward = 0.0 if found is None else float(found)

    for found in (forward_over_reverse, reverse_over_forward, forward_over_forward):
        np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-8)


@pytest.mark.rule("A-9", "C-5")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    check_row(
        row,
        the_tangent_is_the_slope_along_it,
        the_tangent_is_the_transpose_of_the_gradient,
        all_ways_to_the_second_derivative_agree,
    )


def test_rules_are_of_operations_and_of_their_inputs() -> None:
    from vizgrad.core.ops.tangents import rules

    registry.operations()
    for name, rule in rules.RULES.items():
        assert name in REGISTRY, name
        named = getattr(rule, "inputs", ())
        assert set(named) <= set(REGISTRY[name].differentiable), name


def test_few_operations_go_the_general_way() -> None:
    """Two gradients cost more than a rule: what many programs use has one."""
    registry.operations()
    general = {op.name for op in REGISTRY.values() if kind_of(op) == "transposed"}
    usual = {
        "softmax",
        "log_softmax",
        "layer_norm",
        "batch_norm",
        "mse_loss",
        "nll_loss",
        "solve",
        "inv",
    }
    assert not general & usual
    assert len(general) < 0.15 * len([op for op in REGISTRY.values() if op.formulas])

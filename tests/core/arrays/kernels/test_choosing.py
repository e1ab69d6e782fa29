"""Choosing between two values for each element: many are computed, not chosen, and the bits are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad.core.arrays.kernels import activation, gradients
from vizgrad.core.arrays.kernels.elementwise import clamp, either, either_number, keep

#: So few elements are chosen one by one.
FEW = 1000
SPECIAL = [0.0, np.inf, np.nan, 1e-42, 1e-30, 1.0, 90.0, 1e30]


def values(kind: str, seed: int) -> Any:
    """Numbers of all sizes, and both signs of each special one."""
    draws = np.random.default_rng(seed)
    drawn = draws.standard_normal(5000) * draws.choice([1e-30, 1e-3, 1.0, 20.0], 5000)
    special = np.array(SPECIAL * 8)
    with np.errstate(all="ignore"):
        return draws.permutation(np.concatenate([drawn, special, -special])).astype(kind)


def assert_same_bits(one: Any, two: Any) -> None:
    """NaN is NaN, whatever its sign."""
    assert one.dtype == two.dtype
    numbers = ~np.isnan(one)
    assert (numbers == ~np.isnan(two)).all()
    bits = f"u{one.itemsize}"
    assert (one[numbers].view(bits) == two[numbers].view(bits)).all()


def assert_as_in_pieces(function: Callable[..., Any], *arrays: Any) -> None:
    """The function of all elements gives what it gives of few elements at a time."""
    with np.errstate(all="ignore"):
        whole = function(*arrays)
        pieces = [
            function(*(array[start : start + FEW] for array in arrays))
            for start in range(0, len(arrays[0]), FEW)
        ]
    assert whole.base is None  # else the engine would copy it
    assert_same_bits(whole, np.concatenate(pieces))


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize("slope", [0.0, 1e-60, 0.01, 0.2, 1.0, 2.0, -0.5])
def test_leaky_relu(kind: str, slope: float) -> None:
    x, grad = values(kind, 1), values(kind, 2)
    assert_as_in_pieces(lambda x: activation.leaky_relu(x, negative_slope=slope), x)
    assert_as_in_pieces(lambda g, x: activation.leak(g, mask=x > 0, slope=slope), grad, x)
    few = x[:FEW]
    with np.errstate(all="ignore"):
        expected = np.where(few > 0, few, few * few.dtype.type(slope))
        assert_same_bits(activation.leaky_relu(few, negative_slope=slope), expected)


@pytest.mark.parametrize("kind", ["f4", "f8"])
@pytest.mark.parametrize(
    ("alpha", "scale", "input_scale"),
    [
        (1.0, 1.0, 1.0), (0.5, 1.0, 1.0), (0.0, 1.0, 1.0), (-1.0, 1.0, 1.0), (np.inf, 1.0, 1.0),
        (1.6732632423543772, 1.0507009873554805, 1.0), (2.0, 1.0, 0.5), (-2.0, 1.0, -0.5),
    ],
)  # fmt: skip
def test_elu(kind: str, alpha: float, scale: float, input_scale: float) -> None:
    x, grad = values(kind, 3), values(kind, 4)
    options = {"alpha": alpha, "scale": scale, "input_scale": input_scale}
    assert_as_in_pieces(lambda x: activation.elu(x, **options), x)
    assert_as_in_pieces(lambda g, x: gradients.elu(g, x, **options), grad, x)
    with np.errstate(all="ignore"):
        slope = np.exp(np.where(x < 0, x, x.dtype.type(0)) * input_scale)
        below = grad * (slope * (scale * alpha * input_scale))
        expected = np.where(x <= 0, below, grad * scale)
        assert_same_bits(gradients.elu(grad, x, **options), expected)


def test_the_gradient_of_elu_at_not_a_number_is_that_above_0() -> None:
    for number in (np.nan, -np.nan):
        x = np.full(3, np.copysign(np.nan, number), "f4")
        slope = gradients.elu(np.ones(3, "f4"), x, alpha=1.0, scale=1.0, input_scale=1.0)
        assert slope.tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
def test_either(kind: str) -> None:
    one, two = values(kind, 5), values(kind, 6)
    mask = np.random.default_rng(7).integers(0, 2, len(one)).astype(bool)
    assert_as_in_pieces(either, mask, one, two)
    assert_as_in_pieces(lambda a, m: keep(a, mask=m), one, mask)
    for numbers in ((1.0, 0.25), (-0.0, np.inf), (0.0, -3.0)):
        chosen = either_number(mask, one.dtype, *numbers)
        assert_same_bits(chosen, np.where(mask, *np.array(numbers, kind)))


@pytest.mark.parametrize("name", ["elu", "celu", "selu", "leaky_relu"])
def test_results_lie_as_the_operand_does(name: str) -> None:
    """As in PyTorch."""
    x = vg.zeros(60, 80).t().requires_grad_()
    assert getattr(vg.nn.functional, name)(x).stride() == (1, 80)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
@pytest.mark.parametrize("count", [1, 7, 5000])
@pytest.mark.parametrize(
    ("low", "high"),
    [(0.0, 6.0), (-0.0, 1.0), (-1.0, 1.0), (1.0, -1.0), (0.0, None), (None, -0.0), (np.nan, 1.0)],
)
def test_clamp_leaves_a_zero_as_it_is(
    kind: str, count: int, low: float | None, high: float | None
) -> None:
    """As in PyTorch, where a bound is 0, too: -0 is not below it."""
    x = values(kind, 8)[:count]
    x[0] = -0.0
    expected = x.copy()
    if low is not None:
        expected[~(x >= low) & (x == x)] = low
    if high is not None:
        expected[expected > high] = high
    assert_same_bits(clamp(x, min=low, max=high), expected)


@pytest.mark.parametrize("kind", ["f2", "f4", "f8"])
@pytest.mark.parametrize("count", [1, 7, 5000])
def test_relu(kind: str, count: int) -> None:
    x = values(kind, 9)[:count]
    x[0] = -0.0
    expected = x.copy()
    expected[x < 0] = 0
    assert_same_bits(activation.relu(x), expected)


@pytest.mark.parametrize("call", ["relu6", "hardtanh"])
def test_clamping_functions_leave_a_zero_as_it_is(call: str) -> None:
    zeros = vg.full((5000,), -0.0)
    bounds = {} if call == "relu6" else {"min_val": 0.0}
    assert vg.signbit(getattr(vg.nn.functional, call)(zeros, **bounds)).all()

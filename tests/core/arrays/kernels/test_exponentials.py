"""Kernels in float32 that compute by other functions than their own: errors and special values."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from vizgrad.core.arrays.kernels.activation import elu, gelu, log_sigmoid, relu, softplus
from vizgrad.core.arrays.kernels.exponentials import expm1_below, log1p_finite

INF, NAN = np.inf, np.nan


def spread(low: float, high: float) -> np.ndarray:
    """Positive float32 numbers, as many between two powers of two as between any two others."""
    first, last = (int(np.float32(end).view(np.uint32)) for end in (low, high))
    return np.linspace(first, last, 200_000).astype(np.uint32).view(np.float32)


def units_off(found: np.ndarray, wanted: np.ndarray) -> float:
    """The largest error in units of the last place of float32."""
    unit = np.spacing(np.abs(wanted).astype(np.float32)).astype(np.float64)
    return float((np.abs(found - wanted) / unit).max())


def test_expm1_is_exact_to_a_few_units() -> None:
    x = -spread(1e-30, 200)
    assert units_off(expm1_below(x), np.expm1(x.astype(np.float64))) < 4


@pytest.mark.parametrize("x", [spread(1e-30, 1), spread(1, 1e30), -spread(1e-30, 0.9999999)])
def test_log1p_is_exact_to_a_few_units(x: np.ndarray) -> None:
    assert units_off(log1p_finite(x), np.log1p(x.astype(np.float64))) < 5


def test_expm1_and_log1p_at_special_values() -> None:
    below = np.array([0.0, -0.0, -INF, NAN], np.float32)
    np.testing.assert_array_equal(expm1_below(below), np.float32([0, -0.0, -1, NAN]))
    above = np.array([0.0, -1, -2, NAN, 3e38], np.float32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(log1p_finite(above), np.log1p(above))


def test_arrays_without_dimensions_are_computed_alike() -> None:
    x = np.float32(-0.3)
    for function in (expm1_below, log1p_finite):
        assert function(np.array(x)).shape == ()
        assert function(np.array(x)) == function(np.array([x]))[0]


def test_gelu_is_exact_on_both_sides() -> None:
    x = np.concatenate([spread(1e-20, 30), -spread(1e-20, 30)])
    wanted = x * ndtr(x.astype(np.float64))
    assert np.abs(gelu(x, approximate="none") - wanted).max() < 1e-6
    near = -spread(1e-20, 2)
    np.testing.assert_allclose(
        gelu(near, approximate="none"), near * ndtr(near.astype(np.float64)), rtol=1e-5
    )


def test_gelu_far_out() -> None:
    x = np.array([INF, -INF, NAN, 3e38, -3e38, -20, 1e4], np.float32)
    wanted = np.array([INF, NAN, NAN, 3e38, 0, 0, 1e4], np.float32)
    np.testing.assert_array_equal(gelu(x, approximate="none"), wanted)


def test_an_exponential_that_grows_is_numpys_own() -> None:
    """celu with a negative alpha is e to a positive power; softplus may be asked for any threshold."""
    x = np.array([-40.0, -1.0], np.float32)
    grown = elu(x, alpha=-0.5, scale=1.0, input_scale=-2.0)
    np.testing.assert_allclose(grown, -0.5 * np.expm1(-2.0 * x), rtol=1e-6)
    high = softplus(np.array([100.0], np.float32), beta=1.0, threshold=200.0)
    assert high[0] == INF


def test_log_sigmoid_of_infinities() -> None:
    x = np.array([INF, -INF, NAN], np.float32)
    np.testing.assert_array_equal(log_sigmoid(x), np.float32([0, -INF, NAN]))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i4"])
@pytest.mark.parametrize("shape", [(5,), (3, 5000), (70_000,)])
def test_relu_in_blocks_is_relu(dtype: str, shape: tuple[int, ...]) -> None:
    x = (np.random.default_rng(0).standard_normal(shape) * 4).astype(dtype)
    if x.dtype.kind == "f":
        x.reshape(-1)[:3] = NAN, INF, -INF
    for given in (x, x.T, x[..., ::2]):
        found = relu(given)
        np.testing.assert_array_equal(found, np.where(given < 0, np.zeros((), dtype), given))
        assert found.dtype == dtype


@pytest.mark.parametrize("size", [3, 40, 5000])
def test_relu_keeps_the_sign_of_zero(size: int) -> None:
    assert np.signbit(relu(np.full(size, -0.0, np.float32))).all()

"""Triangular systems, and products of reflections, against the steps one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vizgrad.core.arrays.kernels import linalg

SIZE = 30


def _large_below() -> np.ndarray:
    """A unit lower triangle of elements of which each is larger than the diagonal."""
    below = 30 * np.random.default_rng(0).standard_normal((SIZE, SIZE))
    return np.tril(below, -1) + np.eye(SIZE)


@pytest.mark.parametrize("unit", [False, True])
def test_a_lower_triangle_keeps_all_digits(unit: bool) -> None:
    lower = _large_below()
    found = linalg.solve_triangular(lower, np.ones((SIZE, 1)), False, True, unit)[:, 0]
    exact: Any = np.zeros(SIZE, np.longdouble)
    for row in range(SIZE):
        exact[row] = 1 - (lower[row, :row].astype(np.longdouble) * exact[:row]).sum()
    np.testing.assert_allclose(found, exact.astype(float), rtol=1e-13)
    assert found.flags.c_contiguous


@pytest.mark.parametrize("upper", [False, True])
def test_infinities_beside_the_diagonal_are_no_singular_matrix(upper: bool) -> None:
    lower = np.array([[1.0, 0, 0], [np.inf, 1, 0], [1, 0, 1]])
    found = linalg.solve_triangular(lower.T if upper else lower, np.ones((3, 1)), upper, True, True)
    assert not np.isfinite(found).all()


@pytest.mark.parametrize("turned", [False, True])
def test_reflections_that_lengthen_keep_all_digits(turned: bool) -> None:
    made = np.random.default_rng(1)
    a, tau = made.standard_normal((SIZE, 20)), 2 * made.standard_normal(20)
    c = made.standard_normal((SIZE, 3))
    found = linalg.reflected(a, tau, c, turned)
    expected = c.astype(np.longdouble)
    for k in range(20) if turned else reversed(range(20)):
        v = np.tril(a, -1)[:, k, None] + np.eye(SIZE)[:, k, None]
        expected = expected - tau[k] * v * (v.T @ expected)
    size = float(abs(expected).max())
    assert size > 1e6
    np.testing.assert_allclose(found, expected.astype(float), rtol=0, atol=1e-13 * size)

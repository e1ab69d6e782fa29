"""Softmax of many rows: without a search for maxima where no number overflows or vanishes, else with one."""

from __future__ import annotations

import numpy as np
import pytest

from vizgrad.core.arrays.kernels import normalization

ROWS, COLUMNS = 64, 8


def _scores(change: str) -> np.ndarray:
    scores = np.random.default_rng(0).standard_normal((ROWS, COLUMNS), dtype=np.float32)
    if change == "large":
        scores[3, 2] = 200
    elif change == "small":
        scores[3] -= 200
    elif change == "masked":
        scores[np.triu_indices(COLUMNS, 1)] = -np.inf
    elif change == "NaN":
        scores[3, 2] = np.nan
    elif change == "infinite":
        scores[3, 2] = np.inf
    return scores


@pytest.mark.parametrize("change", ["nothing", "large", "small", "masked", "NaN", "infinite"])
def test_every_row_is_what_float64_gives(change: str) -> None:
    scores = _scores(change)
    wide = scores.astype(np.float64)
    with np.errstate(all="ignore"):
        raised = np.exp(wide - wide.max(1, keepdims=True))
        expected = raised / raised.sum(1, keepdims=True)
    found = normalization.softmax(scores, 1)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-37)
    np.testing.assert_allclose(
        normalization.safe_softmax(scores, 1), expected, rtol=1e-6, atol=1e-37
    )


def test_a_row_that_is_masked_wholly() -> None:
    scores = _scores("nothing")
    scores[3] = -np.inf
    assert np.isnan(normalization.softmax(scores, 1)[3]).all()
    assert not normalization.safe_softmax(scores, 1)[3].any()


@pytest.mark.parametrize("shape", [(6, 3), (4, 3, 5), (2, 3, 4, 5), (3, 1, 2, 2), (0, 3, 2)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_gradients_of_a_batch_norm_together_are_those_one_by_one(
    shape: tuple[int, ...], dtype: str
) -> None:
    draws = np.random.default_rng(0)
    x, grad = (draws.standard_normal(shape).astype(dtype) for _ in range(2))
    weight = draws.standard_normal(shape[1]).astype(dtype)
    out, mean, scale, variance = normalization.batch_norm_training(x, weight, None, 1e-5)
    plain = normalization.batch_norm(x, weight, None, mean, scale)
    np.testing.assert_allclose(out, plain, rtol=1e-2 if dtype == "float16" else 1e-4, atol=1e-5)
    assert [a.tobytes() for a in normalization.batch_statistics(x)] == [
        mean.tobytes(),
        variance.tobytes(),
    ]
    together = normalization.batch_norm_gradients(grad, x, weight, mean, scale)
    alone = (
        normalization.batch_norm_gradient(grad, x, weight, mean, scale, training=True),
        normalization.channel_gradient(grad, x, mean, scale),
        normalization.channel_total(grad),
    )
    for found, expected in zip(together, alone, strict=True):
        assert found.dtype == expected.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("shape", "dims"), [((5, 8), 1), ((2, 3, 8), 1), ((2, 3, 8), 2)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_gradients_of_a_layer_norm_together_are_those_one_by_one(
    shape: tuple[int, ...], dims: int, dtype: str
) -> None:
    draws = np.random.default_rng(0)
    x, grad = (draws.standard_normal(shape).astype(dtype) for _ in range(2))
    weight = draws.standard_normal(shape[-dims:]).astype(dtype)
    _, mean, scale = normalization.layer_norm(x, weight, None, dims, 1e-5)
    given = grad.copy()
    found = normalization.layer_norm_gradients(grad, x, weight, mean, scale, dims)
    assert grad.tobytes() == given.tobytes()  # it may wait elsewhere
    alone = normalization.layer_norm_gradient(grad, x, weight, mean, scale, dims)
    over = tuple(range(x.ndim - dims))
    products = grad * normalization.standardized(x, mean, scale)
    close = {"rtol": 1e-2, "atol": 1e-2} if dtype == "float16" else {"rtol": 1e-4, "atol": 1e-5}
    np.testing.assert_allclose(found[0], alone, **close)
    for gradient, each in zip(found[1:], (products, grad), strict=True):
        # those of halves are summed by the engine
        summed = gradient if gradient.shape == weight.shape else gradient.sum(over)
        np.testing.assert_allclose(summed, each.sum(over), **close)

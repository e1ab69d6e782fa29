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

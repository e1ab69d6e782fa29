"""The kernels of attention: cut into blocks they give what one product gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from vizgrad.core.arrays.kernels import attention as kernel
from vizgrad.core.arrays.kernels.attention import attention, attention_gradients

SCALE = 0.4


def given(*, shared: int = 1, dtype: str = "float64", queries: int = 70) -> tuple[np.ndarray, ...]:
    """Query, key, value and the gradient that arrives, for 70 queries and 9 keys of three examples."""
    draws = np.random.default_rng(0)
    shapes = (3, 4, queries, 5), (3, 4 // shared, 9, 5), (3, 4 // shared, 9, 5), (3, 4, queries, 5)
    return tuple(draws.standard_normal(shape).astype(dtype) for shape in shapes)


def by_formula(
    query: np.ndarray,
    key: np.ndarray,
    value: np.ndarray,
    grad: np.ndarray,
    mask: Any,
    is_causal: bool,
) -> tuple[np.ndarray, ...]:
    """The result, the logarithms and the three gradients, with all weights at once."""
    shared = query.shape[1] // key.shape[1]
    keys, values = (np.repeat(each, shared, 1) for each in (key, value))
    scores = query @ keys.swapaxes(2, 3) * SCALE + (0 if mask is None else mask)
    if is_causal:
        scores[..., np.triu(np.ones(scores.shape[2:], bool), 1)] = -np.inf
    raised = np.exp(scores)
    total = raised.sum(-1, keepdims=True)
    weights = raised / np.where(total == 0, 1, total)
    by_weights = grad @ values.swapaxes(2, 3)
    slopes = weights * (by_weights - (weights * by_weights).sum(-1, keepdims=True)) * SCALE
    heads = *key.shape[:2], shared, *key.shape[2:]
    by_key = (slopes.swapaxes(2, 3) @ query).reshape(heads).sum(2)
    by_value = (weights.swapaxes(2, 3) @ grad).reshape(heads).sum(2)
    logarithms = np.log(np.where(total == 0, 1, total))[..., 0]
    return weights @ values, logarithms, slopes @ keys, by_key, by_value


@pytest.mark.parametrize("scores", [1, 300, 6000, 1 << 17])
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("masked", ["", "all", "one example", "closed"])
@pytest.mark.parametrize("shared", [1, 2, 4])
def test_blocks_give_what_one_product_gives(
    scores: int, is_causal: bool, masked: str, shared: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for size in ("_TOGETHER", "_CUT"):
        monkeypatch.setattr(kernel, size, scores)
    *operands, grad = given(shared=shared)
    draws = np.random.default_rng(1)
    mask = {
        "": None,
        "all": draws.standard_normal((70, 9)),
        "one example": draws.standard_normal((3, 1, 1, 9)),
        "closed": np.where(np.arange(70)[:, None] % 3, 0, -np.inf),
    }[masked]
    wanted = by_formula(*operands, grad, mask, is_causal)
    out, sums = attention(*operands, mask, is_causal, SCALE)
    found = attention_gradients(
        grad,
        *operands,
        mask,
        out,
        sums,
        is_causal,
        SCALE,
        (True, True, True),
    )
    for seen, expected in zip((out, sums, *found), wanted, strict=True):
        assert seen is not None
        np.testing.assert_allclose(seen, expected, rtol=1e-11, atol=1e-12)


def test_only_what_is_wanted_is_computed() -> None:
    query, key, value, grad = given()
    out, sums = attention(query, key, value, None, False, SCALE)
    one, two, three = np.eye(3, dtype=bool).tolist()
    whole = attention_gradients(
        grad, query, key, value, None, out, sums, False, SCALE, (True, True, True)
    )
    for place, wanted in enumerate((one, two, three)):
        found = attention_gradients(
            grad, query, key, value, None, out, sums, False, SCALE, tuple(wanted)
        )
        assert [each is not None for each in found] == wanted
        np.testing.assert_array_equal(found[place], whole[place])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_computed_in_float32(dtype: str) -> None:
    pytest.importorskip("ml_dtypes")
    *operands, grad = (each.astype(dtype) for each in given(queries=9))
    query, key, value = operands
    out, sums = attention(query, key, value, None, False, SCALE)
    exact = attention(*(each.astype("f8") for each in operands), None, False, SCALE)
    assert (out.dtype, sums.dtype) == (np.dtype(dtype), np.dtype("float32"))
    np.testing.assert_allclose(sums, exact[1], rtol=1e-5)
    # within half a unit in the last place, and what float32 adds to it
    np.testing.assert_allclose(
        out.astype("f8"), exact[0], rtol={"float16": 2**-11, "bfloat16": 2**-8}[dtype] * 1.01
    )
    found = attention_gradients(
        grad, query, key, value, None, out, sums, False, SCALE, (True, True, True)
    )
    assert all(each is not None and each.dtype == np.dtype(dtype) for each in found)


@pytest.mark.parametrize("size", [1.0, 100.0])
def test_large_scores_do_not_overflow(size: float) -> None:
    query, key, value, _ = (each.astype("f4") for each in given())
    out, sums = attention(query * size, key, value, None, False, SCALE)
    exact = attention(
        query.astype("f8") * size, key.astype("f8"), value.astype("f8"), None, False, SCALE
    )
    np.testing.assert_allclose(sums, exact[1], rtol=1e-5)
    np.testing.assert_allclose(out, exact[0], rtol=1e-3, atol=1e-4)


def test_results_and_gradients_lie_as_the_operands() -> None:
    query, key, value, grad = given()
    turned = np.ascontiguousarray(query.transpose(0, 2, 1, 3)).transpose(0, 2, 1, 3)
    for each in (query, turned):
        out, sums = attention(each, key, value, None, False, SCALE)
        assert out.strides == each.strides
        found = attention_gradients(
            grad, each, key, value, None, out, sums, False, SCALE, (True, True, True)
        )
        for gradient, operand in zip(found, (each, key, value), strict=True):
            assert gradient is not None
            assert gradient.strides == operand.strides

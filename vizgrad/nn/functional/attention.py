"""Attention."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import float32
from vizgrad.core.ops.constants import place_of
from vizgrad.core.ops.public.arguments import check_kind
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.ops.softmax import safe_softmax
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn.functional.activation import softmax
from vizgrad.nn.functional.dropout import dropout


def closed(mask: Any, like: Any) -> Any:
    """-inf where a mask is True, else 0: what is added to scores there, in the type of `like`."""
    zeros = new_tensor(xp.zeros_like(place_of(like), shape=mask._array.shape, order="C"))
    return zeros.masked_fill(mask, -math.inf)


def causal_mask(queries: int, keys: int, like: Any) -> Any:
    """What is added to scores so that a query looks at keys up to its own place."""
    ones = xp.ones_like(place_of(like), shape=(queries, keys), dtype=bool)
    return closed(new_tensor(xp.triu(ones, 1)), like)


@takes_tensors
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """softmax(query @ key.T * scale + mask) @ value; a query that may look at nothing gets zeros.

    Shapes: query (..., L, E), key (..., S, E), value (..., S, Ev) -> (..., L, Ev). A bool mask is True
    where attention is allowed, a float mask is added; `scale` is 1 / sqrt(E) if not given. With
    `enable_gqa` heads of key and value are shared by several of the query's.
    A. Vaswani et al., Attention Is All You Need (2017).
    """
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim}"
        )
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "Explicit attn_mask should not be set when is_causal=True: give one of them"
            )
        attn_mask = causal_mask(query.shape[-2], key.shape[-2], query)
    elif attn_mask is not None and attn_mask._array.dtype.kind == "b":
        attn_mask = closed(attn_mask.logical_not(), query)
    elif attn_mask is not None and attn_mask.dtype not in (query.dtype, float32):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{attn_mask.dtype.name} and query.dtype: {query.dtype.name} instead."
        )
    check_kind("scaled_dot_product_attention", query)
    factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else scale
    scores = (query * factor) @ key.transpose(-2, -1)
    if attn_mask is None:
        weights = softmax(scores, -1)
    else:
        weights = safe_softmax.record(scores + attn_mask, dim=scores.ndim - 1).to(scores.dtype)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights @ value

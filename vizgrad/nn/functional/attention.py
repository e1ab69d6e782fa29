"""Attention."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.arrays import xp
from vizgrad.nn.functional.activation import softmax
from vizgrad.nn.functional.dropout import dropout
from vizgrad.nn.functional.linear import linear
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.tensor import Tensor, new_tensor


def _causal_mask(queries: int, keys: int, like: Any) -> Any:
    """True where a query may look: at keys up to its own place."""
    return new_tensor(xp.tril(xp.ones_like(like._array, shape=(queries, keys), dtype=bool)))


@takes_tensors
def scaled_dot_product_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    """softmax(query @ key.T * scale + mask) @ value.

    Shapes: query (..., L, E), key (..., S, E), value (..., S, Ev) -> (..., L, Ev). A bool mask is True
    where attention is allowed, a float mask is added; `scale` is 1 / sqrt(E) if not given. With
    `enable_gqa` heads of key and value are shared by several of the query's.
    A. Vaswani et al., Attention Is All You Need (2017).
    """
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
        attn_mask = _causal_mask(query.shape[-2], key.shape[-2], query)
    factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else scale
    scores = (query * factor) @ key.transpose(-2, -1)
    if attn_mask is not None:
        if attn_mask._array.dtype.kind == "b":
            scores = scores.masked_fill(attn_mask.logical_not(), -math.inf)
        else:
            scores = scores + attn_mask
    weights = softmax(scores, -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights @ value


def _as_float(mask: Any, like: Any, name: str) -> Any:
    """A mask of MultiheadAttention (True: may not look) as numbers to be added."""
    if mask is None:
        return None
    if mask._array.dtype.kind == "b":
        zeros = new_tensor(xp.zeros_like(like._array, shape=mask._array.shape, order="C"))
        return zeros.masked_fill(mask, -math.inf)
    if mask._array.dtype.kind not in "fV":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask


def multi_head_attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: int, num_heads: int, in_proj_weight: Any,
    in_proj_bias: Any, bias_k: Any, bias_v: Any, add_zero_attn: bool, dropout_p: float,
    out_proj_weight: Any, out_proj_bias: Any, training: bool = True, key_padding_mask: Any = None,
    need_weights: bool = True, attn_mask: Any = None, use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None, k_proj_weight: Any = None, v_proj_weight: Any = None,
    static_k: Any = None, static_v: Any = None, average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:  # fmt: skip
    """Projects, splits into heads, attends, joins and projects: see nn.MultiheadAttention.

    Shapes: query (L, N, E) or (L, E), key and value (S, N, E) or (S, E). Returns the result, shaped as
    `query`, and the attention weights (N, L, S), by head if not averaged, or None.
    """
    batched = query.ndim == 3
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    if width != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}"
        )
    head = width // num_heads
    if head * num_heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    q, k, v = _project(
        query, key, value, in_proj_weight, in_proj_bias,
        (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None,
    )  # fmt: skip
    mask = _as_float(attn_mask, query, "attn_mask")
    padding = _as_float(key_padding_mask, query, "key_padding_mask")
    if mask is not None and mask.ndim == 2:
        mask = mask.unsqueeze(0)
    if bias_k is not None:
        k = _joined(k, bias_k.repeat(1, batch, 1))
        v = _joined(v, bias_v.repeat(1, batch, 1))
        mask, padding = _wider(mask), _wider(padding)
    if add_zero_attn:
        k, v = _joined(k, k[:1].detach() * 0), _joined(v, v[:1].detach() * 0)
        mask, padding = _wider(mask), _wider(padding)
    keys = k.shape[0]
    q = q.reshape(length, batch * num_heads, head).transpose(0, 1)
    k = k.reshape(keys, batch * num_heads, head).transpose(0, 1)
    v = v.reshape(keys, batch * num_heads, head).transpose(0, 1)
    mask = _with_padding(mask, padding, batch, num_heads)
    scores = (q * math.sqrt(1.0 / head)).bmm(k.transpose(1, 2))
    if mask is not None:
        scores = scores + mask
    weights: Any = softmax(scores, -1)
    used = dropout(weights, dropout_p, training) if dropout_p > 0 else weights
    out = used.bmm(v).transpose(0, 1).reshape(length * batch, width)
    out = linear(out, out_proj_weight, out_proj_bias).reshape(length, batch, width)
    if not batched:
        out = out.squeeze(1)
    if not need_weights:
        return out, None
    weights = weights.reshape(batch, num_heads, length, keys)
    if average_attn_weights:
        weights = weights.mean(1)
    return out, weights if batched else weights.squeeze(0)


def _with_padding(mask: Any, padding: Any, batch: int, heads: int) -> Any:
    """The mask of attention and that of keys, (batch, keys), as one."""
    if padding is None:
        return mask
    keys = padding.shape[1]
    by_head = padding.reshape(batch, 1, 1, keys).expand(-1, heads, -1, -1)
    by_head = by_head.reshape(batch * heads, 1, keys)
    return by_head if mask is None else mask + by_head


def _project(
    query: Any, key: Any, value: Any, weight: Any, bias: Any, separate: tuple[Any, ...] | None
) -> tuple[Any, ...]:
    """Query, key and value through their parts of the input projection; one product if they are one."""
    width = query.shape[-1]
    biases = (None,) * 3 if bias is None else bias.split(width)
    if separate is not None:
        weights = separate
    elif query is key and key is value:
        return linear(query, weight, bias).split(width, -1)
    else:
        weights = weight.split(width)
    return tuple(
        linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)
    )


def _joined(a: Any, b: Any) -> Any:
    from vizgrad.ops.joining import cat_any

    return cat_any([a, b], 0)


def _wider(mask: Any) -> Any:
    """One more key, that may be looked at."""
    if mask is None:
        return None
    from vizgrad.ops.public.padding import pad

    return pad(mask, (0, 1))

"""Attention."""

from __future__ import annotations

import math
import threading
from typing import Annotated, Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.dtypes import float32
from vizgrad.core.ops.attention import attention, is_one_node
from vizgrad.core.ops.constants import given, place_of
from vizgrad.core.ops.normalization import safe_softmax
from vizgrad.core.ops.public.arguments import check_kind, takes_tensors
from vizgrad.core.tensor.requirements import Rank, checked
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.nn.functional.activation import softmax
from vizgrad.nn.functional.dropout import dropout
from vizgrad.nn.functional.linear import linear


def closed(mask: Any, like: Any) -> Any:
    """-inf where a mask is True, else 0: what is added to scores there, in the type of `like`."""
    zeros = new_tensor(xp.zeros_like(place_of(like), shape=mask._array.shape, order="C"))
    return zeros.masked_fill(mask, -math.inf)


def causal_mask(queries: int, keys: int, like: Any) -> Any:
    """The mask that is added to scores so that a query looks at keys up to its own place."""
    ones = xp.ones_like(place_of(like), shape=(queries, keys), dtype=bool)
    return closed(new_tensor(xp.triu(ones, 1)), like)


class _Kernels(threading.local):
    """Those of attention that this thread may use: may it be one node, and may its steps be recorded?"""

    flash = True
    math = True


KERNELS = _Kernels()


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
    _check_operands(query, key, value, dropout_p, enable_gqa)
    mask = _mask_of_scores(query, attn_mask, is_causal)
    shared = enable_gqa or query.shape[-3:-2] == key.shape[-3:-2]
    if KERNELS.flash and not dropout_p and shared and is_one_node(query, key, value, mask):
        mask = given(mask)
        return attention(query, key, value, mask, is_causal=is_causal, scale=scale)[0]
    if not KERNELS.math:
        raise RuntimeError(_unavailable())
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
    if is_causal:
        mask = causal_mask(query.shape[-2], key.shape[-2], query)
    factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else scale
    scores = (query * factor) @ key.transpose(-2, -1)
    if mask is None:
        weights = softmax(scores, -1)
    else:
        weights = safe_softmax.record(scores + mask, dim=scores.ndim - 1).to(scores.dtype)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights @ value


def _check_operands(query: Any, key: Any, value: Any, dropout_p: float, enable_gqa: bool) -> None:
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p}")
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be at least 2 dimensional, but got query.dim: "
            f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim}"
        )
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype.name} key.dtype: {key.dtype.name} and value.dtype: {value.dtype.name}"
        )
    if enable_gqa and any(query.shape[-3] % each.shape[-3] for each in (key, value)):
        raise RuntimeError(
            "Number of heads in key and value must divide the number of heads in query, but got "
            f"{key.shape[-3]}, {value.shape[-3]} and {query.shape[-3]}"
        )
    check_kind("scaled_dot_product_attention", query)


def _mask_of_scores(query: Any, mask: Any, is_causal: bool) -> Any:
    """The mask as numbers to be added to the scores; None where there is none but `is_causal`."""
    if mask is None:
        return None
    if is_causal:
        raise RuntimeError(
            "Explicit attn_mask should not be set when is_causal=True: give one of them"
        )
    if mask._array.dtype.kind == "b":
        return closed(mask.logical_not(), query)
    if mask.dtype not in (query.dtype, float32):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{mask.dtype.name} and query.dtype: {query.dtype.name} instead."
        )
    return mask


def _unavailable() -> str:
    if KERNELS.flash:
        return (
            "No available kernel. FLASH_ATTENTION takes query, key and value of four dimensions, with equal "
            "heads and widths, on the CPU, and no dropout: allow SDPBackend.MATH, too, in sdpa_kernel"
        )
    return (
        "No viable backend for scaled_dot_product_attention was found: allow SDPBackend.MATH in "
        "sdpa_kernel"
    )


# Attention with several heads, as one function of all weights.


@takes_tensors
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
    `query`, and the attention weights (N, L, S) after dropout, by head if not averaged, or None.
    `static_k` and `static_v`, (N * heads, S, E / heads), are taken in place of what is projected. A query
    that may look at nothing gets NaN, and zeros if nobody needs weights.
    """
    _check_dims(query, key, value, key_padding_mask, attn_mask, num_heads)
    batched = query.ndim == 3
    if not batched:
        query, key, value = query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, width = query.shape
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint.")
    padding = _added(key_padding_mask, query, "key_padding_mask")
    is_causal = is_causal and padding is None and not need_weights
    # the caller's word that the mask is causal is taken, and the mask not read
    mask = None if is_causal else _added(attn_mask, query, "attn_mask")
    head = _width_of_heads(width, embed_dim_to_check, num_heads)
    q, k, v = _project(
        query, key, value, in_proj_weight, in_proj_bias,
        (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None,
    )  # fmt: skip
    mask = _by_head(mask, length, key.shape[0], batch * num_heads)
    if _is_biased(bias_k, bias_v, static_k, static_v):
        k = _joined(k, bias_k.repeat(1, batch, 1))
        v = _joined(v, bias_v.repeat(1, batch, 1))
        mask, padding = _wider(mask), _wider(padding)
    q = _in_heads(q, batch * num_heads, head)
    k = _static("static_k", static_k, k, batch * num_heads, head)
    v = _static("static_v", static_v, v, batch * num_heads, head)
    if add_zero_attn:
        k, v = (_joined(x, x.detach().new_zeros(batch * num_heads, 1, head), 1) for x in (k, v))
        mask, padding = _wider(mask), _wider(padding)
    mask = _with_padding(mask, padding, batch, num_heads, k.shape[1])
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        out, weights = _attended(q, k, v, mask, dropout_p)
    else:
        if mask is not None and mask.shape[0] > 1:
            mask = mask.reshape(batch, num_heads, -1, k.shape[1])
        elif mask is not None:
            mask = mask.unsqueeze(0)
        q, k, v = (each.view(batch, num_heads, each.shape[1], head) for each in (q, k, v))
        out = scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)
        out, weights = out.permute(2, 0, 1, 3), None
    out = linear(out.reshape(length * batch, width), out_proj_weight, out_proj_bias)
    out = out.reshape(length, batch, out.shape[-1])
    if not batched:
        out = out.squeeze(1)
    if weights is None:
        return out, None
    weights = weights.reshape(batch, num_heads, length, k.shape[1])
    if average_attn_weights:
        weights = weights.mean(1)
    return out, weights if batched else weights.squeeze(0)


def _attended(q: Any, k: Any, v: Any, mask: Any, dropout_p: float) -> tuple[Any, Any]:
    """(what is attended to, (L, N * heads, E / heads); the weights, (N * heads, L, S))."""
    scores = (q * math.sqrt(1.0 / q.shape[-1])).bmm(k.transpose(1, 2))
    if mask is not None:
        scores = scores + mask
    check_kind("softmax", scores)
    weights: Any = softmax(scores, -1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights.bmm(v).transpose(0, 1), weights


def _width_of_heads(width: int, wanted: int, heads: int) -> int:
    if width != wanted:
        raise AssertionError(f"was expecting embedding dimension of {wanted}, but got {width}")
    if width // heads * heads != width:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {heads}")
    return width // heads


def _is_biased(bias_k: Any, bias_v: Any, static_k: Any, static_v: Any) -> bool:
    """Are there a key and a value more, the same for all sequences?"""
    if (bias_k is None) != (bias_v is None):
        given, missing = ("bias_v", "bias_k") if bias_k is None else ("bias_k", "bias_v")
        raise AssertionError(f"{given} is set but {missing} is None")
    if bias_k is None:
        return False
    for name, static in (("key", static_k), ("value", static_v)):
        if static is not None:
            raise AssertionError(f"bias cannot be added to static {name}.")
    return True


def _in_heads(x: Any, heads: int, width: int) -> Any:
    """(S, N, E) -> (N * heads, S, E / heads)."""
    return x.reshape(x.shape[0], heads, width).transpose(0, 1)


def _static(name: str, given: Any, projected: Any, heads: int, width: int) -> Any:
    """The given replacement of the projected keys or values, or these, by heads."""
    if given is None:
        return _in_heads(projected, heads, width)
    for dim, wanted in ((0, heads), (2, width)):
        if given.size(dim) != wanted:
            raise AssertionError(
                f"expecting {name}.size({dim}) of {wanted}, but got {given.size(dim)}"
            )
    return given


@checked
def _check_dims(
    query: Annotated[
        Any,
        Rank(
            (2, 3),
            "query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor",
            AssertionError,
        ),
    ],
    key: Any,
    value: Any,
    padding: Any,
    mask: Any,
    heads: int,
) -> None:
    """AssertionError unless all are for a batch (3-D), or all for one sequence (2-D)."""
    dims = query.ndim
    kind = f"{'batched' if dims == 3 else 'unbatched'} ({dims}-D) `query`"
    if key.ndim != dims or value.ndim != dims:
        raise AssertionError(
            f"For {kind}, expected `key` and `value` to be {dims}-D but found {key.ndim}-D and "
            f"{value.ndim}-D tensors respectively"
        )
    if padding is not None and padding.ndim != dims - 1:
        raise AssertionError(
            f"For {kind}, expected `key_padding_mask` to be `None` or {dims - 1}-D but found "
            f"{padding.ndim}-D tensor instead"
        )
    if mask is None:
        return
    if mask.ndim not in (2, 3):
        raise AssertionError(
            f"For {kind}, expected `attn_mask` to be `None`, 2-D or 3-D but found {mask.ndim}-D tensor "
            "instead"
        )
    one = (heads, query.shape[0], key.shape[0])
    if dims == 2 and mask.ndim == 3 and tuple(mask.shape) != one:
        raise AssertionError(f"Expected `attn_mask` shape to be {one} but got {tuple(mask.shape)}")


def _added(mask: Any, like: Any, name: str) -> Any:
    """A mask (True: may not look) as numbers to be added."""
    if mask is None:
        return None
    if mask._array.dtype.kind == "b":
        return closed(mask, like)
    if mask._array.dtype.kind not in "fV":
        raise AssertionError(f"only bool and floating types of {name} are supported")
    return mask


def _by_head(mask: Any, length: int, keys: int, heads: int) -> Any:
    """A mask of attention as (1 or heads of all samples, length, keys)."""
    if mask is None:
        return None
    wanted = (length, keys) if mask.ndim == 2 else (heads, length, keys)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(
            f"The shape of the {mask.ndim}D attn_mask is {tuple(mask.shape)}, but should be {wanted}."
        )
    return mask.unsqueeze(0) if mask.ndim == 2 else mask


def _with_padding(mask: Any, padding: Any, batch: int, heads: int, keys: int) -> Any:
    """The mask of attention and that of keys, (batch, keys), as one."""
    if padding is None:
        return mask
    for dim, wanted in ((0, batch), (1, keys)):
        if padding.shape[dim] != wanted:
            raise AssertionError(
                f"Expected key_padding_mask.shape[{dim}] to be {wanted}, but got {padding.shape[dim]}"
            )
    by_head = padding.reshape(batch, 1, 1, keys).expand(-1, heads, -1, -1)
    by_head = by_head.reshape(batch * heads, 1, keys)
    return by_head if mask is None else mask + by_head


def _project(
    query: Any, key: Any, value: Any, weight: Any, bias: Any, separate: tuple[Any, ...] | None
) -> tuple[Any, ...]:
    """Query, key and value through their parts of the input projection; one product if they are one."""
    width = query.shape[-1]
    if separate is None and tuple(key.shape) != tuple(value.shape):
        raise AssertionError(
            f"key shape {tuple(key.shape)} does not match value shape {tuple(value.shape)}"
        )
    if tuple(key.shape[:2]) != tuple(value.shape[:2]):
        raise AssertionError(
            f"key's sequence and batch dims {tuple(key.shape[:2])} do not match value's "
            f"{tuple(value.shape[:2])}"
        )
    for name, one in zip("qkv", separate or (), strict=False):
        if one is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    if separate is None and weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
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


def _joined(a: Any, b: Any, dim: int = 0) -> Any:
    from vizgrad.core.ops.joining import cat_any

    return cat_any([a, b], dim)


def _wider(mask: Any) -> Any:
    """One more key, that may be looked at."""
    if mask is None:
        return None
    from vizgrad.core.ops.public.padding import pad

    return pad(mask, (0, 1))

"""Attention as one node, as PyTorch has it on a CPU.

The node keeps no weights: its derivatives compute these again, from the logarithm of each query's sum of
exponentials. With ``create_graph=True`` they do so in recorded operations, which are differentiable in turn.
"""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.kernels import attention as kernel
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import unless_absent
from vizgrad.core.ops.normalization import safe_softmax, softmax_backward
from vizgrad.core.tensor.duals import DUALS
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@primitive(
    outputs=("output", "logsumexp"),
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    typing="moved",
)
class attention:
    """softmax(query @ key.T * scale + attn_mask) @ value, by head; `scale` is 1 / sqrt(E) if it is None.

    Shapes: query (N, H, L, E), key and value (N, H / G, S, E) -> (N, H, L, E), strided as `query`. A query
    that may look at nothing gets zeros.
    """

    math_query = "s * P * (g @ v.T - sum(g * y)) @ k"
    math_key = "s * (P * (g @ v.T - sum(g * y))).T @ q"
    math_value = "P.T @ g"

    def forward(query, key, value, attn_mask, *, is_causal, scale):
        mask, factor = unless_absent(attn_mask), _factor(scale, query)
        return kernel.attention(query, key, value, mask, is_causal, factor)

    def grad_query(grad, query, key, value, attn_mask, output, logsumexp, is_causal, scale):
        if not isinstance(grad, Tensor):
            operands = query, key, value, attn_mask, output, logsumexp, is_causal, scale
            return _over_arrays(grad, *operands, (True, False, False))[0]
        weights = _weights(query, key, attn_mask, is_causal, scale)
        return _slopes(weights, grad, query, value, scale) @ _by_head(key, query)

    def grad_key(grad, query, key, value, attn_mask, output, logsumexp, is_causal, scale):
        if not isinstance(grad, Tensor):
            operands = query, key, value, attn_mask, output, logsumexp, is_causal, scale
            return _over_arrays(grad, *operands, (False, True, False))[1]
        weights = _weights(query, key, attn_mask, is_causal, scale)
        slopes = _slopes(weights, grad, query, value, scale)
        return _over_groups(slopes.transpose(-2, -1) @ query, key)

    def grad_value(grad, query, key, value, attn_mask, output, logsumexp, is_causal, scale):
        if not isinstance(grad, Tensor):
            operands = query, key, value, attn_mask, output, logsumexp, is_causal, scale
            return _over_arrays(grad, *operands, (False, False, True))[2]
        weights = _weights(query, key, attn_mask, is_causal, scale)
        return _over_groups(weights.transpose(-2, -1) @ grad, value)

    def together(
        grad, query, key, value, attn_mask, output, logsumexp, is_causal, scale, wanted
    ):  # fmt: skip
        operands = query, key, value, attn_mask, output, logsumexp, is_causal, scale
        return _over_arrays(grad, *operands, wanted)


def is_one_node(query: Any, key: Any, value: Any, attn_mask: Any) -> bool:
    """Does PyTorch make one node of this attention on a CPU? Conditions as found by trying PyTorch.

    With tangents, and within `vmap`, its steps are recorded.
    """
    if DUALS.on:
        return False
    try:
        q, k, v = query._array, key._array, value._array
    except AttributeError:  # within a transform
        return False
    if not (q.__class__ is k.__class__ is v.__class__ is xp.ndarray):
        return False
    if not (q.ndim == k.ndim == 4 and k.shape == v.shape and q.size and k.size):
        return False
    if not (q.dtype == k.dtype == v.dtype and q.dtype.char in _CHARS):
        return False
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or q.shape[1] % k.shape[1]:
        return False
    if not (q.strides[3] == k.strides[3] == v.strides[3] == q.itemsize):
        return False
    return attn_mask is None or _is_plain_mask(attn_mask, (*q.shape[:3], k.shape[2]))


def _is_plain_mask(attn_mask: Any, whole: tuple[int, ...]) -> bool:
    mask: Any = getattr(attn_mask, "_array", None)
    if mask.__class__ is not xp.ndarray or attn_mask.requires_grad or mask.ndim not in (2, 4):
        return False
    return all(n in (1, of) for n, of in zip(mask.shape, whole[-mask.ndim :], strict=True))


#: The element types that PyTorch has it for: float32, float64, float16 and bfloat16.
_CHARS = frozenset("fdeE")


def _over_arrays(
    grad, query, key, value, attn_mask, output, logsumexp, is_causal, scale, wanted
):  # fmt: skip
    mask, factor = unless_absent(attn_mask), _factor(scale, query)
    return kernel.attention_gradients(
        grad, query, key, value, mask, output, logsumexp, is_causal, factor, wanted
    )


def _factor(scale, query):
    return 1 / math.sqrt(query.shape[-1]) if scale is None else scale


def _weights(query, key, attn_mask, is_causal, scale):
    """The softmax of the scores, recorded."""
    scores = query @ _by_head(key, query).transpose(-2, -1) * _factor(scale, query)
    mask = unless_absent(attn_mask)
    if mask is not None:
        scores = scores + mask
    if is_causal:
        later = xp.triu(xp.ones_like(scores._array, shape=scores.shape[-2:], dtype=bool), 1)
        scores = scores.masked_fill(new_tensor(later), -math.inf)
    return safe_softmax(scores, dim=3)


def _slopes(weights, grad, query, value, scale):
    """The gradient by the products of queries and keys."""
    by_weights = grad @ _by_head(value, query).transpose(-2, -1)
    return softmax_backward(by_weights, weights, dim=3) * _factor(scale, query)


def _by_head(x, query):
    """Keys or values, one for each head of the queries."""
    group = query.shape[1] // x.shape[1]
    return x if group == 1 else x.repeat_interleave(group, 1)


def _over_groups(x, like):
    """The sum over the heads of queries that share one of `like`."""
    heads = like.shape[1]
    return x if x.shape[1] == heads else x.unflatten(1, (heads, -1)).sum(2)

"""Attention in blocks: no array holds the weights of all queries at once.

For each query the logarithm of the sum of its exponentials is kept, from which the gradient computes the
weights again (T. Dao et al., FlashAttention, 2022, section 3). A block is a stretch of examples, with all of
their heads, and of queries; it is so small that its scores stay in the cache of a core.

A head of keys serves as many heads of queries as there are more of these (grouped queries). Then scores have
a dimension more: (examples, heads of keys, group, queries, keys).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.normalization import (
    as_rows,
    exponentials_as_is,
    row_max,
    row_sum,
)

#: Examples are taken together up to so many scores, and one is cut above so many: 128 kB and 1 MB of float32,
#: in the cache of a core. Times are in `notebooks/design/0097-attention-as-one-node.md`.
_TOGETHER, _CUT = 1 << 15, 1 << 18
#: Queries of a block at least: with fewer, products take long for each.
_QUERIES = 32

#: The examples, the queries, and the keys that a query of the block may look at.
_Block = tuple[slice, slice, slice]


@quiet
def attention(
    query: Array, key: Array, value: Array, mask: Array | None, is_causal: bool, scale: float
) -> tuple[Array, Array]:
    """(softmax(query @ key.T * scale + mask) @ value, by query the logarithm of the sum of its exponentials).

    Shapes: query (N, H, L, E), key and value (N, H / G, S, E), mask to be broadcast to (N, H, L, S) ->
    (N, H, L, E), strided as `query`, and (N, H, L). Halves are computed in float32, which is the second's
    type. A query that may look at nothing gets zeros, and 0.
    """
    wide = _wide(query)
    out = np.empty_like(wide)
    key, value, heads = _wide(key), _wide(value), key.shape[1]
    sums = np.empty((query.shape[0], query.shape[2], query.shape[1]), wide.dtype).swapaxes(1, 2)
    for block in _blocks(query, key, is_causal):
        examples, queries, keys = block
        scores = _scores(wide, key, mask, is_causal, scale, block)
        weights, logarithms = _weights(as_rows(scores))
        sums[examples, :, queries] = logarithms.reshape(scores.shape[:3])
        np.matmul(
            _by_group(weights.reshape(scores.shape), heads),
            _to_group(value[examples, :, keys], query),
            out=_by_group(out[examples, :, queries], heads),
        )
    return out.astype(query.dtype, copy=False), sums


@quiet
def attention_gradients(
    grad: Array, query: Array, key: Array, value: Array, mask: Array | None, out: Array, sums: Array,
    is_causal: bool, scale: float, wanted: tuple[bool, bool, bool],
) -> tuple[Array | None, Array | None, Array | None]:  # fmt: skip
    """The gradients by query, key and value, strided as these are; None for those not `wanted`.

    `out` and `sums` are the results of `attention`.
    """
    dtype, heads = query.dtype, key.shape[1]
    grad, out = _wide(grad), _wide(out)
    operands = query, key, value = _wide(query), _wide(key), _wide(value)
    # what goes off all slopes of a query: the sum of weights * (grad @ value.T), which is that of grad * out
    total = np.einsum("nhle,nhle->nhl", grad, out)[..., None]
    by_query, by_key, by_value = (
        np.zeros_like(each) if want else None for each, want in zip(operands, wanted, strict=True)
    )
    for block in _blocks(query, key, is_causal):
        examples, queries, keys = block
        scores = _scores(query, key, mask, is_causal, scale, block)
        scores -= sums[examples, :, queries, None]
        weights = np.exp(scores, out=scores)
        arriving = grad[examples, :, queries]
        if by_value is not None:
            _add(by_value[examples, :, keys], weights, arriving, queries)
        if by_query is None and by_key is None:
            continue
        slopes = _products(arriving, value[examples, :, keys])
        slopes -= total[examples, :, queries]
        slopes *= weights
        slopes *= scores.dtype.type(scale)
        if by_query is not None:
            np.matmul(
                _by_group(slopes, heads),
                _to_group(key[examples, :, keys], query),
                out=_by_group(by_query[examples, :, queries], heads),
            )
        if by_key is not None:
            _add(by_key[examples, :, keys], slopes, query[examples, :, queries], queries)
    found = by_query, by_key, by_value
    return tuple(None if each is None else each.astype(dtype, copy=False) for each in found)  # pyright: ignore[reportReturnType]  three


def _blocks(query: Array, key: Array, is_causal: bool) -> Iterator[_Block]:
    count, heads, queries, _ = query.shape
    keys = key.shape[2]
    step = max(1, _TOGETHER // (heads * queries * keys))
    rows = min(queries, max(_QUERIES, _CUT // (heads * keys)))
    for example in range(0, count, step):
        for first in range(0, queries, rows):
            last = min(first + rows, queries)
            looked_at = min(last, keys) if is_causal else keys
            yield slice(example, example + step), slice(first, last), slice(0, looked_at)


def _scores(
    query: Array, key: Array, mask: Array | None, is_causal: bool, scale: float, block: _Block
) -> Array:
    """Those of a block, (examples, heads, queries, keys); -inf where a query may not look."""
    examples, queries, keys = block
    scores = _products(query[examples, :, queries], key[examples, :, keys])
    scores *= scores.dtype.type(scale)
    if mask is not None:
        whole = *query.shape[:3], key.shape[2]
        scores += np.broadcast_to(mask, whole)[examples, :, queries, keys]
    if is_causal:
        later = np.arange(keys.stop) > np.arange(queries.start, queries.stop)[:, None]
        np.copyto(scores, -np.inf, where=later)
    return scores


def _weights(scores: Array) -> tuple[Array, Array]:
    """(the softmax of rows, the logarithm of the sum of each row's exponentials)."""
    found = exponentials_as_is(scores)
    if found is not None:
        weights, total = found
        weights /= total
        return weights, np.log(total, out=total)
    peak = row_max(scores)
    peak[peak == -np.inf] = 0
    scores -= peak
    weights = np.exp(scores, out=scores)
    total = row_sum(weights)
    total[total == 0] = 1
    weights /= total
    peak += np.log(total)
    return weights, peak


def _products(rows: Array, columns: Array) -> Array:
    """rows @ columns.T, by head of the rows."""
    found = np.matmul(_by_group(rows, columns.shape[1]), _to_group(columns, rows).swapaxes(-1, -2))
    return found.reshape(*rows.shape[:3], columns.shape[2])


def _add(to: Array, weights: Array, rows: Array, queries: slice) -> None:
    """Adds weights.T @ rows to the gradient of keys or values, over all heads that share one of theirs."""
    heads = to.shape[1]
    found = np.matmul(_by_group(weights, heads).swapaxes(-1, -2), _by_group(rows, heads))
    if found.ndim == 5:
        found = found.sum(2)
    if queries.start:
        to += found
    else:
        to[...] = found


def _by_group(x: Array, heads: int) -> Array:
    """The heads of `x`, by head of the keys, where these are fewer."""
    if x.shape[1] == heads:
        return x
    return x.reshape(x.shape[0], heads, -1, *x.shape[2:])


def _to_group(x: Array, query: Array) -> Array:
    """Keys or values with a dimension for the heads of queries that share theirs."""
    return x if x.shape[1] == query.shape[1] else x[:, :, None]


def _wide(x: Array) -> Array:
    """Halves are computed in float32 (T-87)."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x

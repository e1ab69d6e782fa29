"""Reading and writing by index."""

from __future__ import annotations

import numpy as np

import vizgrad as vg
from vizgrad.core.ops import indexing as ops

from .row import Row, Sample, some, strided, wave

_C = (*some(cube=(2, 3, 4)), Sample("strided", (strided(wave(2, 3, 4)),)))
_M = some(matrix=(3, 2))
_I = np.array([[0, 2], [1, 1]])


def _get(*key):
    key = key[0] if len(key) == 1 else key
    return lambda x: x[key]


def _tensors(key):
    if isinstance(key, tuple):
        return tuple(_tensors(k) for k in key)
    return vg.tensor(key) if isinstance(key, np.ndarray) else key


def _index(name, *key):
    key = key[0] if len(key) == 1 else key
    return Row(f"x[{name}]", lambda x: x[_tensors(key)], _C, lambda x: x[key])


def _put(name, key, *shape):
    def write(x, v):
        y = x * 1
        y[_tensors(key)] = v
        return y

    def written(x, v):
        y = x * 1
        y[key] = v
        return y

    return Row(f"x[{name}] = v", write, some(plain=[(2, 3, 4), shape]), written)


def _scattered(x, i, v, add):
    y = x.copy()
    for r in range(i.shape[0]):
        for c in range(i.shape[1]):
            y[i[r, c], c] = v[r, c] + (y[i[r, c], c] if add else 0)
    return y


_MASK = np.array([[True, False, True], [False, False, True]])

ROWS = [
    _index("int", 1),
    _index("ints", (0, -1, 2)),
    _index("slices", (slice(1, None), slice(None, None, 2))),
    _index("none", (None, 0, ..., None)),
    _index("ellipsis", (..., 1)),
    _index("vector", np.array([1, 0, 1])),
    _index("inner vector", (slice(None), np.array([2, 2, 0]))),
    _index("matrix", (slice(None), np.array([[0, 1], [1, 2]]))),
    _index("two together", (slice(None), np.array([0, 1]), np.array([3, 3]))),
    _index("two apart", (np.array([0, 1]), slice(None), np.array([3, 3]))),
    _index("broadcast", (np.array([[0], [1]]), np.array([0, 2]))),
    _index("mask", _MASK),
    _index("mask and slice", (_MASK, slice(1, 3))),
    _index("row mask", np.array([True, False])),
    _put("int", 1, 3, 4),
    _put("slice", (slice(None), 1), 4),
    _put("number", (0, 0, 0)),
    _put("vector", np.array([1, 0]), 2, 3, 4),
    _put("mask", _MASK, 3, 4),
    _put("apart", (np.array([0, 1]), slice(None), np.array([3, 2])), 2, 3),
    Row(
        "everything = v",
        lambda x, v: (x * 1).copy_(v),
        some(plain=[(2, 3), (3,)]),
        lambda x, v: np.broadcast_to(v, x.shape),
    ),
    Row(
        "fill_",
        lambda x, v: (x * 1).fill_(v),
        some(plain=[(2, 3), ()]),
        lambda x, v: np.full(x.shape, v),
    ),
    Row("fill_ by a number", lambda x: (x * 1).fill_(2.0) * x, some(plain=(2, 3)), lambda x: 2 * x),
    Row("zero_", lambda x: (x * 1).zero_() + x, some(plain=(2, 3)), np.copy),
    Row(
        "index_put added",
        lambda x, v: x.index_put((vg.tensor([1, 1, 0]),), v, accumulate=True),
        some(plain=[(3, 2), (3, 2)]),
    ),
    Row("gather", lambda x: x.gather(0, vg.tensor(_I)), _M, lambda x: np.take_along_axis(x, _I, 0)),
    Row(
        "gather of a corner",
        lambda x: x.gather(0, vg.tensor([[2], [2]])),
        _M,
        lambda x: x[2:3, :1].repeat(2, 0),
    ),
    Row(
        "take_along_dim", lambda x: vg.take_along_dim(x, vg.tensor([[1]]), 0), _M, lambda x: x[1:2]
    ),
    Row(
        "scatter",
        lambda x, v: x.scatter(0, vg.tensor([[0, 2], [1, 1]]), v),
        some(plain=[(3, 2), (2, 2)]),
        lambda x, v: _scattered(x, _I, v, False),
    ),
    Row(
        "scatter of a number",
        lambda x: x.scatter(0, vg.tensor(_I), 1.5),
        _M,
        lambda x: _scattered(x, _I, np.full((2, 2), 1.5), False),
    ),
    Row(
        "scatter of a corner",
        lambda x, v: x.scatter(1, vg.tensor([[1], [0]]), v),
        some(plain=[(3, 2), (2, 2)]),
    ),
    Row(
        "scatter_add",
        lambda x, v: x.scatter_add(0, vg.tensor([[0, 1], [0, 1]]), v),
        some(plain=[(3, 2), (2, 2)]),
        lambda x, v: _scattered(x, np.array([[0, 1], [0, 1]]), v, True),
    ),
    Row(
        "scatter_add_",
        lambda x, v: (x * 1).scatter_add_(0, vg.tensor(_I), v),
        some(plain=[(3, 2), (3, 2)]),
    ),
    Row(
        "index_select",
        lambda x: x.index_select(1, vg.tensor([2, 0, 2])),
        _C,
        lambda x: x[:, [2, 0, 2]],
    ),
    Row(
        "index_add",
        lambda x, v: x.index_add(0, vg.tensor([2, 2]), v, alpha=1.5),
        some(plain=[(3, 2), (2, 2)]),
    ),
    Row(
        "index_copy",
        lambda x, v: x.index_copy(0, vg.tensor([2, 0]), v),
        some(plain=[(3, 2), (2, 2)]),
    ),
    Row("index_fill", lambda x: x.index_fill(0, vg.tensor([2, 0]), 1.5), _M),
    Row(
        "index_fill by a tensor",
        lambda x, v: x.index_fill(0, vg.tensor([2, 0, 2]), v),
        some(plain=[(3, 2), ()]),
    ),
    Row(
        "masked_select",
        lambda x: x.masked_select(vg.tensor(_MASK)),
        some(matrix=(2, 3)),
        lambda x: x[_MASK],
    ),
    Row(
        "masked_scatter",
        lambda x, s: x.masked_scatter(vg.tensor(_MASK), s),
        some(plain=[(2, 3), (2, 2)]),
    ),
    Row("crop", lambda x: ops.crop(x, shape=(2, 1)), _M, lambda x: x[:2, :1]),
    Row(
        "take",
        lambda x: vg.take(x, vg.tensor([5, 0, 0, -1])),
        _M,
        lambda x: np.take(x, [5, 0, 0, -1]),
    ),
]

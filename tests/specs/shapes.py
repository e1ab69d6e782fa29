"""Other shapes for the same elements, joining, parting."""

from __future__ import annotations

import numpy as np

import vizgrad as vg

from .row import Row, Sample, some, strided, wave

_M = (*some(matrix=(2, 3)), Sample("strided", (strided(wave(2, 3)),)))
_C = some(cube=(2, 3, 4))
_V = some(vector=(5,))
_TWO = some(rows=[(2, 3), (2, 3)])
_IMAGES = some(images=(2, 3, 2, 2))

ROWS = [
    Row("view", lambda x: x.view(3, 2), some(matrix=(2, 3)), lambda x: x.reshape(3, 2)),
    Row("reshape", lambda x: x.reshape(-1), _M, lambda x: x.reshape(-1)),
    Row("reshape of a transpose", lambda x: x.t().reshape(2, 3), _M, lambda x: x.T.reshape(2, 3)),
    Row("flatten", lambda x: x.flatten(1), _C, lambda x: x.reshape(2, 12)),
    Row("ravel", lambda x: x.t().ravel(), _M, lambda x: x.T.ravel()),
    Row("unflatten", lambda x: x.unflatten(1, (3, 1)), _M, lambda x: x.reshape(2, 3, 1)),
    Row("alias", lambda x: x[...], _M, np.copy),
    Row("contiguous", lambda x: x.t().contiguous(), _M, lambda x: x.T),
    Row("channels last", lambda x: x.clone(memory_format=vg.channels_last), _IMAGES, np.copy),
    Row("to channels last", lambda x: x.to(memory_format=vg.channels_last), _IMAGES, np.copy),
    Row("clone of a transpose", lambda x: x.t().clone(), _M, lambda x: x.T),
    Row("transpose", lambda x: x.transpose(0, 2), _C, lambda x: x.swapaxes(0, 2)),
    Row("permute", lambda x: x.permute(2, 0, 1), _C, lambda x: x.transpose(2, 0, 1)),
    Row(
        "movedim", lambda x: x.movedim((0, 1), (2, 0)), _C, lambda x: np.moveaxis(x, (0, 1), (2, 0))
    ),
    Row("t", lambda x: x.t(), _M, np.transpose),
    Row("T", lambda x: x.T, _M, np.transpose),
    Row("mT", lambda x: x.mT, _C, lambda x: x.swapaxes(1, 2)),
    Row("unsqueeze", lambda x: x.unsqueeze(1), _M, lambda x: x[:, None]),
    Row("unsqueeze last", lambda x: x.unsqueeze(-1), _M, lambda x: x[..., None]),
    Row("squeeze", lambda x: x.squeeze(), some(ones=(1, 2, 1)), np.squeeze),
    Row(
        "squeeze dim",
        lambda x: x.squeeze(0),
        some(ones=(1, 2, 1), twos=(2, 1)),
        lambda x: x.reshape(x.shape[x.shape[0] == 1 :]),
    ),
    Row("squeeze dims", lambda x: x.squeeze((0, 2)), some(ones=(1, 2, 1)), lambda x: x[0, :, 0]),
    Row(
        "expand",
        lambda x: x.expand(4, 2, 3),
        some(column=(2, 1), row=(1, 3), scalar=()),
        lambda x: np.broadcast_to(x, (4, 2, 3)),
    ),
    Row("select", lambda x: x.select(1, -1), _C, lambda x: x[:, -1]),
    Row("narrow", lambda x: x.narrow(1, 1, 2), _C, lambda x: x[:, 1:3]),
    Row("diagonal", lambda x: x.diagonal(1, 0, 2), _C, lambda x: np.diagonal(x, 1, 0, 2)),
    Row("diag", vg.diag, some(matrix=(2, 3)), np.diag),
    Row("diag of a vector", lambda x: vg.diag(x, -1), _V, lambda x: np.diag(x, -1)),
    Row("diag_embed", lambda x: vg.diag_embed(x, 1, 0, 2), _M),
    Row(
        "unfold",
        lambda x: x.unfold(0, 3, 1),
        _V,
        lambda x: np.lib.stride_tricks.sliding_window_view(x, 3),
    ),
    Row("unfold apart", lambda x: x.unfold(1, 2, 2), _C),
    Row("as_strided", lambda x: x.as_strided((2, 2), (1, 2)), some(matrix=(2, 3))),
    Row(
        "as_strided_scatter",
        lambda x, v: vg.as_strided_scatter(x, v, (2, 2), (1, 2)),
        some(plain=[(2, 3), (2, 2)]),
    ),
    Row("flip", lambda x: x.flip(0, 2), _C, lambda x: x[::-1, :, ::-1]),
    Row("roll", lambda x: x.roll((1, -1), (0, 2)), _C, lambda x: np.roll(x, (1, -1), (0, 2))),
    Row("roll flat", lambda x: x.roll(2), _M, lambda x: np.roll(x, 2)),
    Row("rot90", lambda x: vg.rot90(x, 1, (0, 1)), _M, np.rot90),
    Row("repeat", lambda x: x.repeat(2, 1, 3), _M, lambda x: np.tile(x, (2, 1, 3))),
    Row("tile", lambda x: x.tile(2), _M, lambda x: np.tile(x, 2)),
    Row("repeat_interleave", lambda x: x.repeat_interleave(2, 1), _M, lambda x: np.repeat(x, 2, 1)),
    Row(
        "repeat_interleave by counts",
        lambda x: x.repeat_interleave(vg.tensor([2, 0, 1]), 1),
        _M,
        lambda x: np.repeat(x, [2, 0, 1], 1),
    ),
    Row("tril", lambda x: x.tril(-1), _C, lambda x: np.tril(x, -1)),
    Row("triu", lambda x: x.triu(1), _M, lambda x: np.triu(x, 1)),
    Row("split", lambda x: x.split(2), _V, lambda x: (x[:2], x[2:4], x[4:])),
    Row("split by sizes", lambda x: x.split([1, 4]), _V, lambda x: (x[:1], x[1:])),
    Row("one piece of a split", lambda x: x.split(2)[1], _V, lambda x: x[2:4]),
    Row("chunk", lambda x: x.chunk(2, 1), _C, lambda x: (x[:, :2], x[:, 2:])),
    Row("tensor_split", lambda x: x.tensor_split(3), _V, lambda x: tuple(np.array_split(x, 3))),
    Row("unbind", lambda x: x.unbind(1), _M, lambda x: tuple(x[:, i] for i in range(3))),
    Row("cat", lambda a, b: vg.cat([a, b, a], 1), _TWO, lambda a, b: np.concatenate([a, b, a], 1)),
    Row("cat with nothing", lambda a: vg.cat([a, vg.zeros(0, dtype=vg.float64)]), _M, np.copy),
    Row("stack", lambda a, b: vg.stack([a, b], -1), _TWO, lambda a, b: np.stack([a, b], -1)),
    Row("hstack", lambda a, b: vg.hstack([a, b]), _TWO, lambda a, b: np.hstack([a, b])),
    Row(
        "vstack",
        lambda a, b: vg.vstack([a, b]),
        some(vectors=[(3,), (2, 3)]),
        lambda a, b: np.vstack([a, b]),
    ),
    Row("dstack", lambda a, b: vg.dstack([a, b]), _TWO, lambda a, b: np.dstack([a, b])),
    Row(
        "column_stack",
        lambda a, b: vg.column_stack([a, b]),
        some(vectors=[(3,), (3, 2)]),
        lambda a, b: np.column_stack([a, b]),
    ),
    Row(
        "meshgrid",
        lambda a, b: vg.meshgrid(a, b, indexing="xy"),
        some(axes=[(2,), (3,)]),
        lambda a, b: tuple(np.meshgrid(a, b)),
    ),
]

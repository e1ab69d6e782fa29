"""`multilabel_margin_loss` of rows of scores, and its slopes (spec T-42).

Each label is compared with each class that is no label; nothing as large as these pairs is kept.
"""

from __future__ import annotations

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.kernels.indexing import gather, scatter_add


def _compared(x: Array, target: Array) -> tuple[Array, Array, Array]:
    """1 - (score of the label - score of the class), (rows, labels, classes); where it counts: above 0, for
    labels before the first -1 and classes that are none; the labels, 0 behind the last one.
    """
    listed = np.multiply.accumulate((target >= 0).astype(np.int64), axis=1)
    labels = target * listed
    is_label = scatter_add(np.zeros_like(target), labels, listed, 1) > 0
    gap = 1 - (gather(x, labels, 1)[:, :, None] - x[:, None, :])
    return gap, (gap > 0) & (listed > 0)[:, :, None] & ~is_label[:, None, :], labels


@quiet
def multilabel_margin(x: Array, target: Array) -> Array:
    """The loss of each row."""
    gap, counts, _ = _compared(x, target)
    total = np.add.reduce(np.where(counts, gap, x.dtype.type(0)), axis=(1, 2))
    return total / x.dtype.type(x.shape[1])


@quiet
def multilabel_margin_slopes(x: Array, target: Array) -> Array:
    """How the loss of a row changes with each of its scores: in how many pairs that is the class, less in how
    many it is the label.
    """
    _, counts, labels = _compared(x, target)
    slopes = np.add.reduce(counts, axis=1, dtype=x.dtype)
    slopes = scatter_add(slopes, labels, -np.add.reduce(counts, axis=2, dtype=x.dtype), 1)
    return slopes / x.dtype.type(x.shape[1])

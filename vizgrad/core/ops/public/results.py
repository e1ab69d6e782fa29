"""Named results: tuples whose fields have PyTorch's names."""

from __future__ import annotations

from typing import NamedTuple

from vizgrad.core.tensor.tensor import Tensor


class ValuesIndices(NamedTuple):
    """What reductions that choose elements return: the elements and where they are."""

    values: Tensor
    indices: Tensor


class MinMax(NamedTuple):
    """Result of `aminmax`."""

    min: Tensor
    max: Tensor

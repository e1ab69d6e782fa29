"""Poolings as `vizgrad.NAME` has them: the results and where they come from, always both."""

from __future__ import annotations

from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.functional.windows import adaptive_max_pool1d as _adaptive_max_pool1d


def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """`nn.functional.adaptive_max_pool1d` with `return_indices`."""
    return _adaptive_max_pool1d(input, output_size, return_indices=True)

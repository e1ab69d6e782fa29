"""Layers as `vizgrad` itself has them: dropout with `train` for `training`, group_norm of single values."""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.nn.functional.dropout import alpha_dropout as _alpha_dropout
from vizgrad.nn.functional.dropout import dropout as _dropout
from vizgrad.nn.functional.normalization import grouped
from vizgrad.nn.functional.windows import adaptive_max_pool1d as _adaptive_max_pool1d


@takes_tensors
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.dropout`."""
    return _dropout(input, p, train)


@takes_tensors
def alpha_dropout(input: Tensor, p: float, train: bool) -> Tensor:
    """`nn.functional.alpha_dropout`."""
    return _alpha_dropout(input, p, train)


@takes_tensors
def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-5, cudnn_enabled: bool = True,
) -> Tensor:  # fmt: skip
    """`nn.functional.group_norm`, which does not mind groups of a single value."""
    return grouped(input, num_groups, weight, bias, eps)


# Poolings as `vizgrad.NAME` has them: the results and where they come from, always both.


def adaptive_max_pool1d(input: Tensor, output_size: Any) -> tuple[Tensor, Tensor]:
    """`nn.functional.adaptive_max_pool1d` with `return_indices`."""
    return _adaptive_max_pool1d(input, output_size, return_indices=True)

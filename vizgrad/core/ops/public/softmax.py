"""`softmax` and `log_softmax` as functions and methods of tensors."""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops import softmax as ops
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.arguments import check_dtype, one_dim
from vizgrad.core.ops.public.conversion import to
from vizgrad.core.ops.public.keywords import takes_axis
from vizgrad.core.tensor.tensor import Tensor


@public(method=True)
@takes_axis
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """exp(x) / sum(exp(x)) along `dim`, without overflow."""
    at = one_dim(dim, input._array.ndim)
    return ops.softmax.record(_prepared("softmax", input, dtype), dim=at)


@public(method=True)
@takes_axis
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """x - log(sum(exp(x))) along `dim`, without overflow."""
    at = one_dim(dim, input._array.ndim)
    return ops.log_softmax.record(_prepared("log_softmax", input, dtype), dim=at)


def _prepared(name: str, input: Tensor, dtype: Any) -> Tensor:
    if dtype is not None:
        input = to(input, check_dtype(name, dtype))
    if input._array.dtype.kind not in "fV":
        raise NotImplementedError(
            f'"{name}_lastdim_kernel_impl" not implemented for {input.dtype.name}'
        )
    return input

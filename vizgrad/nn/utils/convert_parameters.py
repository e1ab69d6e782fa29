"""All parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.tensor.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all parameters, one after the other; differentiable."""
    from vizgrad.core.ops.joining import cat_any

    flat = [p.reshape(-1) for p in parameters]
    if not flat:
        raise ValueError(
            "torch.cat(): expected a non-empty list of Tensors: there are no parameters"
        )
    return cat_any(flat, 0)


def vector_to_parameters(vec: Any, parameters: Iterable[Tensor]) -> None:
    """Gives the parameters, in order, the elements of `vec` as their data (views of its memory)."""
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected vizgrad.Tensor, but got: {type(vec).__name__}")
    whole: Any = vec
    start = 0
    for parameter in parameters:
        count = parameter._array.size
        parameter.data = whole[start : start + count].view(*parameter._array.shape).data
        start += count

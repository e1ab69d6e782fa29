"""Questions about two whole tensors."""

from __future__ import annotations

from vizgrad.core.arrays import xp
from vizgrad.core.ops import compare
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.tensor import Tensor


@public(method=True)
@takes_tensors
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """|input - other| <= atol + rtol * |other|, element by element; types must agree."""
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if not tolerance >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    return compare.isclose.record(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


@public(method=True)
@takes_tensors
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Is `isclose` true everywhere?"""
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


@public(method=True)
@takes_tensors
def equal(input: Tensor, other: Tensor) -> bool:
    """Have both the same shape and the same elements (NaN equals nothing)?"""
    return input._array.shape == other._array.shape and bool(
        xp.array_equal(input._array, other._array)
    )

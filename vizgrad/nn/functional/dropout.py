"""Dropout."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays import xp
from vizgrad.function.inplace import write
from vizgrad.ops import arithmetic
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.tensor.tensor import Tensor, new_tensor


def _check(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _noise(input: Tensor, p: float, shape: tuple[int, ...]) -> Any:
    """1 / (1 - p) with probability 1 - p, else 0."""
    empty: Any = new_tensor(xp.zeros_like(input._array, shape=shape, order="C"))
    if p == 1:
        return empty
    empty.bernoulli_(1 - p)
    empty._array *= 1 / (1 - p)
    return empty


def _times(input: Tensor, noise: Tensor, inplace: bool) -> Tensor:
    if inplace:
        return write(arithmetic.mul, input, noise, name="mul_")
    return arithmetic.mul.record(input, noise)


@takes_tensors
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """In training, zeroes elements with probability p and scales the others by 1 / (1 - p).

    N. Srivastava et al., Dropout (2014). ValueError for p outside [0, 1]; p = 1 gives zeros.
    """
    _check(p)
    if not training or p == 0 or not input._array.size:
        return input
    return _times(input, _noise(input, p, input._array.shape), inplace)


def _whole_channels(input: Tensor, p: float, training: bool, inplace: bool, dims: int) -> Tensor:
    _check(p)
    x = input._array
    if x.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"dropout{dims}d: Expected {dims + 1}D or {dims + 2}D input, but received a {x.ndim}D "
            "input"
        )
    if not training or p == 0 or not x.size:
        return input
    shape = x.shape[: x.ndim - dims] + (1,) * dims
    return _times(input, _noise(input, p, shape), inplace)


def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """`dropout` of whole channels of (N, C, L)."""
    return _whole_channels(input, p, training, inplace, 1)


def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """`dropout` of whole channels of (N, C, H, W)."""
    return _whole_channels(input, p, training, inplace, 2)


def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """`dropout` of whole channels of (N, C, D, H, W)."""
    return _whole_channels(input, p, training, inplace, 3)


#: The value SELU goes towards at minus infinity, with the sign turned.
_SELU_FLOOR = 1.7580993408473766


def alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`dropout` that keeps mean 0 and variance 1 of SELU activations.

    G. Klambauer et al., Self-Normalizing Neural Networks (2017).
    """
    _check(p)
    if not training or p == 0 or not input._array.size:
        return input
    if p == 1:
        return _times(input, _noise(input, 1, input._array.shape), inplace)
    kept = _noise(input, p, input._array.shape) * (1 - p)
    a = 1 / ((_SELU_FLOOR**2 * p + 1) * (1 - p)) ** 0.5
    shift = (kept - 1) * (_SELU_FLOOR * a) + _SELU_FLOOR * a * p
    if inplace:
        return input.mul_(kept * a).add_(shift)
    return input * (kept * a) + shift


def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _check(p)
    if not training or p in (0, 1) or not input._array.size:
        return alpha_dropout(input, p, training, inplace)
    x = input._array
    kept = _noise(input, p, x.shape[:2] + (1,) * (x.ndim - 2)) * (1 - p)
    a = 1 / ((_SELU_FLOOR**2 * p + 1) * (1 - p)) ** 0.5
    return input * (kept * a) + ((kept - 1) * (_SELU_FLOOR * a) + _SELU_FLOOR * a * p)

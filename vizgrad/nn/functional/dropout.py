"""Dropout."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

from vizgrad.core.arrays import random, xp
from vizgrad.core.arrays.backend import is_on_host
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.function.inplace import write
from vizgrad.core.ops import arithmetic
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.tensor.modes import GUARD, MODES
from vizgrad.core.tensor.requirements import Rank
from vizgrad.core.tensor.tensor import Tensor, new_tensor


def _check(p: float) -> None:
    if not 0.0 <= p <= 1.0:
        # PyTorch looks twice, and only the second look sees that NaN is no probability
        raise (ValueError if p == p else RuntimeError)(
            f"dropout probability has to be between 0 and 1, but got {p}"
        )


def _noise(input: Tensor, p: float, shape: tuple[int, ...]) -> Any:
    """1 / (1 - p) with probability 1 - p, else 0; it lies in memory as the input does.

    With p = 1 it is one 0 for all: nothing is drawn, and nothing of the input's size is saved.
    """
    x = input._array
    if p == 1:
        shape = ()
    order = "K" if shape == x.shape else "C"
    empty: Any = new_tensor(shaped(xp.zeros_like, x, shape=shape, order=order))
    if p == 1:
        return empty
    if x.dtype.kind in "iub":
        raise RuntimeError(
            f"result type Float can't be cast to the desired output type {input.dtype.name}: dropout "
            "divides what it keeps; make the input a floating point tensor first"
        )
    if GUARD.transforms and any(level.randomness for level in MODES.transforms):
        kept = rand(shape, dtype=input.dtype, device=input.device) < 1 - p
        return kept.to(input.dtype) * (1 / (1 - p))
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
    x = input._array
    if not x.size or not training or p == 0:
        return input
    if inplace or p == 1 or x.dtype.kind not in "fV" or is_on_host(x) or GUARD.transforms:
        return _times(input, _noise(input, p, x.shape), inplace)
    # on a device PyTorch draws for this alone in an order of its own
    return _times(input, new_tensor(random.kept(x, 1 - p, input.device, None)), inplace)


def _whole_channels(name: str, input: Tensor, p: float, training: bool, inplace: bool) -> Tensor:
    """Each channel of each sample, the first two dimensions, is kept or dropped as a whole."""
    _check(p)
    x = input._array
    if not training or p == 0 or not x.size:
        return input
    if x.ndim < 2 and p < 1:
        raise RuntimeError(
            f"{name}: Feature dropout requires at least 2 dimensions in the input, got shape {list(x.shape)}"
        )
    return _times(input, _noise(input, p, x.shape[:2] + (1,) * (x.ndim - 2)), inplace)


def _of_one_sample(name: str, input: Any, p: float, training: bool, inplace: bool) -> Tensor:
    """The same of one sample, whose channels are the first dimension: a view, or `input` itself in place."""
    sample = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    made: Any = _whole_channels(name, sample, p, training, inplace)
    return made.squeeze_(0) if inplace else made.squeeze(0)


@takes_tensors
def dropout1d(
    input: Annotated[
        Tensor,
        Rank(
            (2, 3),
            "dropout1d: Expected 2D or 3D input, but received a {ndim}D input. It drops whole channels of "
            "inputs with one spatial dimension; for others there are dropout, dropout2d and dropout3d",
        ),
    ],
    p: float = 0.5,
    training: bool = True,
    inplace: bool = False,
) -> Tensor:
    """`dropout` of whole channels of (N, C, L), or (C, L)."""
    of = _whole_channels if input._array.ndim == 3 else _of_one_sample
    return of("dropout1d", input, p, training, inplace)


@takes_tensors
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """`dropout` of whole channels of (N, C, H, W).

    Other shapes are taken as in PyTorch, with a warning: the first two dimensions are always samples and
    channels, so that of (N, C) single elements are dropped, and (C, H, W) is read as (N, C, L).
    """
    ndim = input._array.ndim
    if ndim == 3:
        _warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior "
            "is desired, of (N, C, L); use dropout1d for that, and input.unsqueeze(0) for one (C, H, W)"
        )
    elif ndim != 4:
        _warn(
            f"dropout2d: Received a {ndim}-D input to dropout2d, which is deprecated: of (N, C) use dropout, "
            "for others a function of their number of dimensions"
        )
    return _whole_channels("dropout2d", input, p, training, inplace)


@takes_tensors
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """`dropout` of whole channels of (N, C, D, H, W), or (C, D, H, W); of other shapes with a warning."""
    ndim = input._array.ndim
    if ndim not in (4, 5):
        _warn(
            f"dropout3d: Received a {ndim}-D input to dropout3d, which is deprecated: give it 4 or 5 "
            "dimensions, or use dropout1d or dropout2d"
        )
    of = _whole_channels if ndim == 5 else _of_one_sample
    return of("dropout3d", input, p, training, inplace)


def _warn(message: str) -> None:
    warnings.warn(message, UserWarning, stacklevel=4)


#: The value SELU goes towards at minus infinity, with the sign turned.
_SELU_FLOOR = 1.7580993408473766


@takes_tensors
def alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`dropout` that keeps mean 0 and variance 1 of SELU activations.

    G. Klambauer et al., Self-Normalizing Neural Networks (2017).
    """
    _check(p)
    if not input._array.size or not training or p == 0:
        return input
    if p == 1:
        return _times(input, _noise(input, 1, input._array.shape), inplace)
    return _shifted(input, p, input._array.shape, inplace)


def _shifted(input: Any, p: float, shape: tuple[int, ...], inplace: bool) -> Tensor:
    """A dropped element gets SELU's floor, then all is scaled and shifted to mean 0 and variance 1."""
    kept = _noise(input, p, shape) * (1 - p)
    a = 1 / ((_SELU_FLOOR**2 * p + 1) * (1 - p)) ** 0.5
    shift = (kept - 1) * (_SELU_FLOOR * a) + _SELU_FLOOR * a * p
    if inplace:
        return input.mul_(kept * a).add_(shift)
    return input * (kept * a) + shift


@takes_tensors
def feature_alpha_dropout(
    input: Any, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """`alpha_dropout` of whole channels."""
    _check(p)
    x = input._array
    if not training or p in (0, 1) or not x.size:
        return alpha_dropout(input, p, training, inplace)
    if x.ndim < 2:
        raise RuntimeError(
            f"Feature dropout requires at least 2 dimensions in the input, got shape {list(x.shape)}"
        )
    return _shifted(input, p, x.shape[:2] + (1,) * (x.ndim - 2), inplace)

"""Window functions of signal processing (A. Oppenheim, R. Schafer, Discrete-Time Signal Processing, 7.5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from vizgrad.core.arrays.dtypes import DType, get_default_dtype
from vizgrad.core.ops.forms import public
from vizgrad.core.ops.public import special
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.ops.public.creation import check_flag, full
from vizgrad.core.ops.public.ranges import arange
from vizgrad.core.tensor.tensor import Tensor


def _window(
    name: str, shape: Callable[[Any], Any], length: int, periodic: bool, options: dict[str, Any]
) -> Tensor:
    """`shape` of places from 0 to 1; a `periodic` window has one place more, which is left out."""
    requires_grad = options.pop("requires_grad", None) or False
    check_flag(requires_grad)
    dtype: DType = options.pop("dtype", None) or get_default_dtype()
    if length < 0:
        raise RuntimeError(
            f"{name} requires non-negative window_length, got window_length={length}"
        )
    if dtype.is_complex and length > 1:
        raise NotImplementedError(f'"{name}" not implemented for {dtype.name}')
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name} expects floating point dtypes, got: {dtype}")
    if length <= 1:
        made: Any = full((length,), 1.0, dtype=dtype, **options)
    else:
        places: Any = arange(length, dtype=dtype, **options)
        made = shape(places / (length if periodic else length - 1))
    return made.wanting_grad(requires_grad)


@public
@takes_tensors
def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """(1 - cos(2 pi t)) / 2 for t from 0 to 1; options are `dtype`, `device` and `requires_grad`."""
    return _cosines("hann_window", window_length, periodic, options, 0.5, 0.5)


@public
@takes_tensors
def hamming_window(
    window_length: int,
    periodic: bool = True,
    alpha: float = 0.54,
    beta: float = 0.46,
    **options: Any,
) -> Tensor:
    """alpha - beta cos(2 pi t) for t from 0 to 1; options are `dtype`, `device` and `requires_grad`."""
    return _cosines("hamming_window", window_length, periodic, options, float(alpha), float(beta))


@public
@takes_tensors
def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t) for t from 0 to 1; options as of `hann_window`."""
    return _cosines("blackman_window", window_length, periodic, options, 0.42, 0.5, 0.08)


def _cosines(
    name: str,
    length: int,
    periodic: bool,
    options: dict[str, Any],
    level: float,
    once: float,
    twice: float = 0.0,
) -> Tensor:
    def shape(t: Any) -> Any:
        out = level - once * (2 * math.pi * t).cos()
        return out + twice * (4 * math.pi * t).cos() if twice else out

    return _window(name, shape, length, periodic, options)


@public
@takes_tensors
def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    """A triangle, 0 at its ends and 1 in the middle; options as of `hann_window`."""
    return _window(
        "bartlett_window", lambda t: 1 - (2 * t - 1).abs(), window_length, periodic, options
    )


@public
@takes_tensors
def kaiser_window(
    window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any
) -> Tensor:
    """I0(beta sqrt(1 - (2t - 1)^2)) / I0(beta) for t from 0 to 1; options as of `hann_window`."""

    def shape(t: Any) -> Any:
        within: Any = beta * (1 - (2 * t - 1) ** 2).clamp(min=0).sqrt()
        return special.i0(within) / special.i0(t.new_full((), beta))

    return _window("kaiser_window", shape, window_length, periodic, options)

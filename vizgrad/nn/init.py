"""Filling parameters with starting values, in place and without recording (T-54)."""

from __future__ import annotations

import functools
import math
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from vizgrad.core.arrays.backend import on_device_of
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.tensor.modes import set_grad_mode
from vizgrad.core.tensor.requirements import Rank, RankAtLeast, checked
from vizgrad.core.tensor.tensor import Tensor


class _Skipping(threading.local):
    """Is this thread within `skipped()`?"""

    active = False


_skipping = _Skipping()


@contextmanager
def skipped() -> Iterator[None]:
    """Within the block the functions of this file leave tensors as they are, in this thread."""
    before, _skipping.active = _skipping.active, True
    try:
        yield
    finally:
        _skipping.active = before


def _quietly(tensor: Any, method: str, *args: Any, **kwargs: Any) -> Any:
    """Calls an in-place method of a leaf outside of recording."""
    if _skipping.active:
        return tensor
    before = set_grad_mode(False)
    try:
        return getattr(tensor, method)(*args, **kwargs)
    finally:
        set_grad_mode(before)


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a layer's weights grow to keep the variance through a nonlinearity."""
    linear = ("linear", "sigmoid", "conv1d", "conv2d", "conv3d")
    if nonlinearity in linear or nonlinearity.startswith("conv_transpose"):
        return 1.0
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Tensor:
    """Values from U(a, b)."""
    return _quietly(tensor, "uniform_", a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Tensor:
    """Values from N(mean, std^2)."""
    return _quietly(tensor, "normal_", mean, std, generator=generator)


def trunc_normal_(
    tensor: Any, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """Values from N(mean, std^2) within [a, b], by the inverse of the distribution function."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of "
            "values may be incorrect.",
            UserWarning,
            stacklevel=2,
        )

    def below(x: float) -> float:
        return (1 + math.erf((x - mean) / (std * math.sqrt(2)))) / 2

    before = set_grad_mode(False)
    try:
        tensor.uniform_(2 * below(a) - 1, 2 * below(b) - 1, generator=generator)
        tensor.erfinv_().mul_(std * math.sqrt(2)).add_(mean).clamp_(a, b)
    finally:
        set_grad_mode(before)
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """All `val`."""
    return _quietly(tensor, "fill_", val)


def ones_(tensor: Tensor) -> Tensor:
    """All 1."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """All 0."""
    return constant_(tensor, 0.0)


_MATRIX = Rank(2, "Only tensors with 2 dimensions are supported", ValueError)


@checked
def eye_(tensor: Annotated[Any, _MATRIX]) -> Tensor:
    """The identity, for matrices."""
    zeros_(tensor)
    _quietly(tensor.detach().diagonal(), "fill_", 1.0)
    return tensor


@checked
def dirac_(
    tensor: Annotated[
        Any, Rank((3, 4, 5), "Only tensors with 3, 4, or 5 dimensions are supported", ValueError)
    ],
    groups: int = 1,
) -> Tensor:
    """The filters that leave a convolution's input as it is, as far as there are channels."""
    if tensor.shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    zeros_(tensor)
    per_group = tensor.shape[0] // groups
    data = tensor.detach()
    middle = tuple(n // 2 for n in tensor.shape[2:])
    for group in range(groups):
        for channel in range(min(per_group, tensor.shape[1])):
            data[(group * per_group + channel, channel, *middle)] = 1.0
    return tensor


@checked
def _calculate_fan_in_and_fan_out(
    tensor: Annotated[
        Tensor,
        RankAtLeast(
            2,
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions",
            ValueError,
        ),
    ],
) -> tuple[int, int]:
    """(inputs of one output, outputs of one input) of a weight (out, in, *kernel)."""
    shape = tensor._array.shape
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """U(-a, a), a = gain sqrt(6 / (fan_in + fan_out)). X. Glorot, Y. Bengio (2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = gain * math.sqrt(6.0 / (fan_in + fan_out))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Any = None) -> Tensor:
    """N(0, std^2), std = gain sqrt(2 / (fan_in + fan_out)). X. Glorot, Y. Bengio (2010)."""
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / (fan_in + fan_out)), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    fan = fan_in if mode.lower() == "fan_in" else fan_out
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """U(-b, b), b = gain sqrt(3 / fan). K. He et al., Delving Deep into Rectifiers (2015)."""
    if not tensor._array.size:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Tensor:  # fmt: skip
    """N(0, gain^2 / fan). K. He et al., Delving Deep into Rectifiers (2015)."""
    if not tensor._array.size:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=2)
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


@checked
def orthogonal_(
    tensor: Annotated[
        Any, RankAtLeast(2, "Only tensors with 2 or more dimensions are supported", ValueError)
    ],
    gain: float = 1,
    generator: Any = None,
) -> Tensor:
    """A (semi-)orthogonal matrix times gain; further dimensions are flattened into the second.

    A. Saxe, J. McClelland, S. Ganguli, Exact Solutions to the Nonlinear Dynamics of Learning (2013).
    """
    from vizgrad.core.arrays.kernels.linalg import orthonormal

    normal_(tensor, 0.0, 1.0, generator)
    if not tensor._array.size:
        return tensor
    from vizgrad.core.tensor.tensor import new_tensor

    with on_device_of(tensor):
        found = new_tensor(orthonormal(tensor._array) * gain)
    return _quietly(tensor, "copy_", found)


@checked
def sparse_(
    tensor: Annotated[Any, _MATRIX], sparsity: float, std: float = 0.01, generator: Any = None
) -> Tensor:
    """N(0, std^2), with a share `sparsity` of each column, rounded up, set to 0. ValueError unless 2-dim.

    J. Martens, Deep learning via Hessian-free optimization (2010).
    """
    normal_(tensor, 0.0, std, generator)
    rows, columns = tensor.shape
    empty = math.ceil(sparsity * rows)
    order = rand(columns, rows, generator=generator).argsort(1).t()  # of the rows, for each column
    return _quietly(tensor, "mul_", (order >= empty).to(tensor.dtype))


def _older(fill: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The name without an underscore, which writes in place too."""
    name = fill.__name__.removesuffix("_")

    @functools.wraps(fill)
    def older(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return fill(*args, **kwargs)

    older.__name__ = older.__qualname__ = name
    return older


uniform = _older(uniform_)
normal = _older(normal_)
constant = _older(constant_)
eye = _older(eye_)
dirac = _older(dirac_)
xavier_uniform = _older(xavier_uniform_)
xavier_normal = _older(xavier_normal_)
kaiming_uniform = _older(kaiming_uniform_)
kaiming_normal = _older(kaiming_normal_)
orthogonal = _older(orthogonal_)
sparse = _older(sparse_)

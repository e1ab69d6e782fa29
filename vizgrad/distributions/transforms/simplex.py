"""Transforms from vectors of any numbers to shares of a whole."""

from __future__ import annotations

from typing import Any

from vizgrad.core.ops.public.creation import arange
from vizgrad.core.ops.public.from_values import ones_like
from vizgrad.core.ops.public.joining import cat
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import smallest
from vizgrad.distributions.transforms.elementwise import inside
from vizgrad.distributions.transforms.transform import OfOneKind, needs_dims
from vizgrad.nn.functional import logsigmoid


class SoftmaxTransform(OfOneKind):
    """y = softmax(x). Not bijective: all x + c give the same y; the inverse is the one with sum of exp 1."""

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Tensor) -> Tensor:
        return x.softmax(-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        needs_dims(shape, 1)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        needs_dims(shape, 1)
        return shape


class StickBreakingTransform(OfOneKind):
    """K - 1 numbers to K shares: each breaks a part of the stick that is left (Stan Reference Manual,
    "Unit simplex"). Zeros give equal shares.
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _shifted(self, x: Tensor) -> Tensor:
        """Log-odds of each break: 1 to as many shares as are left, shifted by x."""
        left = arange(x.shape[-1], 0, -1, dtype=x.dtype, device=x.device)
        return x - left.log()

    def _call(self, x: Tensor) -> Tensor:
        broken: Any = inside(self._shifted(x).sigmoid())
        left = (1 - broken).cumprod(-1)
        end = ones_like(x[..., :1])
        return cat([broken, end], -1) * cat([end, left], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        shares = y[..., :-1]
        left = (1 - shares.cumsum(-1)).clamp(min=smallest(y))
        ways = arange(shares.shape[-1], 0, -1, dtype=y.dtype, device=y.device)
        return shares.log() - left.log() + ways.log()

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """The Jacobian is triangular: the product of (1 - break) * share."""
        return (logsigmoid(-self._shifted(x)) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        needs_dims(shape, 1)
        return Size((*shape[:-1], shape[-1] + 1))

    def inverse_shape(self, shape: Any) -> Any:
        needs_dims(shape, 1)
        return Size((*shape[:-1], shape[-1] - 1))

"""Gamma numbers, whose derivative says how far they move with the shape parameter."""

from __future__ import annotations

from vizgrad.core.arrays import random
from vizgrad.core.arrays.backend import device_of
from vizgrad.core.arrays.kernels import gamma
from vizgrad.core.function.primitive import primitive
from vizgrad.core.ops.constants import constant, raw


def _drawn(self):
    return random.standard_gamma(self, device_of(self), None)


@primitive(typing="float", node="StandardGammaBackward0", real_only=True)
class standard_gamma:
    """A gamma number of shape `self` and rate 1 for each element, drawn anew at each call.

    It moves as if it stayed at its quantile; that derivative has none itself.
    """

    forward = _drawn

    def grad_self(grad, self, result):
        return grad * constant(gamma.sample_slope(raw(self), raw(result)), grad)

"""Gamma numbers, and the probabilities of the gamma distribution."""

from __future__ import annotations

from vizgrad.arrays import random
from vizgrad.arrays.backend import device_of
from vizgrad.arrays.kernels import gamma
from vizgrad.function.primitive import primitive
from vizgrad.ops.constants import constant, raw


def _drawn(self):
    return random.standard_gamma(self, device_of(self), None)


@primitive(typing="float", pointwise=True, node="IgammaBackward0")
class igamma:
    """P(a, x), the regularised lower incomplete gamma function; no derivative for a, as in PyTorch."""

    def forward(self, other):
        return gamma.gammainc(self, other)

    def grad_other(grad, self, other):
        return grad * constant(gamma.density(raw(self), raw(other)), grad)


@primitive(typing="float", node="StandardGammaBackward0")
class standard_gamma:
    """A gamma number of shape `self` and rate 1 for each element, drawn anew at each call.

    The derivative says how far the number moves when it stays at its quantile; it has none itself.
    """

    forward = _drawn

    def grad_self(grad, self, result):
        return grad * constant(gamma.sample_slope(raw(self), raw(result)), grad)

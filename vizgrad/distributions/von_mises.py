"""The von Mises distribution: angles, the normal distribution of the circle."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.creation import empty
from vizgrad.core.ops.public.from_values import ones_like
from vizgrad.core.ops.public.random_sampling import rand
from vizgrad.core.ops.public.special import i0e, i1e
from vizgrad.core.ops.public.where_clamp import where
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.distribution import Distribution, batch_of, broadcast_all


class VonMises(Distribution):
    """Angle `loc`, in radians, and `concentration` about it. Samples lie in [-pi, pi)."""

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "loc": constraints.real,
        "concentration": constraints.positive,
    }
    support = constraints.real
    loc: Tensor
    concentration: Tensor

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(batch_of(loc, concentration), validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The angle of the mean direction."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """1 minus the length of the mean direction."""
        k = self.concentration
        return 1 - i1e(k) / i0e(k)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """By rejection from a wrapped Cauchy distribution (Best and Fisher 1979), in float64."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            k: Any = self.concentration.double().expand(shape)
            tau = 1 + (1 + 4 * k**2).sqrt()
            rho = (tau - (2 * tau).sqrt()) / (2 * k)
            # the closed form cancels for small concentrations, where 1 / k is the limit
            r = where(k < 1e-5, 1 / k + k, (1 + rho**2) / (2 * rho))
            found: Any = empty(shape, dtype=k.dtype, device=k.device)
            missing = ones_like(found) > 0
            while missing.any():
                u1, u2, u3 = rand((3, *shape), dtype=k.dtype, device=k.device).unbind()
                z = (math.pi * u1).cos()
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accepted = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                angle = (u3 - 0.5).sign() * f.clamp(min=-1, max=1).acos()
                found = where(missing & accepted, angle, found)
                missing = missing & ~accepted
            return ((found + math.pi + self.loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        """k cos(x - loc) - log(2 pi I0(k)), with I0 scaled by exp(-k)."""
        self._validate_sample(value)
        k = self.concentration
        return k * ((value - self.loc).cos() - 1) - math.log(2 * math.pi) - i0e(k).log()

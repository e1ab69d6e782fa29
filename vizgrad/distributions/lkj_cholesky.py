"""The LKJ distribution of correlation matrices, as their Cholesky factors (Lewandowski, Kurowicka and
Joe 2009, "Generating random correlation matrices based on vines and extended onion method").
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from vizgrad.autograd.grad_mode import no_grad
from vizgrad.core.ops.public.creation import arange
from vizgrad.core.ops.public.random_sampling import randn
from vizgrad.core.tensor.tensor import Size, Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.beta import Beta
from vizgrad.distributions.distribution import Distribution, batch_of, broadcast_all, smallest


class LKJCholesky(Distribution):
    """Factors of `dim` x `dim` correlation matrices with densities det(matrix)^(concentration - 1):
    1 makes all matrices equally likely, more favours small correlations.

    Raises ValueError for a `dim` below 2.
    """

    arg_constraints: ClassVar[dict[str, constraints.Constraint]] = {
        "concentration": constraints.positive
    }
    support = constraints.corr_cholesky
    concentration: Tensor

    def __init__(
        self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(
                f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}."
            )
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(batch_of(concentration), Size((dim, dim)), validate_args)

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """The onion method: row k is a direction on the sphere of its first k columns, times the root of
        a beta number.
        """
        shape = self._extended_shape(sample_shape)
        with no_grad():
            eta: Any = self.concentration
            k = arange(self.dim, dtype=eta.dtype, device=eta.device)
            # row 0 has no columns before it; its length is set to 0 below
            lengths = Beta(
                k.clamp(min=1) / 2, eta.unsqueeze(-1) + (self.dim - 1 - k) / 2, validate_args=False
            ).sample(sample_shape)
            lengths = lengths * (k > 0)
            noise: Any = randn(shape, dtype=eta.dtype, device=eta.device).tril(-1)
            size = noise.pow(2).sum(-1, keepdim=True).sqrt().clamp(min=smallest(noise))
            below = lengths.sqrt().unsqueeze(-1) * noise / size
            rest = (1 - below.pow(2).sum(-1)).clamp(min=smallest(noise)).sqrt()
            return below + rest.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        """Powers of the diagonal, by the formula of page 1999 for the normaliser."""
        self._validate_sample(value)
        eta: Any = self.concentration
        rows = self.dim - 1
        order = arange(2, self.dim + 1, dtype=eta.dtype, device=eta.device)
        powers = 2 * (eta - 1).unsqueeze(-1) + self.dim - order
        fit = (powers * value.diagonal(dim1=-2, dim2=-1)[..., 1:].log()).sum(-1)
        top = eta + 0.5 * rows
        normaliser = (
            0.5 * rows * math.log(math.pi) + (top - 0.5).mvlgamma(rows) - rows * top.lgamma()
        )
        return fit - normaliser

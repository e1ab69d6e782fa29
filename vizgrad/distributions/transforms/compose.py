"""ComposeTransform: transforms one after the other."""

from __future__ import annotations

import weakref
from typing import Any

from vizgrad.core.ops.public.from_values import zeros_like
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.constraints import Constraint, sum_rightmost
from vizgrad.distributions.transforms.transform import Transform


class ComposeTransform(Transform):
    """`parts` in the order in which they are applied; none of them is the identity."""

    def __init__(self, parts: list[Transform], cache_size: int = 0) -> None:
        if cache_size:
            parts = [part.with_cache(cache_size) for part in parts]
        super().__init__(cache_size=cache_size)
        self.parts = parts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ComposeTransform) and self.parts == other.parts

    __hash__ = None

    def _event_dims(self) -> list[int]:
        """How many dimensions one value has before each part and after the last: enough for all parts."""
        dims = [0]
        for part in self.parts:
            dims.append(dims[-1] + part.codomain.event_dim - part.domain.event_dim)
        missing = [
            part.domain.event_dim - before for part, before in zip(self.parts, dims, strict=False)
        ]
        lift = max(missing, default=0)
        return [lift + d for d in dims]

    def _widened(self, constraint: Constraint, event_dim: int) -> Constraint:
        more = event_dim - constraint.event_dim
        return constraints.independent(constraint, more) if more else constraint

    @property
    def domain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        return self._widened(self.parts[0].domain, self._event_dims()[0])

    @property
    def codomain(self) -> Constraint:
        if not self.parts:
            return constraints.real
        return self._widened(self.parts[-1].codomain, self._event_dims()[-1])

    @property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.parts)

    @property
    def sign(self) -> Any:
        found: Any = 1
        for part in self.parts:
            found = found * part.sign
        return found

    @property
    def inv(self) -> Transform:
        """The inverses of the parts in the opposite order."""
        found = None if self._inv is None else self._inv()
        if found is None:
            found = ComposeTransform([part.inv for part in reversed(self.parts)])
            self._remember(found)
            found._remember(self)
        return found

    def _remember(self, inverse: Transform) -> None:
        self._inv = weakref.ref(inverse)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return ComposeTransform(self.parts, cache_size=cache_size)

    def __call__(self, x: Tensor) -> Tensor:
        for part in self.parts:
            x = part(x)
        return x

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        if not self.parts:
            return zeros_like(x)
        values = [x]
        for part in self.parts[:-1]:
            values.append(part(values[-1]))
        values.append(y)
        total: Any = 0
        dims = self._event_dims()
        for i, part in enumerate(self.parts):
            term = part.log_abs_det_jacobian(values[i], values[i + 1])
            total = total + sum_rightmost(term, dims[i] - part.domain.event_dim)
        return total

    def forward_shape(self, shape: Any) -> Any:
        for part in self.parts:
            shape = part.forward_shape(shape)
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        for part in reversed(self.parts):
            shape = part.inverse_shape(shape)
        return shape

    def __repr__(self) -> str:
        inside = ",\n    ".join(repr(part) for part in self.parts)
        return f"ComposeTransform(\n    {inside}\n)"


identity_transform = ComposeTransform([])

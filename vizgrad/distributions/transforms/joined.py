"""Several transforms side by side along a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vizgrad.core.ops.public.joining import cat, stack
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions import constraints
from vizgrad.distributions.constraints import Constraint, sum_rightmost
from vizgrad.distributions.transforms.transform import Transform


class _Joined(Transform):
    transforms: list[Transform]
    dim: int

    def _set(self, tseq: Sequence[Transform], dim: int, cache_size: int) -> None:
        for part in tseq:
            if not isinstance(part, Transform):
                raise AssertionError(
                    f"All elements of tseq must be Transform instances, not {part!r}"
                )
        self.transforms = [part.with_cache(cache_size) if cache_size else part for part in tseq]
        self.dim = dim
        super().__init__(cache_size=cache_size)

    @property
    def bijective(self) -> bool:
        return all(part.bijective for part in self.transforms)

    def _pieces(self, x: Tensor) -> list[Tensor]:
        """The part of x that each transform takes."""
        raise NotImplementedError


class CatTransform(_Joined):
    """Each of `tseq` takes its part, of `lengths`, of dimension `dim`, as with `cat`."""

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        self._set(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths must be as many as transforms: {len(self.lengths)}, {len(self.transforms)}"
            )

    @property
    def event_dim(self) -> int:
        return max(part.event_dim for part in self.transforms)

    @property
    def length(self) -> int:
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _pieces(self, x: Tensor) -> list[Tensor]:
        if not -x.dim() <= self.dim < x.dim() or x.shape[self.dim] != self.length:
            raise AssertionError(
                f"expected size {self.length} in dimension {self.dim}, got shape {tuple(x.shape)}"
            )
        return list(x.split(self.lengths, self.dim))

    def _call(self, x: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._pieces(x), strict=True)
        return cat([part(piece) for part, piece in pairs], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._pieces(y), strict=True)
        return cat([part.inv(piece) for part, piece in pairs], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """One number for each value of the batch: summed where `dim` is inside a value."""
        terms = []
        for part, a, b in zip(self.transforms, self._pieces(x), self._pieces(y), strict=True):
            term = part.log_abs_det_jacobian(a, b)
            terms.append(sum_rightmost(term, self.event_dim - part.event_dim))
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        return cat(terms, dim) if dim < 0 else _sum(terms)

    @property
    def domain(self) -> Constraint:
        return constraints.cat([part.domain for part in self.transforms], self.dim, self.lengths)

    @property
    def codomain(self) -> Constraint:
        return constraints.cat([part.codomain for part in self.transforms], self.dim, self.lengths)


class StackTransform(_Joined):
    """Each of `tseq` takes one slice of dimension `dim`, as with `stack`."""

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        self._set(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return StackTransform(self.transforms, self.dim, cache_size)

    def _pieces(self, x: Tensor) -> list[Tensor]:
        if not -x.dim() <= self.dim < x.dim() or x.shape[self.dim] != len(self.transforms):
            raise AssertionError(
                f"expected size {len(self.transforms)} in dimension {self.dim}, got shape {tuple(x.shape)}"
            )
        return list(x.unbind(self.dim))

    def _call(self, x: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._pieces(x), strict=True)
        return stack([part(piece) for part, piece in pairs], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        pairs = zip(self.transforms, self._pieces(y), strict=True)
        return stack([part.inv(piece) for part, piece in pairs], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        triples = zip(self.transforms, self._pieces(x), self._pieces(y), strict=True)
        return stack([part.log_abs_det_jacobian(a, b) for part, a, b in triples], self.dim)

    @property
    def domain(self) -> Constraint:
        return constraints.stack([part.domain for part in self.transforms], self.dim)

    @property
    def codomain(self) -> Constraint:
        return constraints.stack([part.codomain for part in self.transforms], self.dim)


def _sum(terms: list[Any]) -> Tensor:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total

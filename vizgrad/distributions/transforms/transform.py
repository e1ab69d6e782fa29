"""Transform: a differentiable map with an inverse and the log-determinant of its Jacobian."""

from __future__ import annotations

import weakref
from typing import Any

from vizgrad.core.tensor.tensor import Tensor
from vizgrad.distributions.constraints import Constraint


class Transform:
    """Base class. A subclass declares `domain`, `codomain` and `bijective` and defines `_call(x)`,
    `_inverse(y)` and `log_abs_det_jacobian(x, y)`; `sign` where the map is monotone.

    `cache_size=1` keeps the last pair (x, y): the inverse of a y that was just computed is then its x
    exactly. Raises ValueError for other sizes than 0 and 1.
    """

    bijective = False
    domain: Any  # a Constraint, or a property that gives one
    codomain: Any

    def __init__(self, cache_size: int = 0) -> None:
        if cache_size not in (0, 1):
            raise ValueError(f"cache_size must be 0 or 1, not {cache_size!r}")
        self._cache_size = cache_size
        self._cached: tuple[Any, Any] = (None, None)
        self._inv: weakref.ReferenceType[Transform] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_inv": None}  # a weak reference cannot be pickled

    @property
    def event_dim(self) -> int:
        """The number of dimensions of one value, where input and output have the same.

        Raises ValueError where they differ.
        """
        if self.domain.event_dim == self.codomain.event_dim:
            return self.domain.event_dim
        raise ValueError("Please use either .domain.event_dim or .codomain.event_dim")

    @property
    def inv(self) -> Transform:
        """The inverse, as a transform; `t.inv.inv is t`."""
        found = None if self._inv is None else self._inv()
        if found is None:
            found = _InverseTransform(self)
            self._inv = weakref.ref(found)
        return found

    def _no_sign(self) -> Any:
        """+1 where the map increases, -1 where it decreases."""
        raise NotImplementedError(f"{type(self).__name__} has no sign: it is not monotone")

    sign: Any = property(_no_sign)

    def with_cache(self, cache_size: int = 1) -> Transform:
        """The same transform with another cache size."""
        if self._cache_size == cache_size:
            return self
        if type(self).__init__ is Transform.__init__:
            return type(self)(cache_size=cache_size)
        raise NotImplementedError(f"{type(self).__name__} must define with_cache()")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]  compared by value, it cannot be a key

    def __call__(self, x: Tensor) -> Tensor:
        """y for x."""
        if not self._cache_size:
            return self._call(x)
        old_x, old_y = self._cached
        if x is old_x:
            return old_y
        y = self._call(x)
        self._cached = x, y
        return y

    def _inv_call(self, y: Tensor) -> Tensor:
        if not self._cache_size:
            return self._inverse(y)
        old_x, old_y = self._cached
        if y is old_y:
            return old_x
        x = self._inverse(y)
        self._cached = x, y
        return x

    def _call(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no _call()")

    def _inverse(self, y: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no inverse")

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        """log |dy/dx|, without the last `domain.event_dim` dimensions of x."""
        raise NotImplementedError(f"{type(self).__name__} has no log-determinant")

    def forward_shape(self, shape: Any) -> Any:
        """The shape of y for an x of this shape."""
        return shape

    def inverse_shape(self, shape: Any) -> Any:
        """The shape of x for a y of this shape."""
        return shape

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class OfOneKind(Transform):
    """A transform without parameters: all of a class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = None


class _InverseTransform(Transform):
    """A transform backwards; it shares the cache of the transform."""

    def __init__(self, forward: Transform) -> None:
        super().__init__(cache_size=forward._cache_size)
        self._forward = forward

    @property
    def domain(self) -> Constraint:
        return self._forward.codomain

    @property
    def codomain(self) -> Constraint:
        return self._forward.domain

    @property
    def bijective(self) -> bool:
        return self._forward.bijective

    @property
    def sign(self) -> Any:
        return self._forward.sign

    @property
    def inv(self) -> Transform:
        return self._forward

    def with_cache(self, cache_size: int = 1) -> Transform:
        return self._forward.with_cache(cache_size).inv

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _InverseTransform) and self._forward == other._forward

    __hash__ = None

    def __call__(self, x: Tensor) -> Tensor:
        return self._forward._inv_call(x)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        return -self._forward.log_abs_det_jacobian(y, x)

    def forward_shape(self, shape: Any) -> Any:
        return self._forward.inverse_shape(shape)

    def inverse_shape(self, shape: Any) -> Any:
        return self._forward.forward_shape(shape)

    def __repr__(self) -> str:
        return f"_InverseTransform({self._forward!r})"


def needs_dims(shape: Any, count: int) -> None:
    """Raises ValueError for a shape with fewer dimensions than one value has."""
    if len(shape) < count:
        raise ValueError(
            f"Too few dimensions on input: {len(shape)}, and one value has {count} of them"
        )

"""Which values a parameter or a sample may have, as torch.distributions.constraints.

A constraint is checked with `check(value)`: a bool tensor of the batch, without the last `event_dim`
dimensions of `value`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from vizgrad.core.arrays.dtypes import finfo
from vizgrad.core.ops.public import linalg
from vizgrad.core.ops.public.joining import cat as cat_
from vizgrad.core.ops.public.joining import stack as stack_
from vizgrad.core.tensor.tensor import Tensor


class Constraint:
    """Base class. `is_discrete`: whole numbers; `event_dim`: how many dimensions one value takes up."""

    is_discrete = False
    event_dim = 0

    def check(self, value: Tensor) -> Tensor:
        """Which values of the batch meet the constraint."""
        raise NotImplementedError(f"{type(self).__name__} has no check()")

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={value}" for name, value in vars(self).items())
        return f"{type(self).__name__}({parts})"


class Dependent(Constraint):
    """Stands for a constraint that depends on other parameters: it cannot be checked alone."""

    def __init__(self, *, is_discrete: bool = False, event_dim: int = 0) -> None:
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def __call__(self, *, is_discrete: bool = False, event_dim: int = 0) -> Dependent:
        """The same with other properties: `constraints.dependent(is_discrete=True)`."""
        return Dependent(is_discrete=is_discrete, event_dim=event_dim)

    def check(self, value: Tensor) -> Tensor:
        raise ValueError("Cannot determine validity of dependent constraint")

    def __repr__(self) -> str:
        return "Dependent()"


class dependent_property(property, Dependent):
    """A property that gives a constraint, from the parameters of the distribution it is asked of."""

    def __init__(
        self,
        fn: Callable[[Any], Constraint] | None = None,
        *,
        is_discrete: bool = False,
        event_dim: int = 0,
    ) -> None:
        property.__init__(self, fn)
        self.is_discrete = is_discrete
        self.event_dim = event_dim

    def __call__(self, fn: Any = None, **kinds: Any) -> dependent_property:
        kinds = {"is_discrete": self.is_discrete, "event_dim": self.event_dim, **kinds}
        return dependent_property(fn, **kinds)


def sum_rightmost(value: Tensor, dims: int) -> Tensor:
    """Summed over the last `dims` dimensions."""
    return value.sum(tuple(range(-dims, 0))) if dims else value


def is_dependent(constraint: Any) -> bool:
    return isinstance(constraint, Dependent)


class Real(Constraint):
    """Everything but NaN."""

    def check(self, value: Tensor) -> Tensor:
        return value.eq(value)


class Boolean(Constraint):
    """0 or 1."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return value.eq(0) | value.eq(1)


class OneHot(Constraint):
    """Vectors of zeros with a single 1."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value.eq(0) | value.eq(1)).all(-1) & value.sum(-1).eq(1)


class Interval(Constraint):
    """Between two bounds, both included."""

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound = lower_bound
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value <= self.upper_bound)


class HalfOpenInterval(Interval):
    """Between two bounds, the lower one included."""

    def check(self, value: Tensor) -> Tensor:
        return (value >= self.lower_bound) & (value < self.upper_bound)


class IntegerInterval(Interval):
    """Whole numbers between two bounds, both included."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1).eq(0) & (value >= self.lower_bound) & (value <= self.upper_bound)


class GreaterThan(Constraint):
    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound

    def check(self, value: Tensor) -> Tensor:
        return value > self.lower_bound


class GreaterThanEq(GreaterThan):
    def check(self, value: Tensor) -> Tensor:
        return value >= self.lower_bound


class IntegerGreaterThan(GreaterThan):
    """Whole numbers not below a bound."""

    is_discrete = True

    def check(self, value: Tensor) -> Tensor:
        return (value % 1).eq(0) & (value >= self.lower_bound)


class LessThan(Constraint):
    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        return value < self.upper_bound


class IndependentConstraint(Constraint):
    """Another constraint, all of whose last `reinterpreted_batch_ndims` batch dimensions must meet it."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        if value.dim() < self.event_dim:
            raise ValueError(
                f"Expected value.dim() >= {self.event_dim} but got {value.dim()}: this many dimensions "
                "are one value"
            )
        found = self.base_constraint.check(value)
        dims = tuple(range(-self.reinterpreted_batch_ndims, 0))
        return found.all(dims) if dims else found

    def __repr__(self) -> str:
        return f"IndependentConstraint({self.base_constraint}, {self.reinterpreted_batch_ndims})"


class Simplex(Constraint):
    """Vectors of numbers from 0 that sum to 1 (within 1e-6)."""

    event_dim = 1

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class Multinomial(Constraint):
    """Counts that sum to at most `upper_bound`."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Tensor) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


class MixtureSameFamilyConstraint(Constraint):
    """`base_constraint`, met under each component of a mixture; values have no dimension for components."""

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(f"base_constraint must be a Constraint, not {base_constraint!r}")
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        found = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        kept = value.dim() - self.event_dim
        return found.reshape((*found.shape[:kept], -1)).all(-1)

    def __repr__(self) -> str:
        return f"MixtureSameFamilyConstraint({self.base_constraint!r})"


class Cat(Constraint):
    """Constraints on parts of a dimension, as with `cat`."""

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        self.cseq = list(cseq)
        self.dim = dim
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)

    @property
    def is_discrete(self) -> bool:
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self) -> int:
        return max(c.event_dim for c in self.cseq)

    def check(self, value: Tensor) -> Tensor:
        parts = value.split(self.lengths, self.dim)
        return cat_([c.check(part) for c, part in zip(self.cseq, parts, strict=True)], self.dim)

    def __repr__(self) -> str:
        return "Cat()"


class Stack(Constraint):
    """Constraints on slices of a dimension, as with `stack`."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        self.cseq = list(cseq)
        self.dim = dim

    @property
    def is_discrete(self) -> bool:
        return any(c.is_discrete for c in self.cseq)

    @property
    def event_dim(self) -> int:
        found = max(c.event_dim for c in self.cseq)
        return found + 1 if self.dim + found < 0 else found

    def check(self, value: Tensor) -> Tensor:
        slices = value.unbind(self.dim)
        return stack_([c.check(x) for c, x in zip(self.cseq, slices, strict=True)], self.dim)

    def __repr__(self) -> str:
        return "Stack()"


class Matrix(Constraint):
    event_dim = 2


class Square(Matrix):
    def check(self, value: Tensor) -> Tensor:
        square = value.shape[-2] == value.shape[-1]
        return value.new_full(value.shape[:-2], square, dtype=value.isnan().dtype)


class LowerTriangular(Matrix):
    """Zero above the diagonal."""

    def check(self, value: Tensor) -> Tensor:
        return value.tril().eq(value).all(-1).all(-1)


class LowerCholesky(LowerTriangular):
    """Zero above the diagonal, positive on it."""

    def check(self, value: Tensor) -> Tensor:
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)


class CorrCholesky(LowerCholesky):
    """A Cholesky factor whose rows have length 1: that of a correlation matrix."""

    def check(self, value: Tensor) -> Tensor:
        near = 10 * value.shape[-1] * finfo(value.dtype).eps
        lengths = value.pow(2).sum(-1).sqrt()
        return super().check(value) & ((lengths - 1).abs() <= near).all(-1)


class Symmetric(Square):
    """Equal to its transpose (within 1e-6)."""

    def check(self, value: Tensor) -> Tensor:
        square = super().check(value)
        if not square.all():
            return square
        near = (value - value.mT).abs() <= 1e-6 + 1e-5 * value.mT.abs()
        return near.all(-1).all(-1)


class PositiveSemidefinite(Symmetric):
    def check(self, value: Tensor) -> Tensor:
        found = super().check(value)
        return (linalg.eigvalsh(value) >= 0).all(-1) if found.all() else found


class PositiveDefinite(Symmetric):
    def check(self, value: Tensor) -> Tensor:
        found = super().check(value)
        return (linalg.eigvalsh(value) > 0).all(-1) if found.all() else found


dependent = Dependent()
independent = IndependentConstraint
boolean = Boolean()
one_hot = OneHot()
nonnegative_integer = IntegerGreaterThan(0)
positive_integer = IntegerGreaterThan(1)
integer_interval = IntegerInterval
real = Real()
real_vector = independent(real, 1)
positive = GreaterThan(0.0)
nonnegative = GreaterThanEq(0.0)
greater_than = GreaterThan
greater_than_eq = GreaterThanEq
less_than = LessThan
unit_interval = Interval(0.0, 1.0)
interval = Interval
half_open_interval = HalfOpenInterval
simplex = Simplex()
multinomial = Multinomial
cat = Cat
stack = Stack
lower_triangular = LowerTriangular()
lower_cholesky = LowerCholesky()
corr_cholesky = CorrCholesky()
square = Square()
symmetric = Symmetric()
positive_semidefinite = PositiveSemidefinite()
positive_definite = PositiveDefinite()

"""Which transform leads from any numbers to those that meet a constraint.

`biject_to` gives bijective transforms, for densities; `transform_to` any, for parameters to optimise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from vizgrad.distributions import constraints, transforms
from vizgrad.distributions.constraints import Constraint
from vizgrad.distributions.transforms import Transform
from vizgrad.distributions.transforms.elementwise import equal

Factory = Callable[[Any], Transform]


class ConstraintRegistry:
    """Class of constraint -> what makes a transform for one."""

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """The factory makes transforms for this class of constraints, or for that of this constraint;
        without a factory, a decorator. Raises TypeError for what is no constraint.
        """
        if factory is None:
            return lambda given: self.register(constraint, given)
        kind = type(constraint) if isinstance(constraint, Constraint) else constraint
        if not (isinstance(kind, type) and issubclass(kind, Constraint)):
            raise TypeError(
                "Expected constraint to be either a Constraint subclass or instance, but got "
                f"{constraint!r}"
            )
        self._registry[kind] = factory
        return factory

    def __call__(self, constraint: Constraint) -> Transform:
        """A transform whose codomain is the constraint.

        Raises NotImplementedError for a class without a factory.
        """
        factory = self._registry.get(type(constraint))
        if factory is None:
            raise NotImplementedError(
                f"Cannot transform {type(constraint).__name__} constraints; say how with register()"
            )
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _real(constraint: Any) -> Transform:
    return transforms.identity_transform


def _above(constraint: Any) -> Transform:
    shift = transforms.AffineTransform(constraint.lower_bound, 1)
    return transforms.ComposeTransform([transforms.ExpTransform(), shift])


def _below(constraint: Any) -> Transform:
    turn = transforms.AffineTransform(constraint.upper_bound, -1)
    return transforms.ComposeTransform([transforms.ExpTransform(), turn])


def _between(constraint: Any) -> Transform:
    low, high = constraint.lower_bound, constraint.upper_bound
    if equal(low, 0) and equal(high, 1):
        return transforms.SigmoidTransform()
    stretch = transforms.AffineTransform(low, high - low)
    return transforms.ComposeTransform([transforms.SigmoidTransform(), stretch])


def _without_parameters(kind: Callable[[], Transform]) -> Factory:
    return lambda constraint: kind()


def _parts(registry: ConstraintRegistry) -> dict[type, Factory]:
    """Constraints made of others."""
    return {
        constraints.IndependentConstraint: lambda c: transforms.IndependentTransform(
            registry(c.base_constraint), c.reinterpreted_batch_ndims
        ),
        constraints.Cat: lambda c: transforms.CatTransform(
            [registry(part) for part in c.cseq], c.dim, c.lengths
        ),
        constraints.Stack: lambda c: transforms.StackTransform(
            [registry(part) for part in c.cseq], c.dim
        ),
    }


_FOR_BOTH: dict[type, Factory] = {
    constraints.Real: _real,
    constraints.GreaterThan: _above,
    constraints.GreaterThanEq: _above,
    constraints.LessThan: _below,
    constraints.Interval: _between,
    constraints.HalfOpenInterval: _between,
    constraints.CorrCholesky: _without_parameters(transforms.CorrCholeskyTransform),
}

for _registry in (biject_to, transform_to):
    for _kind, _factory in {**_FOR_BOTH, **_parts(_registry)}.items():
        _registry.register(_kind, _factory)

biject_to.register(constraints.Simplex, _without_parameters(transforms.StickBreakingTransform))
transform_to.register(constraints.Simplex, _without_parameters(transforms.SoftmaxTransform))
transform_to.register(
    constraints.LowerCholesky, _without_parameters(transforms.LowerCholeskyTransform)
)
for _kind in (constraints.PositiveDefinite, constraints.PositiveSemidefinite):
    transform_to.register(_kind, _without_parameters(transforms.PositiveDefiniteTransform))

"""Transforms: inverses, determinants against Jacobians, signs, caches, chains."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import vizgrad as vg
from tests.distributions.kinds import t
from vizgrad import distributions as D
from vizgrad.autograd.functional import jacobian

_VECTOR = [0.5, -1.0, 2.0]
#: Name -> transform, one value of its domain, and the entries of its result of which the rest follow.
KINDS: dict[str, tuple[Any, Any, Any]] = {
    "Exp": (D.ExpTransform(), [0.7], None),
    "Power": (D.PowerTransform(t(-2.5)), [0.7], None),
    "Sigmoid": (D.SigmoidTransform(), [0.7], None),
    "Softplus": (D.SoftplusTransform(), [0.7], None),
    "Tanh": (D.TanhTransform(), [0.7], None),
    "Affine": (D.AffineTransform(1.0, -2.5), [0.7], None),
    "Affine of vectors": (D.AffineTransform(1.0, t(-2.5, 1.0, 3.0), event_dim=1), _VECTOR, None),
    "CumulativeDistribution": (
        D.CumulativeDistributionTransform(D.Gumbel(t(0.5), t(2.0))),
        [0.7],
        None,
    ),
    "StickBreaking": (D.StickBreakingTransform(), _VECTOR, lambda y: y[..., :-1]),
    "CorrCholesky": (
        D.CorrCholeskyTransform(),
        _VECTOR,
        lambda y: vg.stack([y[1, 0], y[2, 0], y[2, 1]]),
    ),
    "Reshape": (D.ReshapeTransform((3,), (3, 1)), _VECTOR, None),
    "Independent": (D.IndependentTransform(D.TanhTransform(), 1), _VECTOR, None),
    "Compose": (
        D.ComposeTransform(
            [D.AffineTransform(0.5, 2.0), D.IndependentTransform(D.TanhTransform(), 1)]
        ),
        _VECTOR,
        None,
    ),
    "Compose to shares": (
        D.ComposeTransform([D.ExpTransform(), D.StickBreakingTransform()]),
        _VECTOR,
        lambda y: y[..., :-1],
    ),
    "inverse": (D.IndependentTransform(D.SigmoidTransform(), 1).inv, [0.2, 0.5, 0.9], None),
}


@pytest.mark.parametrize("kind", KINDS)
def test_determinants_are_those_of_the_jacobian(kind: str) -> None:
    transform, value, entries = KINDS[kind]
    x = t(*value) if len(value) > 1 else t(value[0]).reshape(1)
    matrix: Any = jacobian(lambda x: (entries or (lambda y: y))(transform(x)).flatten(), x)
    expected = vg.linalg.slogdet(matrix).logabsdet
    found = transform.log_abs_det_jacobian(x, transform(x)).sum()
    assert float(found) == pytest.approx(float(expected), rel=1e-9, abs=1e-12)
    back = transform.inv.log_abs_det_jacobian(transform(x), x).sum()
    assert float(back) == pytest.approx(-float(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_inverse_leads_back(kind: str) -> None:
    transform, value, _ = KINDS[kind]
    x = t(*value) if len(value) > 1 else t(value[0]).reshape(1)
    y = transform(x)
    assert vg.allclose(transform.inv(y), x)
    assert transform.forward_shape(x.shape) == y.shape
    assert transform.inverse_shape(y.shape) == x.shape
    assert bool(transform.codomain.check(y).all())
    assert bool(transform.domain.check(x).all())
    assert transform.inv.inv is transform or transform.inv.inv == transform


@pytest.mark.parametrize("kind", [k for k in KINDS if k not in ("Power", "Reshape")])
def test_a_cache_keeps_the_last_pair(kind: str) -> None:
    transform, value, _ = KINDS[kind]
    kept = transform.with_cache()
    x = t(*value) if len(value) > 1 else t(value[0]).reshape(1)
    y = kept(x)
    assert kept.inv(y) is x
    assert kept(x) is y
    assert kept(x.clone()) is not y
    assert transform.inv(transform(x)) is not x


@pytest.mark.parametrize("kind", KINDS)
def test_transforms_are_copied_and_pickled(kind: str) -> None:
    transform, value, _ = KINDS[kind]
    x = t(*value) if len(value) > 1 else t(value[0]).reshape(1)
    y = transform(x)
    transform.inv(y)
    for other in (copy.deepcopy(transform), pickle.loads(pickle.dumps(transform))):
        assert vg.equal(other(x), y)
        assert vg.equal(other.inv(y), transform.inv(y))


def test_signs_say_how_the_transform_runs() -> None:
    for transform, low, high in (
        (D.ExpTransform(), 0.1, 0.9),
        (D.AffineTransform(0.0, -2.0), 0.1, 0.9),
        (D.PowerTransform(t(-1.0)), 0.1, 0.9),
        (
            D.ComposeTransform([D.AffineTransform(0.0, -2.0), D.AffineTransform(t(0.0), t(-1.0))]),
            0.1,
            0.9,
        ),
        (D.AffineTransform(0.0, -2.0).inv, 0.1, 0.9),
    ):
        rise = transform(t(high)) - transform(t(low))
        assert float(rise.sign()) == float(transform.sign)
    with pytest.raises(NotImplementedError, match="not monotone"):
        D.AbsTransform().sign  # noqa: B018  it raises


def test_batches_of_correlations() -> None:
    x = vg.randn(2, 4, 6, dtype=vg.float64)
    transform = D.CorrCholeskyTransform()
    y = transform(x)
    assert y.shape == (2, 4, 4, 4)
    assert vg.allclose((y @ y.mT).diagonal(dim1=-2, dim2=-1), vg.ones(4, dtype=vg.float64))
    assert vg.allclose(transform.inv(y), x)
    assert vg.allclose(transform(x)[1, 2], transform(x[1, 2]))


def test_transforms_side_by_side() -> None:
    x = vg.randn(5, 3, dtype=vg.float64)
    joined = D.CatTransform([D.ExpTransform(), D.TanhTransform()], dim=1, lengths=[2, 1])
    assert vg.equal(joined(x), vg.cat([x[:, :2].exp(), x[:, 2:].tanh()], 1))
    assert joined.length == 3
    stacked = D.StackTransform([D.ExpTransform(), D.TanhTransform(), D.SigmoidTransform()], dim=1)
    assert vg.equal(stacked(x)[:, 1], x[:, 1].tanh())
    assert vg.allclose(stacked.inv(stacked(x)), x)
    for wrong in (lambda: joined(x[:, :2]), lambda: stacked(x[:, :2])):
        with pytest.raises(AssertionError, match="expected size 3 in dimension 1"):
            wrong()
    with pytest.raises(AssertionError, match="must be Transform instances"):
        D.StackTransform([3])
    with pytest.raises(AssertionError, match="lengths must be as many"):
        D.CatTransform([D.ExpTransform()], lengths=[1, 2])


def test_a_registry_leads_to_each_constraint() -> None:
    C = D.constraints
    vector = vg.randn(6, dtype=vg.float64)
    for constraint in (
        C.real,
        C.positive,
        C.nonnegative,
        C.less_than(-2.0),
        C.unit_interval,
        C.interval(t(1.0), t(2.0)),
        C.simplex,
        C.corr_cholesky,
        C.independent(C.positive, 1),
        C.cat([C.positive, C.less_than(0.0)], 0, [2, 4]),
    ):
        for registry in (D.biject_to, D.transform_to):
            transform = registry(constraint)
            assert bool(constraint.check(transform(vector)).all())
            assert registry is D.transform_to or transform.bijective
    for constraint in (C.lower_cholesky, C.positive_definite, C.positive_semidefinite):
        y = D.transform_to(constraint)(vector[:4].reshape(2, 2))
        assert bool(constraint.check(y))
        assert vg.allclose(D.transform_to(constraint)(D.transform_to(constraint).inv(y)), y)
        with pytest.raises(NotImplementedError, match="Cannot transform"):
            D.biject_to(constraint)


def test_gradients_of_gradients_of_transforms() -> None:
    """What optimises flows is differentiable once more."""
    for kind in ("StickBreaking", "CorrCholesky", "Tanh"):
        transform, value, _ = KINDS[kind]
        x = t(*value, 0.3, 0.1, 0.2).requires_grad_()

        def fn(x: Any, transform: Any = transform) -> Any:
            return transform.log_abs_det_jacobian(x, transform(x)).sum()

        x = x[: len(value)].detach().requires_grad_()
        assert vg.autograd.gradcheck(fn, x)
        assert vg.autograd.gradgradcheck(fn, x)

"""Transforms of transforms: known derivatives, whichever way they are put together (spec C-5)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

x = vg.tensor([1.0, 2.0, 3.0], dtype=vg.float64)
ONES = vg.ones(3, dtype=vg.float64)
EYE = vg.eye(3, dtype=vg.float64)


def cubes(x: Any) -> Any:
    return (x**3).sum()


def tangent(f: Any, at: Any) -> Any:
    """The derivatives of f along ones."""
    return jvp(f, (at,), (vg.ones_like(at),))[1]


SECOND: dict[str, Callable[[Any], Any]] = {
    "hessian": hessian(cubes),
    "rows of rows": jacrev(jacrev(cubes)),
    "columns of columns": jacfwd(jacfwd(cubes)),
    "rows of columns": jacrev(jacfwd(cubes)),
    "columns of rows": jacfwd(jacrev(cubes)),
    "columns of a gradient": jacfwd(grad(cubes)),
    "a batch of products": lambda x: vmap(lambda v: jvp(grad(cubes), (x,), (v,))[1])(EYE),
    "a batch of vjps": lambda x: vmap(vjp(grad(cubes), x)[1])(EYE)[0],
    "linearized": lambda x: vmap(linearize(grad(cubes), x)[1])(EYE),
}


@pytest.mark.rule("C-5")
@pytest.mark.parametrize("way", SECOND)
def test_second_derivatives(way: str):
    assert SECOND[way](x).tolist() == vg.diag(6 * x).tolist()
    batch = vg.stack([x, 2 * x])
    assert vmap(SECOND[way])(batch).tolist() == vg.diag_embed(6 * batch).tolist()


@pytest.mark.rule("C-5")
@pytest.mark.parametrize("third", [
    grad(lambda x: grad(lambda x: grad(cubes)(x).sum())(x).sum()),
    lambda x: tangent(lambda x: tangent(lambda x: tangent(lambda x: x**3, x), x), x),
    lambda x: tangent(grad(lambda x: tangent(cubes, x)), x),
    grad(lambda x: tangent(grad(cubes), x).sum()),
    vmap(grad(grad(grad(lambda x: x**3)))),
    vmap(jacfwd(jacrev(jacfwd(lambda x: x**3)))),
])  # fmt: skip
def test_three_deep(third: Callable[[Any], Any]):
    assert third(x).tolist() == [6.0] * 3


@pytest.mark.rule("C-5")
def test_perturbations_are_not_confused():
    one, two = vg.tensor(1.0), vg.tensor(2.0)
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(two).item() == 1.0
    assert tangent(lambda x: x * tangent(lambda y: x + y, one), two).item() == 1.0
    assert grad(lambda x: x * tangent(lambda y: x + y, one))(two).item() == 1.0
    assert tangent(lambda x: x * grad(lambda y: x + y)(one), two).item() == 1.0


@pytest.mark.rule("C-6")
def test_results_belong_to_what_is_outside():
    w = vg.ones(3, requires_grad=True)
    assert not grad(lambda x: (w + x * x).sum())(vg.ones(3)).requires_grad
    found = grad(lambda x: (w * x * x).sum())(vg.ones(3))
    found.sum().backward()
    assert w.grad.tolist() == [2.0] * 3
    with vg.no_grad():
        assert not grad(lambda x: (w * x * x).sum())(vg.ones(3)).requires_grad
    assert not vjp(lambda x: x * 2, vg.ones(3))[0].requires_grad


@pytest.mark.rule("C-7")
def test_what_may_not_be_done_inside():
    captured = vg.zeros(3)
    for inside, error in (
        (lambda x: captured.add_(x).sum(), "captured"),
        (lambda x: (captured.add_(1), x.sum())[1], "captured"),
        (lambda x: x.mul_(2).sum(), "leaf"),
        (lambda x: (x.sum().backward(), x.sum())[1], "backward"),
        (lambda x: x.requires_grad_().sum(), "requires_grad_"),
    ):
        with pytest.raises(RuntimeError, match=error):
            grad(inside)(vg.ones(3))
    assert captured.tolist() == [0.0] * 3
    assert grad(lambda x: vg.zeros(3).add_(x).sum())(vg.ones(3)).tolist() == [1.0] * 3


@pytest.mark.rule("C-8")
def test_what_escapes_is_a_plain_tensor():
    kept: list[Any] = []
    grad(lambda x: (kept.append(x * 2), x.sum())[1])(x)
    vmap(lambda x: (kept.append(x * 2), x)[1])(x)
    assert all((each + 1).tolist() == (2 * x + 1).tolist() for each in kept)


def test_a_hessian_through_weights_that_were_cut_out_of_one_vector() -> None:
    """Tangents of a product lie in memory otherwise than the product, and are viewed as it is."""
    inputs = vg.linspace(-1.0, 1.0, 10, dtype=vg.float64).reshape(5, 2)
    theta = vg.linspace(0.1, 0.9, 9, dtype=vg.float64)

    def loss(theta):
        weight, bias = theta.split([6, 3])
        return ((inputs @ weight.reshape(2, 3) + bias) ** 3).sum()

    found = hessian(loss)(theta)
    expected = jacrev(grad(loss))(theta)
    assert vg.allclose(found, expected)
    assert found.abs().min() < found.abs().max()


@pytest.mark.rule("C-3", "C-6")
def test_linearize_in_inference_mode() -> None:
    """PyTorch's gives zeros there, and what is right under no_grad."""
    x = vg.tensor([1.0, 2.0])
    with vg.inference_mode():
        output, along = linearize(lambda t: t**3, x)
        assert along(x).tolist() == [3.0, 24.0]
    assert output.tolist() == [1.0, 8.0]
    assert not output.requires_grad

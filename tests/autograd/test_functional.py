"""Derivatives of functions agree with each other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.fixtures import strict_module
from vizgrad.autograd import functional as F
from vizgrad.autograd.gradcheck import gradcheck

STEPS: dict[str, Any] = {
    "sine": lambda t: t.sin(),
    "product": lambda t: t * t.sum(),
    "matrix": lambda t: t @ vg.arange(9.0, dtype=vg.float64).reshape(3, 3) * 0.1,
    "turned": lambda t: t.flip(0) * t,
    "written": lambda t: t.clone().mul_(t.tanh()),
    "bent": lambda t: vg.where(t > 0, t, t * 0.5),
}
chains = st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=3)
vectors = st.lists(st.floats(-2, 2), min_size=3, max_size=3).map(
    lambda v: vg.tensor(v, dtype=vg.float64)
)


def chain(names: list[str]) -> Any:
    def f(t: Any) -> Any:
        for name in names:
            t = STEPS[name](t)
        return t

    return f


def close(a: Any, b: Any) -> bool:
    return bool(vg.allclose(a, b, rtol=1e-9, atol=1e-9))


@given(chains, vectors, vectors)
def test_products_are_those_with_the_whole_jacobian(names: list[str], x: Any, v: Any) -> None:
    f = chain(names)
    whole = F.jacobian(f, x)
    assert close(F.vjp(f, x, v)[1], v @ whole)
    assert close(F.jvp(f, x, v)[1], whole @ v)
    assert close(F.jvp(f, x, v)[0], f(x))
    assert close(F.jacobian(f, x, vectorize=True), whole)


@given(chains, vectors, vectors)
def test_products_are_those_with_the_whole_hessian(names: list[str], x: Any, v: Any) -> None:
    def f(t: Any) -> Any:
        return (chain(names)(t) ** 2).sum()

    whole = F.hessian(f, x)
    assert close(whole, whole.t())
    assert close(F.vhp(f, x, v)[1], v @ whole)
    assert close(F.hvp(f, x, v)[1], whole @ v)


def test_a_jacobian_in_the_graph_has_the_right_gradient() -> None:
    x = vg.tensor([0.5, 1.0, -0.7], dtype=vg.float64, requires_grad=True)
    for name in ("jacobian", "hessian"):
        whole = getattr(F, name)
        assert gradcheck(
            lambda t, whole=whole: whole(lambda s: (s.sin() * s).sum(), t, create_graph=True), x
        )


@pytest.mark.rule("B-4")
def test_a_forward_jacobian_calls_the_function_once() -> None:
    x = vg.tensor([0.5, 1.0, -0.7], dtype=vg.float64)
    calls = []

    def f(t: Any) -> Any:
        calls.append(t)
        y = vg.zeros(2, dtype=vg.float64)
        y[0] = t[1] * t.prod()
        return y.cumsum(0) * t[:2].exp()

    by_columns = F.jacobian(f, x, vectorize=True, strategy="forward-mode")
    assert len(calls) == 1
    assert close(by_columns, F.jacobian(f, x))
    whole = F.hessian(lambda t: f(t).sum(), x)
    assert close(
        F.hessian(lambda t: f(t).sum(), x, vectorize=True, outer_jacobian_strategy="forward-mode"),
        whole,
    )
    with pytest.raises(NotImplementedError, match=r"functional\.hessian"):
        F.hessian(lambda t: t.sum(), x, outer_jacobian_strategy="forward-mode")


def test_on_a_gpu() -> None:
    x = vg.tensor([0.5, 1.0, -0.7], dtype=vg.float64)

    def f(t: Any) -> Any:
        return t.sin() * t.sum(), t.prod()

    def g(t: Any) -> Any:
        return (t.sin() ** 2).sum()

    expected = F.jacobian(f, x), F.hessian(g, x), F.hvp(g, x, x)[1]
    with strict_module.as_cuda():
        there = x.to("cuda")
        for vectorize in (False, True):
            found = F.jacobian(f, there, vectorize=vectorize)
            assert [part.device.type for part in found] == ["cuda", "cuda"]
            assert all(close(a.cpu(), b) for a, b in zip(found, expected[0], strict=True))
            assert close(F.hessian(g, there, vectorize=vectorize).cpu(), expected[1])
        assert close(F.hvp(g, there, there)[1].cpu(), expected[2])

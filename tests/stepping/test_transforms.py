"""Transforms in pictures: frames of `vmap`, `grad` and `jvp`, and which dimensions are batches."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import vizgrad as vg
from vizgrad import func
from vizgrad.autograd import Function
from vizgrad.tensor.modes import GUARD, MODES


def batches(tensor: vg.Tensor) -> dict[str, tuple[int, ...]]:
    return {node.name: node.batches for node in vg.graph(tensor).data.nodes}


def test_a_batch_is_marked_on_what_was_computed_of_it() -> None:
    w = vg.ones(3, requires_grad=True)
    y = func.vmap(lambda x: (x * w.exp()).sin().sum())(vg.ones(5, 3))
    found = batches(y.sum())
    assert found["MulBackward0"] == found["SinBackward0"] == found["SumBackward1"] == (5,)
    assert found["ExpBackward0"] == ()  # is the same for all
    assert found["SumBackward0"] == ()  # outside


def test_a_shape_that_looks_like_a_batch_is_none() -> None:
    w = vg.ones(5, 3, requires_grad=True)
    found = batches(func.vmap(lambda x: x * w.exp())(vg.ones(5)).sum())
    assert found["ExpBackward0"] == ()
    assert found["MulBackward0"] == (5,)


def test_batches_within_batches() -> None:
    w = vg.ones(4, requires_grad=True)
    y = func.vmap(func.vmap(lambda x: (x * w).sin()))(vg.ones(2, 3, 4)).sum()
    assert batches(y)["SinBackward0"] == (2, 3)
    text = vg.graph(y).to_text()
    assert "[B: 2] × [B: 3] × [4] f32" in text
    assert "in vmap [2]/vmap [3]" in text


def test_one_after_the_other_are_not_confused() -> None:
    w = vg.ones(4, requires_grad=True)
    first = func.vmap(lambda x: (x * w).sin())(vg.ones(2, 4))
    second = func.vmap(lambda x: x.cos(), in_dims=1)(first)
    assert batches(second.sum())["CosBackward0"] == (4,)
    assert batches(second.sum())["SinBackward0"] == (2,)


def test_frames_of_transforms_nest() -> None:
    w = vg.ones(3, requires_grad=True)

    def loss(x: Any) -> Any:
        a = (x * w).sin()
        return (a * a).sum()

    y = (func.vmap(loss)(vg.ones(5, 3)) * 2).sum()
    titles = [group.title for group in vg.graph(y).data.groups]
    assert any(title.startswith("vmap [5]") for title in titles)
    x = vg.ones(3, requires_grad=True)
    of_grad = func.grad(loss)(x).sum()
    scopes = {node.scope for node in vg.graph(of_grad).data.nodes}
    assert ("grad",) in scopes


def test_a_custom_function_is_marked() -> None:
    class Twice(Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, g):
            return g * 2

    w = vg.ones(3, requires_grad=True)
    y = func.vmap(lambda x: Twice.apply(x * w))(vg.ones(5, 3)).sum()
    assert next(b for n, b in batches(y).items() if "Twice" in n) == (5,)


def test_nothing_of_it_stays() -> None:
    scoped, scope = GUARD.scoped, MODES.scope
    with suppress(RuntimeError):
        func.vmap(lambda x: x.item())(vg.ones(3))
    func.hessian(lambda x: (x**3).sum())(vg.ones(2))
    assert (GUARD.scoped, MODES.scope) == (scoped, scope)

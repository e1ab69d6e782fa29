"""Kinks, ties, infinities and empty batches (spec T-70, T-72, T-78 ... T-80, T-86)."""

from __future__ import annotations

import math
from typing import Any

import pytest

import vizgrad as vg

F = vg.nn.functional
INF, NAN = math.inf, math.nan


def slope(function: Any, *values: float) -> list[float]:
    x = vg.tensor(list(values), dtype=vg.float64, requires_grad=True)
    return vg.autograd.grad(function(x).sum(), x)[0].tolist()


@pytest.mark.parametrize(
    ("function", "points", "expected"),
    [
        (F.relu, [0.0], [0]),
        (lambda x: F.leaky_relu(x, 0.25), [0.0], [0.25]),
        (lambda x: F.prelu(x, vg.tensor([0.25], dtype=vg.float64)), [0.0], [0.25]),
        (lambda x: F.elu(x, 0.5), [0.0], [0.5]),
        (F.relu6, [0.0, 6.0], [0, 0]),
        (F.hardtanh, [-1.0, 1.0], [0, 0]),
        (F.hardsigmoid, [-3.0, 3.0], [0, 0]),
        (F.hardswish, [-3.0, 3.0], [0, 1]),
        (F.softshrink, [-0.5, 0.5], [0, 0]),
        (F.hardshrink, [-0.5, 0.5], [0, 0]),
        (lambda x: F.threshold(x, 0.5, 0.0), [0.5], [0]),
        (lambda x: F.l1_loss(x, vg.zeros(1, dtype=vg.float64)), [0.0], [0]),
        (
            lambda x: F.smooth_l1_loss(x, vg.zeros(2, dtype=vg.float64), reduction="sum"),
            [0.0, 1.0],
            [0, 1],
        ),
        (lambda x: F.huber_loss(x, vg.zeros(1, dtype=vg.float64), delta=2.0), [2.0], [2]),
        (lambda x: F.margin_ranking_loss(x, vg.zeros(1), vg.ones(1)), [0.0], [-1]),
        (lambda x: F.hinge_embedding_loss(x, vg.tensor([-1.0])), [1.0], [-1]),
    ],
)
def test_kinks(function: Any, points: list[float], expected: list[float]) -> None:
    assert slope(function, *points) == expected


@pytest.mark.parametrize("function", [F.sigmoid, F.silu, F.gelu, F.softplus, F.logsigmoid, F.mish])
def test_nothing_overflows(function: Any) -> None:
    x = vg.tensor([-1000.0, 1000.0], dtype=vg.float64, requires_grad=True)
    y = function(x)
    y.sum().backward()
    assert all(math.isfinite(v) for v in y.tolist() + x.grad.tolist())


def test_infinite_gradients_do_not_leak_through_masks() -> None:
    x = vg.tensor([-1.0, 1.0], requires_grad=True)
    (g,) = vg.autograd.grad(F.relu(x), x, vg.tensor([INF, 2.0]))
    assert g.tolist() == [0, 2]
    image = vg.tensor([[[1.0, 2.0], [0.0, 0.0]]], requires_grad=True)
    (g,) = vg.autograd.grad(F.max_pool2d(image, 2), image, vg.tensor([[[NAN]]]))
    assert g.tolist()[0][1] == [0, 0]
    assert math.isnan(g.tolist()[0][0][1])


def test_softmax_of_infinities() -> None:
    assert F.softmax(vg.tensor([-INF, 0.0, 0.0]), 0).tolist() == [0, 0.5, 0.5]
    assert all(map(math.isnan, F.softmax(vg.tensor([-INF, -INF]), 0).tolist()))
    assert F.log_softmax(vg.tensor([1000.0, 0.0]), 0).tolist() == [0, -1000]


def test_softmax_in_another_type() -> None:
    x = vg.tensor([1.0, 2.0])
    assert F.softmax(x, 0, dtype=vg.float64).dtype is vg.float64
    with pytest.raises(NotImplementedError, match="int64"):
        F.softmax(vg.tensor([1, 2]), 0)


def test_max_pool_gives_a_tie_to_the_first() -> None:
    x = vg.ones(1, 1, 4, 4, requires_grad=True)
    F.max_pool2d(x, 2).sum().backward()
    row = [1, 0, 1, 0]
    assert x.grad.tolist() == [[[row, [0] * 4, row, [0] * 4]]]
    y = vg.ones(1, 1, 3, 3, requires_grad=True)
    F.max_pool2d(y, 2, stride=1).sum().backward()
    assert y.grad.tolist() == [[[[1, 1, 0], [1, 1, 0], [0, 0, 0]]]]


def test_max_pool_tells_indices_of_the_plane() -> None:
    x = vg.tensor([[[1.0, 5.0, 2.0], [9.0, 0.0, 3.0], [4.0, 7.0, 8.0]]])
    value, index = F.max_pool2d(x, 2, stride=1, return_indices=True)
    assert value.tolist() == [[[9, 5], [9, 8]]]
    assert index.tolist() == [[[3, 1], [3, 8]]]
    _, index = F.max_pool2d(vg.tensor([[[1.0, NAN], [NAN, 5.0]]]), 2, return_indices=True)
    assert index.tolist() == [[[2]]]


def test_binary_cross_entropy_at_certainty() -> None:
    x = vg.tensor([0.0, 1.0], dtype=vg.float64, requires_grad=True)
    loss = F.binary_cross_entropy(x, vg.ones(2, dtype=vg.float64), reduction="none")
    assert loss.tolist() == [100, 0]
    assert vg.autograd.grad(loss.sum(), x)[0].tolist() == [-1e12, 0]


def test_cross_entropy_with_nothing_left() -> None:
    x = vg.randn(2, 3, requires_grad=True)
    loss = F.cross_entropy(x, vg.tensor([-100, -100]))
    loss.backward()
    assert math.isnan(loss.item())
    assert x.grad.tolist() == [[0] * 3] * 2


@pytest.mark.parametrize("target", [[0, 3], [0, -1]])
def test_a_class_that_is_not_there(target: list[int]) -> None:
    with pytest.raises(IndexError, match=str(target[1])):
        F.cross_entropy(vg.zeros(2, 3), vg.tensor(target))


def test_normalising_a_constant_gives_no_gradient() -> None:
    x = vg.ones(2, 4, requires_grad=True)
    F.layer_norm(x, (4,)).sum().backward()
    assert x.grad.abs().max().item() < 1e-6


def test_dropout_at_its_ends() -> None:
    x = vg.ones(100)
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 0.5, training=False) is x
    assert F.dropout(x, 1.0).sum().item() == 0
    kept = F.dropout(x, 0.25)
    assert {round(v, 5) for v in kept.tolist()} <= {0.0, round(1 / 0.75, 5)}
    with pytest.raises(ValueError, match="between 0 and 1"):
        F.dropout(x, 2.0)


def test_dropout_of_channels() -> None:
    out = F.dropout2d(vg.ones(4, 8, 2, 2), 0.5)
    planes = out.reshape(32, 4)
    assert (planes == planes[:, :1]).all().item()


def test_half_precision_is_summed_in_single() -> None:
    x = vg.ones(1, 4096, dtype=vg.float16)
    assert F.softmax(x, 1).dtype is vg.float16
    assert F.layer_norm(x + vg.tensor([[1.0]]).half(), (4096,)).abs().max().item() == 0

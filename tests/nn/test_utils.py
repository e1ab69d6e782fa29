"""nn.init and nn.utils (spec T-54, T-56)."""

from __future__ import annotations

import math

import pytest

import vizgrad as vg
from vizgrad import nn
from vizgrad.nn import init, utils


def with_grads(*values: list[float]) -> list[vg.Tensor]:
    found = []
    for value in values:
        p = vg.zeros(len(value), requires_grad=True)
        p.grad = vg.tensor(value)
        found.append(p)
    return found


def test_clipping_by_norm() -> None:
    a, b = with_grads([3.0, 0.0], [4.0])
    assert utils.clip_grad_norm_([a, b], 1.0).item() == pytest.approx(5)
    assert a.grad.tolist() + b.grad.tolist() == pytest.approx([0.6, 0, 0.8], abs=1e-6)
    assert a.grad._version == 1
    assert utils.clip_grad_norm_([a, b], 10.0).item() == pytest.approx(1, abs=1e-5)
    assert a.grad.tolist() == pytest.approx([0.6, 0], abs=1e-6)
    assert utils.get_total_norm([vg.tensor([1.0, -3.0]), vg.tensor(2.0)], math.inf).item() == 3
    assert utils.get_total_norm([vg.tensor([1.0, -3.0])], 1).item() == 4


def test_clipping_what_is_not_finite() -> None:
    (p,) = with_grads([math.inf, 1.0])
    with pytest.raises(RuntimeError, match="non-finite"):
        utils.clip_grad_norm_(p, 1.0, error_if_nonfinite=True)
    utils.clip_grad_norm_(p, 1.0)
    assert math.isnan(p.grad.tolist()[0])


def test_clipping_by_value() -> None:
    (p,) = with_grads([-3.0, 0.2])
    utils.clip_grad_value_(p, 0.5)
    assert p.grad.tolist() == pytest.approx([-0.5, 0.2])


def test_all_parameters_as_one_vector() -> None:
    model = nn.Linear(2, 1)
    vector = utils.parameters_to_vector(model.parameters())
    assert tuple(vector.shape) == (3,)
    assert vector.requires_grad
    utils.vector_to_parameters(vg.tensor([1.0, 2.0, 3.0]), model.parameters())
    assert model.weight.tolist() == [[1, 2]]
    assert model.bias.tolist() == [3]
    assert model.weight.is_leaf


def test_filling() -> None:
    w = vg.empty(3, 4, requires_grad=True)
    assert init.constant_(w, 2.0) is w
    assert w.tolist() == [[2] * 4] * 3
    assert w.is_leaf
    init.eye_(w)
    assert w.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    init.orthogonal_(w)
    assert vg.allclose(w @ w.t(), vg.eye(3), atol=1e-5)
    kernel = vg.empty(2, 2, 3)
    init.dirac_(kernel)
    x = vg.randn(1, 2, 5)
    assert vg.allclose(nn.functional.conv1d(x, kernel, padding=1), x)


@pytest.mark.parametrize(
    ("fill", "spread"),
    [
        (init.xavier_normal_, math.sqrt(2 / 300)),
        (init.xavier_uniform_, math.sqrt(2 / 300)),
        (lambda w: init.kaiming_normal_(w, nonlinearity="relu"), math.sqrt(2 / 200)),
        (
            lambda w: init.kaiming_uniform_(w, mode="fan_out", nonlinearity="linear"),
            math.sqrt(1 / 100),
        ),
        (lambda w: init.trunc_normal_(w, std=0.5, a=-10, b=10), 0.5),
    ],
)
def test_spread(fill: object, spread: float) -> None:
    vg.manual_seed(0)
    w = vg.empty(100, 200)
    fill(w)
    assert w.std().item() == pytest.approx(spread, rel=0.03)
    assert abs(w.mean().item()) < spread / 20


def test_gains() -> None:
    assert init.calculate_gain("relu") == pytest.approx(math.sqrt(2))
    assert init.calculate_gain("leaky_relu", 0.2) == pytest.approx(math.sqrt(2 / 1.04))
    with pytest.raises(ValueError, match="Unsupported nonlinearity"):
        init.calculate_gain("waves")
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        init.xavier_normal_(vg.empty(3))


def test_weight_norm_learns_length_and_direction_apart() -> None:
    plain = nn.Linear(2, 3)
    weight = plain.weight.detach().clone()
    layer = utils.weight_norm(plain)
    assert [n for n, _ in layer.named_parameters()] == ["bias", "weight_g", "weight_v"]
    x = vg.randn(4, 2)
    assert vg.allclose(layer(x), x @ weight.t() + layer.bias)
    layer(x).sum().backward()
    assert layer.weight_g.grad is not None
    assert vg.allclose((layer.weight_v.grad * layer.weight_v).sum(1), vg.zeros(3), atol=1e-5)
    utils.remove_weight_norm(layer)
    assert vg.allclose(layer.weight, weight)
    with pytest.raises(ValueError, match="not found"):
        utils.remove_weight_norm(layer)


def test_spectral_norm_bounds_the_largest_singular_value() -> None:
    layer = utils.spectral_norm(nn.Linear(5, 4), n_power_iterations=30)
    layer(vg.ones(1, 5))
    assert vg.linalg.svdvals(layer.weight)[0].item() == pytest.approx(1, rel=1e-3)
    assert set(layer.state_dict()) == {"bias", "weight_orig", "weight_u", "weight_v"}

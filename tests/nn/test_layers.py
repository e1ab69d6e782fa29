"""Layers with parameters: starting values, shapes, state; recurrent ones against their definition."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad import nn

F = nn.functional


def sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def weights(cell: Any) -> list[np.ndarray]:
    suffix = "" if isinstance(cell, nn.RNNCellBase) else "_l0"
    return [
        getattr(cell, n + suffix).detach().numpy()
        for n in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    ]


def lstm_by_hand(cell: Any, xs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    w, u, b, d = weights(cell)
    h = c = np.zeros((xs.shape[1], u.shape[1]))
    out = []
    for x in xs:
        i, f, g, o = np.split(x @ w.T + b + h @ u.T + d, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        out.append(h)
    return np.stack(out), c


def gru_by_hand(cell: Any, xs: np.ndarray) -> np.ndarray:
    w, u, b, d = weights(cell)
    h = np.zeros((xs.shape[1], u.shape[1]))
    out = []
    for x in xs:
        xr, xz, xn = np.split(x @ w.T + b, 3, axis=1)
        hr, hz, hn = np.split(h @ u.T + d, 3, axis=1)
        r, z = sigmoid(xr + hr), sigmoid(xz + hz)
        n = np.tanh(xn + r * hn)
        h = (1 - z) * n + z * h
        out.append(h)
    return np.stack(out)


@pytest.fixture
def sequence() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((5, 2, 3))


def test_lstm(sequence: np.ndarray) -> None:
    layer = nn.LSTM(3, 4).double()
    out, (h, c) = layer(vg.tensor(sequence))
    expected, last = lstm_by_hand(layer, sequence)
    np.testing.assert_allclose(out.detach().numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(h[0].detach().numpy(), expected[-1], rtol=1e-12)
    np.testing.assert_allclose(c[0].detach().numpy(), last, rtol=1e-12)


def test_gru(sequence: np.ndarray) -> None:
    layer = nn.GRU(3, 4).double()
    out, h = layer(vg.tensor(sequence))
    expected = gru_by_hand(layer, sequence)
    np.testing.assert_allclose(out.detach().numpy(), expected, rtol=1e-12)
    np.testing.assert_allclose(h[0].detach().numpy(), expected[-1], rtol=1e-12)


@pytest.mark.parametrize("kind", ["RNN", "GRU", "LSTM"])
def test_layers_and_cells_agree(kind: str, sequence: np.ndarray) -> None:
    layer, cell = getattr(nn, kind)(3, 4).double(), getattr(nn, kind + "Cell")(3, 4).double()
    for name, parameter in cell.named_parameters():
        parameter.data = getattr(layer, name + "_l0").detach().clone()
    state = None
    for x in vg.tensor(sequence):
        state = cell(x, state)
    last = state[0] if kind == "LSTM" else state
    out = layer(vg.tensor(sequence))[0]
    assert vg.allclose(out[-1], last)


def test_directions_layers_and_batch_first(sequence: np.ndarray) -> None:
    layer = nn.GRU(3, 4, num_layers=2, bidirectional=True, batch_first=True).double()
    x = vg.tensor(sequence).transpose(0, 1)
    out, h = layer(x)
    assert tuple(out.shape) == (2, 5, 8)
    assert tuple(h.shape) == (4, 2, 4)
    assert vg.equal(out[:, -1, :4], h[2])
    assert vg.equal(out[:, 0, 4:], h[3])
    single, _ = layer(x[0])
    assert vg.allclose(single, out[0])
    out.sum().backward()
    assert all(p.grad is not None for p in layer.parameters())


def test_recurrent_mistakes() -> None:
    layer = nn.LSTM(3, 4)
    with pytest.raises(RuntimeError, match="Expected 3, got 2"):
        layer(vg.ones(5, 1, 2))
    with pytest.raises(ValueError, match="2D or 3D"):
        layer(vg.ones(3))
    with pytest.raises(RuntimeError, match="Expected hidden size"):
        nn.GRU(3, 4)(vg.ones(5, 2, 3), vg.ones(1, 3, 4))
    with pytest.warns(UserWarning, match="num_layers greater than 1"):
        nn.GRU(3, 4, dropout=0.5)


@pytest.mark.parametrize(
    ("make", "fan_in"),
    [
        (lambda: nn.Linear(16, 500), 16),
        (lambda: nn.Conv2d(4, 200, 3), 36),
        (lambda: nn.LSTM(7, 64), 64),
    ],
)
def test_starting_values_are_uniform_within_the_fan(make: Any, fan_in: int) -> None:
    vg.manual_seed(0)
    bound = 1 / math.sqrt(fan_in)
    for parameter in make().parameters():
        values = parameter.detach().abs()
        assert values.max().item() <= bound
        assert values.max().item() > 0.9 * bound
        assert abs(values.mean().item() - bound / 2) < 0.05 * bound


def test_batch_norm_follows_the_batches() -> None:
    layer = nn.BatchNorm1d(2)
    x = vg.tensor([[1.0, 10.0], [3.0, 30.0]])
    out = layer(x)
    assert vg.allclose(out, vg.tensor([[-1.0, -1.0], [1.0, 1.0]]), atol=1e-4)
    assert vg.allclose(layer.running_mean, vg.tensor([0.2, 2.0]))
    assert vg.allclose(layer.running_var, vg.tensor([0.9 + 0.1 * 2, 0.9 + 0.1 * 200]))
    assert layer.num_batches_tracked.item() == 1
    layer.eval()
    layer(x)
    assert layer.num_batches_tracked.item() == 1
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        layer.train()(x[:1])
    with pytest.raises(ValueError, match="expected 4D input"):
        nn.BatchNorm2d(2)(x)


def test_plain_average_without_momentum() -> None:
    layer = nn.BatchNorm1d(1, momentum=None)
    for value in (1.0, 3.0):
        layer(vg.tensor([[value], [value]]))
    assert layer.running_mean.item() == 2


def test_embedding_keeps_its_padding_row() -> None:
    layer = nn.Embedding(4, 3, padding_idx=-1)
    assert layer.weight[3].tolist() == [0, 0, 0]
    layer(vg.tensor([3, 0, 0])).sum().backward()
    assert layer.weight.grad.tolist() == [[2, 2, 2], [0] * 3, [0] * 3, [0] * 3]
    with pytest.raises(IndexError, match="index out of range"):
        layer(vg.tensor([4]))
    with pytest.raises(RuntimeError, match="Long"):
        layer(vg.tensor([1.0]))
    frozen = nn.Embedding.from_pretrained(vg.ones(2, 2))
    assert not frozen.weight.requires_grad


def test_attention_does_not_look_where_it_may_not() -> None:
    vg.manual_seed(0)
    layer = nn.MultiheadAttention(4, 2, batch_first=True)
    x = vg.randn(1, 3, 4)
    _, looked = layer(x, x, x, attn_mask=nn.Transformer.generate_square_subsequent_mask(3))
    assert vg.allclose(looked.sum(-1), vg.ones(1, 3))
    assert looked[0, 0, 1:].tolist() == [0, 0]
    padding = vg.tensor([[False, False, True]])
    _, looked = layer(x, x, x, key_padding_mask=padding)
    assert looked[0, :, 2].tolist() == [0, 0, 0]


def test_a_transformer_learns_in_both_norm_orders() -> None:
    for norm_first in (True, False):
        layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, norm_first=norm_first)
        model = nn.TransformerEncoder(layer, 2)
        model(vg.randn(2, 3, 4)).square().mean().backward()
        assert all(p.grad is not None for p in model.parameters())
    assert model.layers[0].linear1.weight is not model.layers[1].linear1.weight


@pytest.mark.parametrize(
    ("call", "error", "phrase"),
    [
        (
            lambda: F.conv2d(vg.ones(1, 2, 4, 4), vg.ones(1, 3, 3, 3)),
            RuntimeError,
            "to have 3 channels",
        ),
        (
            lambda: F.conv2d(vg.ones(1, 1, 2, 2), vg.ones(1, 1, 3, 3)),
            RuntimeError,
            "Kernel size can't be greater",
        ),
        (
            lambda: F.conv2d(vg.ones(1, 1, 4, 4), vg.ones(1, 1, 3, 3).double()),
            RuntimeError,
            "should be the same",
        ),
        (lambda: F.conv2d(vg.ones(4, 4), vg.ones(1, 1, 3, 3)), RuntimeError, "Expected 3D"),
        (lambda: F.max_pool2d(vg.ones(1, 4, 4), 5), RuntimeError, "Output size is too small"),
        (lambda: F.linear(vg.ones(2, 3), vg.ones(4, 2)), RuntimeError, "(2x3 and 2x4)"),
        (lambda: F.linear(vg.ones(2, 3), None), TypeError, "must be Tensor, not NoneType"),
        (
            lambda: F.layer_norm(vg.ones(2, 3), (2,)),
            RuntimeError,
            "expected input with shape [*, 2]",
        ),
        (
            lambda: F.mse_loss(vg.ones(2), vg.ones(2), reduction="all"),
            ValueError,
            "not a valid value",
        ),
        (lambda: F.cross_entropy(vg.ones(2, 3), vg.ones(2)), RuntimeError, "Long"),
        (lambda: F.cross_entropy(vg.ones(2, 3), vg.ones(3).long()), ValueError, "batch_size (2)"),
        (
            lambda: F.binary_cross_entropy(vg.ones(2) * 2, vg.ones(2)),
            RuntimeError,
            "between 0 and 1",
        ),
        (
            lambda: F.pad(vg.ones(1, 2), (2, 0), mode="reflect"),
            RuntimeError,
            "less than the corresponding",
        ),
        (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "divisible by groups"),
        (lambda: nn.MultiheadAttention(5, 2), AssertionError, "divisible by num_heads"),
    ],
)
def test_errors_say_the_values(call: Any, error: type[Exception], phrase: str) -> None:
    with pytest.raises(error) as caught:
        call()
    assert phrase in str(caught.value)

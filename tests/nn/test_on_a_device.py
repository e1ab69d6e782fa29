"""Models and optimizers on strict arrays in the place of cupy's: as on the CPU, and without waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_array, strict_module
from tests.specs.row import wave
from vizgrad import nn, optim

F = nn.functional


@pytest.fixture(autouse=True, scope="module")
def cuda() -> Iterator[None]:
    with strict_module.as_cuda():
        yield


class Recurrent(nn.Module):
    def __init__(self, kind: Any) -> None:
        super().__init__()
        self.table = nn.Embedding(5, 4)
        self.layers = kind(4, 3, num_layers=2, batch_first=True, bidirectional=True)

    def forward(self, x: Any) -> Any:
        return self.layers(self.table((x.abs() * 2).long().clamp(0, 4)))[0]


class Attending(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)

    def forward(self, x: Any) -> Any:
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1], x.device, x.dtype)
        return self.layer(x, src_mask=mask)


def convolutional() -> Any:
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2),
        nn.ConvTranspose2d(4, 2, 2), nn.GroupNorm(2, 2), nn.GELU(approximate="tanh"),
        nn.AvgPool2d(2), nn.Flatten(), nn.Linear(2, 3),
    )  # fmt: skip


MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "MLP": (
        lambda: nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.LayerNorm(8), nn.Linear(8, 3)),
        (5, 4),
    ),
    "CNN": (convolutional, (3, 2, 4, 4)),
    "LSTM": (lambda: Recurrent(nn.LSTM), (2, 3)),
    "GRU": (lambda: Recurrent(nn.GRU), (2, 3)),
    "RNN": (lambda: Recurrent(nn.RNN), (2, 3)),
    "transformer": (Attending, (2, 3, 4)),
}
STEPS = ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam",
         "Rprop", "ASGD"]  # fmt: skip


def trained(name: str, optimizer: str, device: str, state: Any) -> tuple[list[Any], Any]:
    build, shape = MODELS[name]
    model = build().double()
    model.load_state_dict(state)
    model.to(device)
    x = vg.tensor(wave(*shape), device=device)
    steps = getattr(optim, optimizer)(model.parameters(), lr=0.01)
    losses = []
    del strict_array.reads[:]
    for _ in range(3):
        steps.zero_grad()
        out = model(x)
        scores = out.reshape(-1, out.shape[-1])
        target = vg.zeros(scores.shape[0], dtype=vg.int64, device=device)
        loss = F.cross_entropy(scores, target) + out.square().mean()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        steps.step()
        losses.append(loss.detach())
    assert not strict_array.reads
    return losses, model


def compared(name: str, optimizer: str, tolerance: float) -> None:
    """Trains on both; losses and parameters differ by no more than `tolerance`."""
    vg.manual_seed(3)
    state = MODELS[name][0]().double().state_dict()
    here, model = trained(name, optimizer, "cpu", state)
    there, moved = trained(name, optimizer, "cuda", state)
    assert {p.device.type for p in (*moved.parameters(), *moved.buffers())} == {"cuda"}
    np.testing.assert_allclose([x.item() for x in there], [x.item() for x in here], rtol=tolerance)
    for a, b in zip(moved.parameters(), model.parameters(), strict=True):
        np.testing.assert_allclose(a.detach().cpu().numpy(), b.detach().numpy(), atol=tolerance)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_learns_the_same(name: str) -> None:
    compared(name, "Adam", 1e-9)


@pytest.mark.parametrize("optimizer", STEPS)
def test_an_optimizer_steps_the_same(optimizer: str) -> None:
    compared("MLP", optimizer, 1e-9)


def test_a_model_made_on_the_device_is_there() -> None:
    with vg.device("cuda"):
        model = convolutional()
    assert {p.device.type for p in (*model.parameters(), *model.buffers())} == {"cuda"}
    assert vg.get_default_device() == vg.device("cpu")


def test_dropout_draws_on_the_device() -> None:
    x = vg.ones(40, device="cuda", requires_grad=True)
    F.dropout(x, 0.5).sum().backward()
    assert set(x.grad.tolist()) == {0.0, 2.0}


@pytest.mark.parametrize(("padding", "dilation"), [(0, 1), ((1, 2), 1), (2, (2, 1))])
@pytest.mark.parametrize("dtype", [vg.float64, vg.float16])
def test_infinite_filters_meet_no_zeros_around_a_gradient(
    padding: Any, dilation: Any, dtype: Any
) -> None:
    """Zero times infinity is NaN: at places beside an image there is no gradient."""
    found = []
    for device in ("cpu", "cuda"):
        weights = vg.tensor(wave(3, 2, 3, 3), dtype=dtype, device=device)
        weights[1, 0, 2, 1] = float("inf")
        x = vg.tensor(wave(2, 2, 5, 6, seed=1), dtype=dtype, device=device).requires_grad_()
        incoming = F.conv2d(x, weights.clamp(max=1.0), padding=padding, dilation=dilation).detach()
        del strict_array.reads[:]
        F.conv2d(x, weights, padding=padding, dilation=dilation).backward(incoming.abs() + 0.5)
        assert not strict_array.reads
        found.append(x.grad.cpu().double().numpy())
    assert np.isinf(found[0]).any()
    assert np.isfinite(found[0]).any()
    tolerance = 2e-2 if dtype is vg.float16 else 1e-12
    np.testing.assert_allclose(found[1], found[0], rtol=tolerance, atol=tolerance)

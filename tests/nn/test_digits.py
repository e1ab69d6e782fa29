"""The digits of the notebooks, and that small models learn them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from vizgrad import nn, optim

DATA = Path(__file__).parents[2] / "notebooks" / "data" / "digits.npz"


def digits() -> tuple[np.ndarray, np.ndarray]:
    with np.load(DATA, allow_pickle=False) as held:
        return held["images"], held["labels"]


def test_the_file_holds_what_its_readme_says() -> None:
    images, labels = digits()
    assert (images.shape, images.dtype, labels.dtype) == ((1797, 8, 8), np.uint8, np.int64)
    assert (images.min(), images.max()) == (0, 16)
    assert np.bincount(labels).tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert DATA.stat().st_size < 200_000


def _perceptron() -> Any:
    return nn.Sequential(
        nn.Flatten(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)
    )


def _convolutional() -> Any:
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("make", "epochs"), [(_perceptron, 30), (_convolutional, 15)])
def test_a_small_model_learns_the_digits(make: Any, epochs: int) -> None:
    images, labels = digits()
    order = np.random.default_rng(0).permutation(len(images))
    x = vg.tensor(images[order] / 16.0, dtype=vg.float32).reshape(-1, 1, 8, 8)
    y = vg.tensor(labels[order])
    vg.manual_seed(0)
    model = make()
    optimizer = optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        shuffled = vg.randperm(1400)
        for start in range(0, 1400, 64):
            batch = shuffled[start : start + 64]
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    with vg.no_grad():
        accuracy = (model(x[1400:]).argmax(1) == y[1400:]).float().mean().item()
    assert accuracy >= 0.95

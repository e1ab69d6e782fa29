"""The kernel of a layer of LSTM, against its formulas written out in float64."""

from __future__ import annotations

import numpy as np
import pytest

from vizgrad.core.arrays.kernels import recurrent

STEPS, BATCH, INPUT, HIDDEN = 5, 3, 4, 6


def _by_formulas(x, w_x, w_h, bias, h, c, reverse):
    outputs = np.empty((len(x), *h.shape))
    for t in reversed(range(len(x))) if reverse else range(len(x)):
        i, f, g, o = np.split(x[t] @ w_x.T + h @ w_h.T + bias, 4, axis=1)
        i, f, o = (1 / (1 + np.exp(-gate)) for gate in (i, f, o))
        c = f * c + i * np.tanh(g)
        outputs[t] = h = o * np.tanh(c)
    return outputs, h, c


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("block", [1, 2 * 4 * HIDDEN * BATCH, 1 << 15])
def test_values_and_gradients(reverse: bool, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recurrent, "_BLOCK", block)
    draws = np.random.default_rng(0)
    shapes = (
        (STEPS, BATCH, INPUT), (4 * HIDDEN, INPUT), (4 * HIDDEN, HIDDEN), (4 * HIDDEN,),
        (BATCH, HIDDEN), (BATCH, HIDDEN),
    )  # fmt: skip
    wide = [draws.standard_normal(shape) / 2 for shape in shapes]
    single = [each.astype(np.float32) for each in wide]
    half = single[3] / 2
    *found, memory = recurrent.lstm(*single[:3], half, half, *single[4:], reverse=reverse)
    expected = _by_formulas(*wide, reverse)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)

    grads = [draws.standard_normal(each.shape) for each in expected]
    slopes = recurrent.lstm_gradient(
        tuple(g.astype(np.float32) for g in grads), single[0], single[1], single[2], memory,
        biases=True, reverse=reverse, wanted=(True, True, True),
    )  # fmt: skip
    for number, slope in enumerate(slopes):
        way = draws.standard_normal(wide[number].shape)
        ends = []
        for step in (1e-5, -1e-5):
            moved = list(wide)
            moved[number] = wide[number] + step * way
            results = _by_formulas(*moved, reverse)
            ends.append(sum((g * r).sum() for g, r in zip(grads, results, strict=True)))
        np.testing.assert_allclose((slope * way).sum(), (ends[0] - ends[1]) / 2e-5, rtol=1e-4)


def test_extreme_gates_cause_no_warning_and_no_nan() -> None:
    x = np.full((2, 1, 1), 1e6, np.float32)
    weights = np.tile(np.array([[1.0], [-1.0]], np.float32), (2, 1)), np.ones((4, 1), np.float32)
    state = np.zeros((1, 1), np.float32)
    outputs, *_ = recurrent.lstm(x, *weights, None, None, state, state, reverse=False)
    assert np.isfinite(outputs).all()

"""New values as text: what they mean, and that nothing else is understood."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vizgrad.debugger.engines.vizgrad.new_values import new_value
from vizgrad.debugger.session.breakpoints import expressions

G = np.array([[-2.0, 0.5], [3.0, 0.0]], dtype=np.float32)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("0", [0, 0, 0, 0]),
        ("zero", [0, 0, 0, 0]),
        ("one", [1, 1, 1, 1]),
        ("-g", [2, -0.5, -3, 0]),
        ("negate", [2, -0.5, -3, 0]),
        ("g * 2 + 1", [-3, 2, 7, 1]),
        ("g.clip(-1, 1)", [-1, 0.5, 1, 0]),
        ("clip(g, 0, 2)", [0, 0.5, 2, 0]),
        ("clip to 1", [-1, 0.5, 1, 0]),
        ("Scale by 0.5", [-1, 0.25, 1.5, 0]),
        ("where(g > 0, g, 7)", [7, 0.5, 3, 7]),
        ("g.abs().maximum(1)", [2, 1, 3, 1]),
        ("g ** 2", [4, 0.25, 9, 0]),
        ("sum(g)", [1.5] * 4),
        ("1 / (1 + 1)", [0.5] * 4),
        ("inf", [math.inf] * 4),
    ],
)
def test_what_a_text_means(text: str, values: list[float]) -> None:
    made, words = new_value(G, text)
    assert made.ravel().tolist() == values
    assert (made.dtype, made.shape, words) == (G.dtype, G.shape, text)


def test_a_norm_and_what_is_no_number() -> None:
    assert np.linalg.norm(new_value(G, "norm to 2")[0]) == pytest.approx(2)
    with_nan = np.array([np.nan, 1.0])
    assert new_value(with_nan, "nan to 0")[0].tolist() == [0, 1]
    assert new_value(with_nan, "nan_to_num(g, 3)")[0].tolist() == [3, 1]


@pytest.mark.parametrize("value", [5, 2.5, [1.0, 2.0], np.ones((2, 2)), True])
def test_numbers_and_values(value: object) -> None:
    assert new_value(G, value)[0].tolist() == np.broadcast_to(value, (2, 2)).tolist()


@pytest.mark.parametrize(
    "text",
    [
        "", "x", "g.__class__", "g.tobytes()", "g.data", "g[0]", "lambda: 0", "g if g else g", "[g]", "'g'",
        "__import__('os')", "abs(g, g)", "clip()", "g.clip(min=0)", "clip to", "g and g", "f'{g}'", "g := 1",
        "+".join(["g"] * 149), "(" * 250, "-" * 280 + "g", "True", "1j", "g @ g", "g // 2", "1 < g < 2",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said(text: str) -> None:
    with pytest.raises(ValueError, match="not understood"):
        expressions.parse(text)


@pytest.mark.parametrize(
    "text", ["9 ** 9 ** 9 ** 9", "1 / 0", "sum(g, 1)", "where(g, g, g)", "(-1) ** 0.5"]
)
def test_what_does_not_fit_is_said(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  each has a text of its own
        new_value(G, text)


@given(st.text(alphabet="gabsclipwhere()+-*/.,<>=0123456789e _\"'[]{}:", max_size=40))
def test_any_text_is_a_value_or_refused(text: str) -> None:
    try:
        made, _ = new_value(G, text)
    except ValueError:
        return
    assert (made.shape, made.dtype) == (G.shape, G.dtype)

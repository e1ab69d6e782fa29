"""Conditions as text: what they mean, and that nothing else is understood."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vizgrad.debugger import model
from vizgrad.debugger.session.breakpoints import conditions


def facts(norm: float | None = 2.0, *, nans: int = 0, iteration: int = 3) -> conditions.Facts:
    summary = model.TensorSummary((2, 3), "float32", "cpu", 24, norm=norm, min=-1.0, nans=nans)
    out = model.Routed(model.Edge(1), summary, summary)
    visit = model.Visit(5, 7, (None, summary), (out,))
    return conditions.Facts(visit, lambda: "MulBackward0", lambda: iteration)


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("grad.norm > 1", True),
        ("grad.norm>1e3", False),
        ("1 < grad.norm <= 2", True),
        ("grad.min == -1", True),
        ("out.size == 6", True),
        ("nonfinite", False),
        ("not nonfinite and iteration == 3", True),
        ("iteration != 3 or position >= 5", True),
        ("node == 7", True),
        ("name == 'MulBackward0'", True),
        ("name > 3", False),
        ("grad.max < 1e9", False),
        ("not grad.max < 1e9", True),
        ("grad.norm() > 1", True),
        ("grad.norm ** 2 == 4", True),
        ("grad.norm is None", False),
        ("grad.max is None", True),
        ("grad.shape == (2, 3) and grad.dtype == 'float32'", True),
        ("step == 5", True),
        ("grad.abs().max() > 0", False),
        ("1 / (node - 7) > 1", False),
        ("1 in grad", False),
    ],
)
def test_what_a_text_means(text: str, holds: bool) -> None:
    assert conditions.parse(text)(facts()) is holds


def test_a_nan_is_larger_than_nothing_and_is_nonfinite() -> None:
    nan = facts(float("nan"), nans=1)
    assert not conditions.parse("grad.norm > 0")(nan)
    assert conditions.parse("nonfinite and grad.nans == 1")(nan)


@pytest.mark.parametrize(
    "text",
    [
        "", "sometimes", "grad.__class__", "().__class__", "f()", "grad.norm > x", "lambda: 1",
        "grad.median > 1", "__import__('os')", "grad.norm > 1 if 1 else 2", "nonfinite; 1", "(" * 90,
        "not " * 60, "x" * 300,
        "name.upper()", "loss > 1", "\0",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"condition"):
        conditions.parse(text)


def test_variables_of_the_frames_and_elements_of_gradients() -> None:
    known = facts()
    with_values = replace(
        known,
        variables=lambda: {"step": 1, "loss": 0.5, "node": "the user's own"},
        values=lambda kind, nr: [None, np.array([1.0, -3.0])][nr] if kind == "incoming" else None,
    )

    def holds(text: str) -> bool:
        return conditions.parse(text, with_values.variables)(with_values)

    assert holds("step == 1 and loss.item() < 1 and not isnan(loss)")
    assert holds("grad.abs().max() == 3 and not isnan(grad) and grad[1] < 0")
    assert holds("node == 7")
    assert not holds("out.abs().max() > 0")
    with pytest.raises(ValueError, match="did you mean 'loss'"):
        conditions.parse("lost > 1", with_values.variables)


@given(st.text(alphabet="grad.normout<>=!()[]{}'\"\\ 0123456789eand+-*,:;_@\n", max_size=60))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        test = conditions.parse(text)
    except ValueError:
        return
    assert test(facts()) in (True, False)

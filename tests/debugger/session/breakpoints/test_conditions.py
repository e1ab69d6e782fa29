"""Conditions as text: what they mean, and that nothing else is understood."""

from __future__ import annotations

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
        "", "sometimes", "grad", "grad.__class__", "().__class__", "f()", "grad.norm > x", "lambda: 1",
        "[1][0]", "__import__('os')", "grad.norm > 1 if 1 else 2", "grad.norm ** 9", "9**9**9", "1 in grad",
        "grad.norm is None", "nonfinite; 1", "(" * 90, "not " * 60, "x" * 300, "name.upper()", "\0",
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said(text: str) -> None:
    with pytest.raises(ValueError, match=r"condition"):
        conditions.parse(text)


@given(st.text(alphabet="grad.normout<>=!()[]{}'\"\\ 0123456789eand+-*,:;_@\n", max_size=60))
def test_any_text_is_a_condition_or_refused(text: str) -> None:
    try:
        test = conditions.parse(text)
    except ValueError:
        return
    assert test(facts()) in (True, False)

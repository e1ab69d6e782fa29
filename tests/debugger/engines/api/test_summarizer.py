"""Summaries chosen by type: engines that vizgrad has never heard of."""

from __future__ import annotations

from typing import Any

import pytest

from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.model import TensorSummary


class Scalar:
    """A gradient of some other engine."""

    def __init__(self, value: float) -> None:
        self.value = value


class Named(Scalar): ...


def quick(scalar: Scalar) -> TensorSummary:
    return TensorSummary((), "float", "cpu", 8, norm=abs(scalar.value))


def closely(scalar: Scalar) -> TensorSummary:
    return TensorSummary((), "float", "cpu", 8, values=(scalar.value,))


@pytest.fixture(autouse=True)
def as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_registered", "_quick", "_closely"):
        monkeypatch.setattr(summarizer, name, dict(getattr(summarizer, name)))


def test_a_type_and_its_subclasses_are_summarised_by_who_registered_it() -> None:
    summarizer.register(Scalar, quick, closely)
    for kind in (Scalar, Named, Named):
        assert summarizer.summarize(kind(-2.0)) == quick(Scalar(-2.0))
        assert summarizer.summarize_closely(kind(-2.0)) == closely(Scalar(-2.0))
    summarizer.register(Named, closely, quick)
    assert summarizer.summarize(Named(3.0)) == closely(Scalar(3.0))
    assert summarizer.summarize(Scalar(3.0)) == quick(Scalar(3.0))


def test_an_undefined_gradient_has_none() -> None:
    assert summarizer.summarize(None) is None
    assert summarizer.summarize_closely(None) is None


@pytest.mark.parametrize("look", [summarizer.summarize, summarizer.summarize_closely])
def test_what_nobody_registered_is_refused_by_name(look: Any) -> None:
    with pytest.raises(TypeError, match=r"Scalar; known are .*NoneType"):
        look(Scalar(1.0))

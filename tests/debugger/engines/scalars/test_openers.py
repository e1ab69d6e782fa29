"""An opener is found by the type of the loss; what none is for is refused."""

from __future__ import annotations

from typing import Any

import pytest

import vizgrad
from tests.debugger.engines.scalars.scalars import Value
from tests.debugger.engines.scalars.scalars_engine import open_value


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        (3.0, "backward of float: expected a tensor, or several in a list"),
        (None, "backward of NoneType"),
        ("loss", "backward of str"),
        ({"loss": 1}, "backward of dict"),
        ([1], "one of which is int"),
        ([[Value(1.0)]], "one of which is list"),
        ([Value(1.0), 2], "one of which is int"),
        ((vizgrad.ones(1, requires_grad=True), Value(1.0)), "different engines"),
    ],
)
def test_what_no_engine_knows_is_refused(loss: Any, words: str) -> None:
    with pytest.raises(TypeError, match="cannot step the backward of") as raised:
        vizgrad.debug(loss)
    assert words in str(raised.value)
    assert (
        "tests.debugger.engines.scalars.scalars.Value" in str(raised.value) or "different" in words
    )


def test_nothing_to_debug() -> None:
    with pytest.raises(RuntimeError, match="at least one"):
        vizgrad.debug([])


def test_the_opener_is_found_by_type() -> None:
    class Special(Value):
        pass

    backward = open_value(Special(1.0) * 2, {})
    assert len(backward.source) == 3
    session = vizgrad.debug(Special(2.0))
    assert session.total == 1

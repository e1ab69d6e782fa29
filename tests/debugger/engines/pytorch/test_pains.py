"""The programs of `tests/pains`, run on PyTorch: the same bugs are explained by the same lines, no others."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from tests.debugger.engines.pytorch import pains
from tests.pains.corpus import Pain, Program, assert_explained, said_of

pains.load()


@pytest.mark.parametrize("pain", pains.PAINS, ids=lambda pain: pain.__name__)
def test_a_bug_is_explained(pain: Pain) -> None:
    assert_explained(pain)


@pytest.mark.parametrize("run", pains.FINE, ids=lambda run: run.__name__)
def test_nothing_is_said_of_a_correct_program(run: Program) -> None:
    assert said_of(run) == []


def test_there_are_as_many_as_of_vizgrad() -> None:
    assert len(pains.PAINS) > 100 < len(pains.FINE) + 50

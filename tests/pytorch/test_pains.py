"""The programs of `tests/pains`, run on PyTorch: the same bugs are explained by the same lines, no others."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from tests.pains.corpus import Pain, Program, assert_explained, said_of
from tests.pytorch import pains

pains.load()

#: PyTorch compares no values, so there is no error to blame the function for: a finding names the line.
ELSEWHERE = {"a_checkpoint_draws_anew": "return (x * (T.rand(64) < 0.5).float()).exp()"}


@pytest.mark.parametrize(
    "pain", [each for each in pains.PAINS if each.__name__ not in ELSEWHERE], ids=lambda pain: pain.__name__
)  # fmt: skip
def test_a_bug_is_explained(pain: Pain) -> None:
    assert_explained(pain)


@pytest.mark.parametrize("run", pains.FINE, ids=lambda run: run.__name__)
def test_nothing_is_said_of_a_correct_program(run: Program) -> None:
    assert said_of(run) == []


def test_what_pytorch_does_not_notice_is_a_finding() -> None:
    for name, text in ELSEWHERE.items():
        (pain,) = [each for each in pains.PAINS if each.__name__ == name]
        (found,) = said_of(pain.run)
        assert (found.kind, found.culprit and found.culprit.text) == (pain.kind, text)
    assert len(pains.PAINS) > 100 < len(pains.FINE) + 50

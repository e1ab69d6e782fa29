"""The programs of `tests/pains`, run on PyTorch: the same bugs are explained by the same lines, no others."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from tests.pains.corpus import Pain, Program, said_of
from tests.pytorch import pains

pains.load()

#: What runs again within PyTorch itself is not compared with what ran first.
_NOT_COMPARED = "a checkpoint of PyTorch's is not compared with its first run"
UNSAID = {
    "a_checkpoint_draws_anew": _NOT_COMPARED,
    "a_reentrant_checkpoint_draws_anew": _NOT_COMPARED,
    "a_reentrant_checkpoint_counts_its_calls": _NOT_COMPARED,
}


@pytest.mark.parametrize(
    "pain", [each for each in pains.PAINS if each.__name__ not in UNSAID], ids=lambda pain: pain.__name__
)  # fmt: skip
def test_a_bug_is_explained(pain: Pain) -> None:
    said = said_of(pain.run)[:3]
    right = [
        each
        for each in said
        if each.kind in pain.kind.split("|")
        and each.culprit is not None
        and each.culprit.file == pain.run.__code__.co_filename
        and each.culprit.line in pain.lines
        and (each.tensor == pain.tensor or f"`{pain.tensor}`" in str(each) or not pain.tensor)
    ]
    assert right, f"wanted {pain.kind} at {pain.lines} of {pain.tensor!r}, but was told {said}"
    assert len(right[0].fix) > 10


@pytest.mark.parametrize("run", pains.FINE, ids=lambda run: run.__name__)
def test_nothing_is_said_of_a_correct_program(run: Program) -> None:
    assert said_of(run) == []


def test_what_is_not_said_is_still_there() -> None:
    assert set(UNSAID) <= {each.__name__ for each in pains.PAINS}
    assert len(pains.PAINS) > 100 < len(pains.FINE) + 50

"""Bugs in library models are explained, and their mended twins are left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

# Below what skips where PyTorch is not installed:
from tests.pains.library.judging import judged, missing, programs
from tests.pains.library.known import NOT_FOUND
from tests.pains.twins.reading import Program


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_a_bug_is_explained_and_its_twin_is_not(program: Program, tmp_path: Path) -> None:
    if library := missing(program):
        pytest.skip(f"{library} is not installed")
    result = judged(program, tmp_path)
    assert result.alarms == ()
    assert result.right is (program.name not in NOT_FOUND), result.said


def test_what_is_not_found_is_there() -> None:
    names = [program.name for program in programs()]
    assert len(names) >= 60
    assert len(set(names)) == len(names)
    assert set(names) >= NOT_FOUND

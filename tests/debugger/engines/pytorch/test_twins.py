"""Bugs in PyTorch's own tensors are explained by the right line, and their mended twins are left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pains.twins.checking import assert_explained_and_twin_in_peace
from tests.pains.twins.reading import Program, programs

pytest.importorskip("torch")


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_a_bug_is_explained_and_its_twin_is_not(program: Program, tmp_path: Path) -> None:
    assert_explained_and_twin_in_peace(program, "torch", tmp_path)

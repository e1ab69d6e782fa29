"""Every enabled program, on PyTorch and on vizgrad."""

from __future__ import annotations

import pytest

from .harness import execute, faults_of_the_program, faults_of_vizgrad
from .registry import Program, enabled_programs


@pytest.mark.parametrize("one", enabled_programs(), ids=lambda one: one.id)
def test_parity(one: Program, oracle: object, vizgrad: object) -> None:
    theirs = execute(one, oracle)
    if wrong := faults_of_the_program(theirs):
        pytest.fail("the program is wrong about PyTorch\n" + "\n".join(wrong), pytrace=False)
    if faults := faults_of_vizgrad(theirs, execute(one, vizgrad)):
        rules = " ".join(one.rules)
        pytest.fail(f"vizgrad differs from PyTorch ({rules})\n" + "\n".join(faults), pytrace=False)

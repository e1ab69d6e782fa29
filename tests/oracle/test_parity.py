"""Every enabled program, on PyTorch and on vizgrad."""

from __future__ import annotations

import importlib.util

import pytest

from tests.oracle.graphs import parted
from tests.oracle.harness import execute, faults_of_the_program, faults_of_vizgrad
from tests.oracle.registry import Program, enabled_programs

if importlib.util.find_spec("torch") is None:
    # Never a skip: a suite that compares nothing must not look green, in CI least of all.
    pytest.fail(
        "PyTorch is not installed, and this suite compares vizgrad with it. `make parity` installs it; "
        "by hand: pip install torch==2.13.0 (its build for the CPU is enough).",
        pytrace=False,
    )


@pytest.mark.parametrize("one", enabled_programs(), ids=lambda one: one.id)
def test_parity(one: Program, oracle: object, vizgrad: object) -> None:
    theirs = execute(one, oracle)
    if wrong := faults_of_the_program(theirs):
        pytest.fail("the program is wrong about PyTorch\n" + "\n".join(wrong), pytrace=False)
    if faults := faults_of_vizgrad(theirs, execute(one, vizgrad)):
        faults += filter(None, [parted(one, oracle, vizgrad)])
        rules = " ".join(one.rules)
        pytest.fail(f"vizgrad differs from PyTorch ({rules})\n" + "\n".join(faults), pytrace=False)

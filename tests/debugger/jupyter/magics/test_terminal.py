"""The magics in IPython in a terminal, where no view holds the session that a magic opens."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.fixtures.limits import HANG

COMMAND = "IPython", "--simple-prompt", "--no-banner", "--no-confirm-exit", "--quick"

LINES = """\
%load_ext vizgrad
x = {0}.tensor([1.0, 2.0], requires_grad=True)
%vizgrad debug (x ** 3).sum()
%vizgrad step
%vizgrad back
%vizgrad continue
%vizgrad debug (x ** 2).sum()
"""


@pytest.mark.parametrize("engine", ["vizgrad", "torch"])
def test_a_session_lives_from_one_magic_to_the_next(engine: str) -> None:
    pytest.importorskip(engine)
    run = subprocess.run(
        [sys.executable, "-m", *COMMAND],
        input=f"import {engine}\n{LINES.format(engine)}",
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    told = re.findall(r"Out\[\d+\]: (\d of \d)", run.stdout)
    assert told == ["0 of 3", "1 of 3", "0 of 3", "3 of 3", "0 of 3"], run.stdout


WHERE = """\
import vizgrad
x = vizgrad.tensor([0.0, 4.0], requires_grad=True)
with vizgrad.watch(): vizgrad.where(x > 1, x.sqrt(), x).sum().backward()

print(vizgrad.why(x).culprit)
session = vizgrad.debug((x * 2).sum())
print(session.node.place)
"""


def test_a_line_of_a_cell_is_told_by_the_number_of_the_cell() -> None:
    run = subprocess.run(
        [sys.executable, "-m", *COMMAND],
        input=WHERE,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    assert "In [3], line 1: with vizgrad.watch(): vizgrad.where(" in run.stdout
    assert "In [5], line 1: session = vizgrad.debug((x * 2).sum())" in run.stdout
    assert "<ipython-input" not in run.stdout

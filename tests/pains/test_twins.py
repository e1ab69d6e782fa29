"""Bugs are explained, by the line and in answer to what was asked; their mended twins are left in peace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pains.twins.checking import assert_explained_and_twin_in_peace
from tests.pains.twins.known import NOT_EXPLAINED
from tests.pains.twins.reading import Program, programs


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_a_bug_is_explained_and_its_twin_is_not(program: Program, tmp_path: Path) -> None:
    assert_explained_and_twin_in_peace(program, "vizgrad", tmp_path)


def test_what_is_asked_for_can_be_found() -> None:
    every = programs()
    assert len(every) >= 60
    assert len({program.name for program in every}) == len(every)
    for program in every:
        assert program.questions
        assert all(program.blamed(question.label) for question in program.questions)
        assert program.buggy() != program.mended()
    asked = {(program.name, question.ask) for program in every for question in program.questions}
    assert all(known <= asked for known in NOT_EXPLAINED.values())

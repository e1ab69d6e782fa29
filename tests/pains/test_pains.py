"""Bugs that people have are explained, and correct programs that look alike are left in peace."""

from __future__ import annotations

import pytest

from tests.pains import programs
from tests.pains.corpus import FINE, PAINS, Pain, Program, assert_explained, said_of
from vizgrad.debugger.explain.cause import HEALTHY

assert len(programs.ALL) > 1  # they are there


@pytest.mark.parametrize("pain", PAINS, ids=lambda pain: pain.__name__)
def test_a_bug_is_explained(pain: Pain) -> None:
    assert pain.lines, "no line ends with # BLAME"
    assert_explained(pain)


@pytest.mark.parametrize("run", FINE, ids=lambda run: run.__name__)
def test_nothing_is_said_of_a_correct_program(run: Program) -> None:
    assert said_of(run) == []


def test_every_kind_has_programs() -> None:
    kinds = {kind for pain in PAINS for kind in pain.kind.split("|")}
    assert HEALTHY.kind not in kinds
    assert len(kinds) >= 24


def test_most_bugs_were_seen_in_public() -> None:
    seen = [pain for pain in PAINS if pain.seen]
    assert len(seen) >= 40
    assert all(pain.seen.startswith("https://") for pain in seen)
    assert len(FINE) >= 40

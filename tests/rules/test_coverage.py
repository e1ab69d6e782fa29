"""Every rule is shown by a test, and every test shows rules that exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from tests.rules.not_shown import COMPLETE, IN_PART, NOT_SHOWN, REASONS
from tests.rules.report import program_counts
from tests.rules.scan import Showing, all_showings, showings_in
from tests.rules.text import all_rules

RULES = all_rules()


@cache
def showings() -> list[Showing]:
    """Found when a test asks: to go through all files costs more than to collect their tests."""
    return list(all_showings())


def shown() -> set[str]:
    return {one.rule for one in showings() if one.runs}


@pytest.mark.parametrize("file", COMPLETE)
def test_every_rule_is_shown(file: str) -> None:
    found = shown()
    missing = [
        f"{rule.number} {rule.beginning}"
        for rule in RULES.values()
        if rule.file == file and rule.number not in found and rule.number not in NOT_SHOWN
    ]
    assert missing == [], (
        "show them (@pytest.mark.rule, or @program), or say why not (not_shown.py)"
    )


def test_no_test_names_a_rule_that_does_not_exist() -> None:
    assert [f"{one.rule} in {one.place}" for one in showings() if one.rule not in RULES] == []


def test_what_is_not_shown_is_really_not_shown_and_exists() -> None:
    assert sum(map(len, REASONS.values())) == len(NOT_SHOWN)
    assert [rule for rule in NOT_SHOWN if rule not in RULES or rule in shown()] == []


def test_what_is_shown_in_part_is_shown() -> None:
    assert [rule for rule in IN_PART if rule not in shown()] == []


def test_programs_over_the_autograd_machine() -> None:
    """The part of this suite that PyTorch itself checks is never the small one."""
    assert program_counts(showings())["01-04"] >= 300


def test_a_difference_on_purpose_is_written_in_its_rule() -> None:
    """A program that states two behaviours names at least one rule marked [D]."""
    by_place: dict[str, list[str]] = {}
    for one in showings():
        if one.differs:
            by_place.setdefault(one.place, []).append(one.rule)
    assert by_place
    assert [
        place
        for place, rules in by_place.items()
        if not any("D" in RULES[rule].tags for rule in rules)
    ] == []


def test_corrected_rules_name_a_program_that_exists() -> None:
    programs = {one.place for one in showings() if one.program}
    names = {place.rpartition("::")[2] for place in programs}
    for rule in RULES.values():
        if "C" in rule.tags:
            cited = re.findall(r"`program:(\w+)`", rule.words)
            assert cited, f"{rule.number} is corrected: name the experiment, `program:its_name`"
            assert set(cited) <= names, (rule.number, cited)


def test_the_scan_finds_all_ways_of_naming_rules() -> None:
    source = (
        'pytestmark = [pytest.mark.rule("A-1")]\n'
        'class TestX:\n    pytestmark = pytest.mark.rule("A-2")\n'
        '    @pytest.mark.rule("A-3", "A-4")\n    def test(self): pass\n'
        '@program(rules="A-5 A-6", each=())\ndef prog(torch, see): see.differs("x", 1)\n'
    )
    found = list(showings_in(source, Path("x.py")))
    assert {one.rule for one in found} == {f"A-{i}" for i in range(1, 7)}
    assert {one.rule for one in found if one.program and one.differs} == {"A-5", "A-6"}
    assert {one.place for one in found if one.rule == "A-3"} == {"x.py::test"}
    ahead = (
        'program = partial(plain, milestone="checkpoint")\n'
        '@program(rules="A-1")\ndef one(torch, see): pass\n'
        '@program(rules="A-2", milestone="first")\ndef two(torch, see): pass\n'
    )
    assert [one.runs for one in showings_in(ahead, Path("x.py"))] == [False, True]
    with pytest.raises(TypeError, match="write the text out"):
        list(showings_in("@pytest.mark.rule(NAME)\ndef test(): pass\n", Path("x.py")))

"""The coverage report: each rule, its first words, and where it is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from tests.rules.not_shown import COMPLETE, IN_PART, NOT_SHOWN
from tests.rules.scan import Showing
from tests.rules.text import Rule


def program_counts(showings: list[Showing]) -> dict[str, int]:
    """How many programs show rules of a letter, and of the files 01 to 04. `each=` counts as one."""
    places: dict[str, set[str]] = defaultdict(set)
    for one in showings:
        if one.program and one.runs:
            places[one.rule[0]].add(one.place)
            if one.rule[0] in "FEVM":
                places["01-04"].add(one.place)
    return {key: len(places[key]) for key in sorted(places)}


def lines(rules: dict[str, Rule], showings: list[Showing], *, places: int = 3) -> Iterator[str]:
    """The report, line by line; at most `places` places a rule."""
    shown: dict[str, list[str]] = defaultdict(list)
    ahead: dict[str, list[str]] = defaultdict(list)
    for one in showings:
        (shown if one.runs else ahead)[one.rule].append(one.place)
    files: dict[str, list[Rule]] = defaultdict(list)
    for rule in rules.values():
        files[rule.file].append(rule)
    for file, members in files.items():
        count = sum(rule.number in shown for rule in members)
        rest = "" if file in COMPLETE else " (grows with its part of vizgrad)"
        yield f"{file}: {count} of {len(members)} rules shown{rest}"
        for rule in members:
            where = shown[rule.number]
            text = ", ".join(where[:places]) or NOT_SHOWN.get(rule.number, "-")
            if not where and ahead[rule.number]:
                text = f"written ahead, not run yet: {ahead[rule.number][0]}"
            if len(where) > places:
                text += f" and {len(where) - places} more"
            if rule.number in IN_PART:
                text += f" (in part: {IN_PART[rule.number]})"
            yield f"  {rule.number:5} {rule.beginning:60}  {text}"
    yield ""
    yield "programs compared with PyTorch, by the letter of their rules: " + ", ".join(
        f"{key} {count}" for key, count in program_counts(showings).items()
    )
    differing = sorted({one.place for one in showings if one.differs})
    yield f"differences on purpose ([D]), each stated by a program: {len(differing)}"
    for place in differing:
        named = [one.rule for one in showings if one.place == place]
        yield f"  {' '.join(named):12} {place}"

"""The rules as written down: number, file and words of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent

#: A rule is a list item, or a row of a table, that begins with its number.
_START = re.compile(r"(?:- |\| )\*\*([A-Z]-\d+)\*\*(?: \|)?\s*(.*)")
_TAG = re.compile(r"\[([VDC])\]")


@dataclass(frozen=True)
class Rule:
    number: str
    file: str
    words: str

    @property
    def tags(self) -> frozenset[str]:
        """V: verified on PyTorch; D: vizgrad differs on purpose; C: corrected by an experiment."""
        return frozenset(_TAG.findall(self.words))

    @property
    def beginning(self) -> str:
        plain = " ".join(_TAG.sub("", self.words).replace("**", "").replace("`", "").split())
        return plain if len(plain) <= 60 else plain[:57].rstrip() + "..."


def all_rules() -> dict[str, Rule]:
    """Every rule by its number, in the order of the files."""
    found: dict[str, Rule] = {}
    for path in sorted(HERE.glob("0*.md")):
        for number, words in _rules_in(path.read_text(encoding="utf-8")):
            if number in found:
                raise ValueError(f"{path.name} has a second rule {number}")
            found[number] = Rule(number, path.name, words)
    return found


def _rules_in(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    open_rule = False
    for line in text.splitlines():
        if start := _START.match(line):
            found.append((start[1], start[2]))
            open_rule = line.startswith("- ")
        elif open_rule and line.startswith("  "):
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        else:
            open_rule = False
    return found

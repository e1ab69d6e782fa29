"""Sentences of the package name their subject, as CONTRIBUTING.md asks: none begins with "Of" or "What".

Packages written before the rule have a RATCHET: the number of their sentences that still break it. The
number may only fall: lower it here with the sentences.
"""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.prose import sentences
from tests.architecture.rooms import PACKAGE

RATCHET: dict[str, int] = {
    "debugger/check": 6,
    "debugger/drawing": 13,
    "debugger/engines": 67,
    "debugger/explain": 13,
    "debugger/jupyter": 13,
    "debugger/memory": 16,
    "debugger/model": 4,
    "debugger/session": 27,
    "debugger/traces": 9,
    "debugger/watch": 8,
}


@cache
def found() -> dict[str, list[str]]:
    """By package: the place and the text of each sentence that breaks the rule."""
    places: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*")):
        where = path.relative_to(PACKAGE)
        if path.suffix in {".py", ".md"} and "labextension" not in where.parts:
            for sentence in filter(names_no_subject, sentences(path)):
                places.setdefault(package(where), []).append(f"{where}: {sentence[:80]}")
    return places


def package(path: Path) -> str:
    """A room of a wing, else what is at the top of vizgrad."""
    wing = path.parts[0] in {"core", "debugger"}
    return "/".join(path.parts[: 2 if wing else 1])


def names_no_subject(sentence: str) -> bool:
    first = sentence.split(" ", 1)[0]
    who = "Whoever"  # codespell:ignore whoever
    return first in {"Of", who} or (first == "What" and not sentence.endswith("?"))


def test_a_sentence_names_its_subject() -> None:
    more = {
        package: places
        for package, places in found().items()
        if len(places) > RATCHET.get(package, 0)
    }
    assert not more


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"""Of a tensor: its shape."""', 1),
        ("# It is so. Of the others\n# it is not.\n", 1),
        ("x = 1  # Whoever asks, is told.\n", 1),  # codespell:ignore whoever
        ('def f():\n    """Runs.\n\n    What it gives is new. What is it?\n    """\n', 1),
        ('x = "Of no concern"  # a number Of things\n', 0),
        ('"""Says `x`.\n\n- Of a list\n- `b`\n"""\n', 1),
    ],
)
def test_sentences_are_found(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "module.py"
    path.write_text(text, "utf-8")
    assert Counter(map(names_no_subject, sentences(path)))[True] == count

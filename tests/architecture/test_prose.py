"""Sentences of the package name their subject, as CONTRIBUTING.md asks: none begins with "Of" or "What".

codespell (`make lint`) finds words; how a sentence begins is found here.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.prose import sentences
from tests.architecture.rooms import PACKAGE

#: The words in question, whatever stands around them.
BEGINNINGS = re.compile(r"\b(Of|What)\b")


def names_no_subject(sentence: str) -> bool:
    """Is its subject a clause ("What is saved is ...")? A question may begin so."""
    first = sentence.split(" ", 1)[0]
    return first == "Of" or (first == "What" and not sentence.endswith("?"))


def test_a_sentence_names_its_subject() -> None:
    wrong = [
        f"{where}: {sentence[:80]}"
        for path in sorted(PACKAGE.rglob("*"))
        if path.suffix in {".py", ".md"}
        and "labextension" not in (where := path.relative_to(PACKAGE)).parts
        if BEGINNINGS.search(path.read_text("utf-8"))  # nearly all files are done with that
        for sentence in sentences(path)
        if names_no_subject(sentence)
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"""Of a tensor: its shape."""', 1),
        ("# It is so. Of the others\n# it is not.\n", 1),
        ("x = 1  # What is asked for.\n", 1),
        ('def f():\n    """Runs.\n\n    What it gives is new. What is it?\n    """\n', 1),
        ('x = "Of no concern"  # a number Of things\n', 0),
        ('"""Says `x`.\n\n- Of a list\n- `b`\n"""\n', 1),
    ],
)
def test_sentences_are_found(tmp_path: Path, text: str, count: int) -> None:
    path = tmp_path / "module.py"
    path.write_text(text, "utf-8")
    assert sum(map(names_no_subject, sentences(path))) == count

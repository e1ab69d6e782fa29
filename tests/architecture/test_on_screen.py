"""Texts that users read on screen are plain, and each was reviewed (`on_screen.py`).

`.ci/words.txt` refuses words everywhere; these are words of sentences that only a reader of the code follows.
"""

from __future__ import annotations

import re
from difflib import unified_diff

import pytest

from tests.architecture.on_screen import FILLED, TABLE, drawn, table, texts

REFUSED = re.compile(
    r"\b(told|who(m|ever)|anew|born|persons?|(no|some)body|people|behind the code"
    r"|stands? (at|before|behind|between)|is gone into|goes? on on|goes on to|lets? go of"
    r"|thr[oe]wn? (it )?away|so many(eth)?|no more\b(?! (of|than))|what was seen|speaks? of"
    r"|not any more|comes? nearer)\b",
    re.IGNORECASE,
)


def test_each_text_was_reviewed() -> None:
    """A text that is new, or another than in the table, is to be read: for truth, and for language."""
    now, reviewed = table().splitlines(), TABLE.read_text("utf-8").splitlines()
    changed = [line for line in unified_diff(reviewed, now, n=0, lineterm="") if line[1:2].strip()]
    assert changed == [], "read these aloud, then run: python -m tests.architecture.on_screen"
    assert now == reviewed


def test_all_of_it_is_there() -> None:
    said = [text for where in texts().values() for text in where]
    assert len(said) > 1_500
    assert "Step one stage" in texts()["commands"]
    assert any("Trying again" in text for text in said)
    assert "Gradient cut by {dtype}" in texts()["debugger/explain"]


def test_texts_are_plain() -> None:
    found = [(where, text) for where, said in texts().items() for text in said]
    assert [each for each in found if REFUSED.search(FILLED.sub("", each[1]))] == []


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("const a = 'Not told of here'; // told in a comment", ["Not told of here"]),
        ("<p>\n  Nothing is\n  saved.\n</p>", ["Nothing is saved."]),
        ("title={`${n} nodes told`}", ["… nodes told"]),
        ("/* 'told so' */ class='vg-told'", []),
    ],
)
def test_drawn_texts_are_found(source: str, said: list[str]) -> None:
    assert list(drawn(source)) == said

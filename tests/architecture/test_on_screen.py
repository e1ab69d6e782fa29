"""Texts that users read on screen are plain: commands, the view's strings, headings and refusals of magics.

`.ci/words.txt` refuses words everywhere; these are words of sentences that only a reader of the code follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.architecture.rooms import PACKAGE
from vizgrad.core.errors import HEADINGS
from vizgrad.debugger.commands import COMMANDS, GESTURES

VIEW = PACKAGE.parent / "extension" / "src"
#: The folders of the view whose strings are drawn; the others hold messages for developers.
DRAWN = ("view", "lab", "mime", "widget")
REFUSED = re.compile(
    r"\b(told|who(m|ever)|anew|born|persons?|(no|some)body|people|behind the code"
    r"|stands? (at|before|behind|between)|is gone into|goes? on on|goes on to|lets? go of"
    r"|thr[oe]wn? (it )?away|so many(eth)?|no more\b(?! (of|than))|what was seen|speaks? of"
    r"|not any more|comes? nearer)\b",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"`])//[^\n]*", re.DOTALL)
_TEXT = re.compile(r"'([^'\n]*)'|\"([^\"\n]*)\"|`([^`]*)`|>([^<>{}]*)<", re.DOTALL)
_INSERTED = re.compile(r"\$\{[^}]*\}")


def drawn(source: str) -> Iterator[str]:
    """The strings and JSX texts of a TypeScript source that are sentences or parts of them."""
    for match in _TEXT.finditer(_COMMENT.sub("", source)):
        text = _INSERTED.sub("…", next((each for each in match.groups() if each), ""))
        text = " ".join(text.split())
        if re.search(r"[A-Za-z]{2,} [A-Za-z…]", text) and not re.search(r"=>|;|\bconst\b", text):
            yield text


def view_texts() -> Iterator[tuple[Path, str]]:
    for folder in DRAWN:
        for path in sorted((VIEW / folder).rglob("*.ts*")):
            if ".test." not in path.name:
                yield from ((path, text) for text in drawn(path.read_text("utf-8")))


def test_the_strings_of_the_view_are_plain() -> None:
    found = list(view_texts())
    assert len(found) > 200  # they are there
    assert [f"{path.name}: {text}" for path, text in found if REFUSED.search(text)] == []


def test_commands_and_headings_are_plain() -> None:
    texts = [*HEADINGS.values(), *(gesture.help for gesture in GESTURES)]
    for command in COMMANDS:
        texts += [command.label, command.label_on, command.help]
        texts += [command.magic.help] if command.magic else []
    assert [text for text in texts if REFUSED.search(text)] == []


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("const a = 'Not told of here'; // told in a comment", ["Not told of here"]),
        ("<p>\n  Nothing is\n  saved.\n</p>", ["Nothing is saved."]),
        ("title={`${n} nodes told`}", ["… nodes told"]),
        ("/* 'told so' */ class='vg-told'", []),
    ],
)
def test_drawn_texts_are_found(source: str, texts: list[str]) -> None:
    assert list(drawn(source)) == texts

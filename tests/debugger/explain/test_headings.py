"""Every kind of explanation has a heading in words, which is what a reader sees of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pains.corpus import PAINS
from vizgrad.core.errors import HEADINGS, Explanation, Findings, heading
from vizgrad.debugger import session

README = Path(session.__file__).with_name("README.md").read_text("utf-8")


def test_every_kind_has_one() -> None:
    table = README.partition("## Kinds of explanation")[2].partition("is one of:")[2]
    assert set(re.findall(r"`([a-z-]+)`", table)) == set(HEADINGS)
    assert {kind for pain in PAINS for kind in pain.kind.split("|")} <= set(HEADINGS)
    assert len(set(HEADINGS.values())) == len(HEADINGS)


@pytest.mark.parametrize("kind", HEADINGS)
def test_it_is_words(kind: str) -> None:
    text = heading(kind)
    assert re.fullmatch(r"[A-Z][\w() -]*", text)
    assert kind not in text
    assert len(text) <= 40


def test_it_is_printed() -> None:
    found = Explanation("cut-detach", story="`w.detach()` has no history.")
    assert repr(Findings([found])) == "Gradient cut off: `w.detach()` has no history."
    assert repr(Findings([])) == "No problems found"
    assert str(Explanation("not-scalar")) == "Not a scalar"

"""Every kind of explanation has a heading in words, which is what a reader sees of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import vizgrad as vg
from tests.debugger.explain.test_texts import why_of_a_cut
from tests.pains.corpus import PAINS
from vizgrad.core.errors import HEADINGS, Explanation, Findings, heading
from vizgrad.debugger import session
from vizgrad.debugger.explain.sentences import SENTENCES
from vizgrad.debugger.explain.titles import TITLES

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
    assert repr(Findings([Explanation("grad-mode", title="Gradient mode left off")])) == (
        "Gradient mode left off: Gradient mode left off"
    )


def test_titles_are_of_cases() -> None:
    assert set(TITLES) <= set(SENTENCES)
    assert all(re.fullmatch(r"[A-Za-z.{][\w(){}:. -]*", text) for text in TITLES.values())
    assert all(len(text) <= 40 for text in TITLES.values())


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        ("w.detach()", "Gradient cut by detach()"),
        ("w.data", "Gradient cut by .data"),
        ("vg.tensor(w)", "Gradient cut by a copy of values"),
        ("vg.tensor(w.tolist())", "Gradient cut by tolist()"),
        ("vg.tensor([float(w.sum())])", "Gradient cut by float()"),
        ("(w > 0).float()", "Gradient cut by a bool dtype"),
        ("w.argmax().float()", "Gradient cut by an integer dtype"),
        ("w.detach().requires_grad_()", "Gradient cut by a new leaf"),
        ("vg.no_grad()(lambda: w * 2)()", "Gradient cut by no_grad()"),
        ("vg.inference_mode()(lambda: w * 2)().clone()", "Gradient cut by inference_mode()"),
    ],
)
def test_a_cut_is_headed_by_what_cut(made: str, wanted: str, tmp_path: Path) -> None:
    found = why_of_a_cut(tmp_path, made)
    assert found.heading == wanted
    assert repr(Findings([found])).startswith(f"{wanted}: ")


def test_an_error_is_headed_by_what_happened() -> None:
    w = vg.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="numpy") as numpy:
        w.numpy()
    with pytest.raises(RuntimeError, match="does not require grad") as backward:
        vg.ones(()).backward()
    told = [each.value.explanation.heading for each in (numpy, backward)]
    assert told == ["numpy() of a tensor that requires grad", "Does not require grad"]

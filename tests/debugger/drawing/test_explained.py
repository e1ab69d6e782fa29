"""Explanations as HTML: exactly, and harmless whatever a stranger called their things."""

from __future__ import annotations

import linecache
import re

import pytest

import vizgrad as vg
from vizgrad.core.errors import Explanation, Findings, Link, Place
from vizgrad.debugger.drawing.overlay import explanations_html

SOURCE = [
    "import vizgrad as vg\n",
    "w = vg.zeros(2)\n",
    "if True:\n",
    "    h = w.log()\n",
    "    h.sum()\n",
]


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Explanation:
    monkeypatch.setitem(linecache.cache, "train.py", (1, None, SOURCE, "train.py"))
    place = Place("train.py", 4, text="h = w.log()")
    return Explanation(
        "nonfinite-forward", place, "w", "keep `w` positive", "`w.log()` made -inf, where `w` is 0.",
        (Link("loss", Place("train.py", 5, text="h.sum()"), 9), Link("h", place, 7)),
        "h = w.clamp(min=1e-12).log()",
    )  # fmt: skip


def without_style(html: str) -> str:
    return re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)


def test_an_explanation_reads_from_top_to_bottom(found: Explanation) -> None:
    assert without_style(explanations_html([found])) == (
        '<div class="vizgrad-why"><section>'
        "<p><strong>NaN or Inf in the forward pass</strong>: <code>w</code></p>"
        "<p><code>w.log()</code> made -inf, where <code>w</code> is 0.</p>"
        "<p>train.py:4:</p>"
        "<pre><span>  2  w = vg.zeros(2)</span><span>  3  if True:</span>"
        '<span class="culprit">▶ 4      h = w.log()</span><span>  5      h.sum()</span></pre>'
        "<p>From the symptom to its cause:</p><ol>"
        "<li><code>loss</code>, train.py:5: <code>h.sum()</code> (symptom)</li>"
        "<li><code>h</code>, train.py:4: <code>h = w.log()</code> (cause)</li></ol>"
        "<p><strong>Fix:</strong> keep <code>w</code> positive</p>"
        "<pre><del>- h = w.log()</del><ins>+ h = w.clamp(min=1e-12).log()</ins></pre>"
        "</section></div>"
    )


def test_without_a_source_the_line_alone_is_shown() -> None:
    place = Place("gone.py", 3, text="h = w.log()", cell="In [2]")
    html = without_style(explanations_html([Explanation("unused", place)]))
    assert '<p>In [2], line 3:</p><pre><span class="culprit">▶ 3  h = w.log()</span></pre>' in html


def test_a_source_that_is_another_now_is_not_shown(found: Explanation) -> None:
    place = Place("train.py", 2, text="w = vg.ones(2)")
    html = explanations_html([Explanation("unused", place)])
    assert "▶ 2  w = vg.ones(2)" in html
    assert "if True" not in html


def test_what_strangers_write_is_no_markup(found: Explanation) -> None:
    evil = "<img src=x onerror=alert(1)>"
    place = Place(evil, 1, text=evil, cell=evil)
    html = explanations_html(
        [Explanation(evil, place, evil, evil, f"`{evil}` {evil}", (Link(evil, place),) * 2, evil)]
    )
    assert "<img" not in html
    assert html.count("&lt;img") == 15


def test_a_long_chain_is_cut_in_the_middle() -> None:
    chain = tuple(Link(f"n{i}") for i in range(50))
    html = explanations_html([Explanation("ill-scaled", None, chain=chain)])
    assert "(38 more)" in html
    assert html.count("<li>") == 13


def test_what_is_healthy_is_a_sentence() -> None:
    html = without_style(explanations_html([Explanation("healthy", story="`w` <b>")]))
    assert html == '<div class="vizgrad-why"><p><code>w</code> &lt;b&gt;</p></div>'
    assert "No problems found." in explanations_html([])


def test_notebooks_are_shown_it_and_terminals_the_text() -> None:
    with vg.watch() as watch:
        w = vg.tensor([0.0, 1.0], requires_grad=True)
        loss = -w.log().sum()
        found = vg.why(loss)
        (w * vg.ones(2, 2).mean()).sum().backward()
    bundle = found._repr_mimebundle_()
    assert bundle["text/plain"] == f"NaN or Inf in the forward pass: {found}"
    assert bundle["text/html"] == explanations_html([found])
    assert "-w.clamp(min=1e-12).log().sum()" in bundle["text/html"]
    assert isinstance(watch.findings, Findings)
    assert watch.findings._repr_mimebundle_()["text/plain"] == repr(watch.findings)
    assert watch._repr_mimebundle_() == {"text/plain": "<Watch: nothing found>"}

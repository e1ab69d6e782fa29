"""A diagnosis is data, and all words about it are in the tables."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import vizgrad as vg
from vizgrad.core.errors import Place
from vizgrad.debugger import explain
from vizgrad.debugger.explain import findings, watch_block, why
from vizgrad.debugger.explain.cause import HEALTHY, Cause, Number, Phrase
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.from_watch import BlockReader
from vizgrad.debugger.explain.phrases import FIXES, PHRASES
from vizgrad.debugger.explain.sentences import SENTENCES
from vizgrad.debugger.explain.titles import TITLES
from vizgrad.debugger.explain.wording import Words, filled, say
from vizgrad.debugger.explain.wording import explain as explained_by

FOLDER = Path(explain.__path__[0])
TABLES = ("sentences.py", "training_sentences.py", "phrases.py", "titles.py")


def _strings(tree: ast.AST) -> Iterator[str]:
    """Strings of a module that are no docstrings and no messages of errors."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(
            node
        ):
            left_out.add(node.body[0])
        if isinstance(node, ast.Raise):
            left_out.add(node)
    todo: list[ast.AST] = [tree]
    for node in todo:
        if node in left_out:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        todo += ast.iter_child_nodes(node)


MODULES = {path.name: list(_strings(ast.parse(path.read_text()))) for path in FOLDER.glob("*.py")}
#: Nouns are in `wording.py`; a command that a notebook shows is none of our sentences.
ELSEWHERE = ("wording.py",)
COMMAND = "with inputs of yours"
#: What a sentence has, and names of operations in a row have not.
ENGLISH = {"a", "and", "are", "in", "is", "it", "not", "of", "on", "the", "with"}


def test_words_are_in_the_tables_alone() -> None:
    found = [
        (name, text)
        for name, texts in MODULES.items()
        for text in texts
        if name not in TABLES + ELSEWHERE and text.count(" ") >= 4 and ENGLISH & set(text.split())
        if COMMAND not in text
    ]
    assert found == []


def test_every_row_is_used() -> None:
    named = {text for name, texts in MODULES.items() if name not in TABLES for text in texts}
    named |= {f"{case}-masked" for case in named}
    for table in (SENTENCES, FIXES, PHRASES):
        assert [row for row in table if row not in named] == []


@pytest.mark.parametrize(
    "text",
    [
        *(part for row in SENTENCES.values() for part in row),
        *FIXES.values(),
        *PHRASES.values(),
        *TITLES.values(),
    ],
)
def test_sentences_are_well_formed(text: str) -> None:
    for _, field, how, _ in Formatter().parse(text):
        assert field is None or field.isidentifier()
        assert how in (None, "", "raw", "input", "fix", "on", "recorded")
    assert "  " not in text


def test_facts_are_said_by_their_type() -> None:
    assert say("x") == "`x`"
    assert say(Words("the loss")) == "the loss"
    assert say("MulBackward0") == "MulBackward0"
    assert say("MulBackward0", "input") == "the input"
    assert say("x", "raw") == "x"
    assert say(None) == "a line that is not known"
    place = Place("a.py", 3)
    assert (say(place, "on"), say(None, "on")) == (" on line 3", "")
    assert (say(place, "recorded"), say(None, "recorded")) == (", recorded on line 3,", "")
    assert say(3) == "3"
    assert say(0.25) == "0.25"
    assert say(Number(1.0000001192092896, "acos")) == "1.0000001"
    assert say(Phrase("that-is", name="x")) == " That is `x`."
    assert filled("{a} and {b:raw}", {"a": "x", "b": "y"}) == "`x` and y"


def diagnosed(tensor: Any, name: str) -> Cause:
    return why.cause_of(watch_block.known(tensor), tensor, name)


@pytest.mark.parametrize("watched", [True, False], ids=["watch", "graph"])
def test_a_diagnosis_needs_no_word(*, watched: bool) -> None:
    block = vg.watch()
    if watched:
        block.__enter__()
    w = vg.tensor([2.0, -1.0], requires_grad=True)
    loss = w.log().sum()
    found = diagnosed(loss, "loss")
    assert (found.kind, found.tensor) == ("nonfinite-forward", "w")
    assert found.culprit is not None
    assert found.culprit.text == "loss = w.log().sum()"
    assert found.operand is not None
    assert (found.operand.name, found.operand.value, found.operand.index) == ("w", -1.0, (1,))
    loss.backward()
    healthy = vg.ones(2, requires_grad=True)
    healthy.sum().backward()
    assert diagnosed(healthy, "healthy") == HEALTHY
    if watched:
        block.__exit__(None, None, None)


def test_a_cut_is_data() -> None:
    with vg.watch():
        w = vg.ones(2, requires_grad=True)
        b = vg.ones(2, requires_grad=True)
        hidden = (w * 2).detach()
        (hidden * b).sum().backward()
        found = diagnosed(w, "w")
    assert (found.kind, found.case, found.fix) == ("cut-detach", "detached", "")
    assert found.facts["cut"] == "detach()"
    assert found.facts["ends"] == Phrase("way-ends", name="w")


def test_words_are_made_of_the_cause_and_its_source_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with vg.watch():
        w = vg.ones(2, requires_grad=True)
        hidden = w.detach()
        (hidden * 2.0).sum()
        found = diagnosed(hidden, "hidden")

    class Source:
        """Another text of that line, and of the lines above it."""

        def getline(self, filename: str, lineno: int, /) -> str:
            return "shown = other.detach()  # as it was\n"

        def getlines(self, filename: str, /) -> list[str]:
            return [self.getline(filename, 1)]

    def refused(*_: Any) -> Any:
        raise AssertionError("read a file")

    monkeypatch.setattr(linecache, "getline", refused)
    monkeypatch.setattr(linecache, "getlines", refused)
    told = explained_by(found, Source())
    monkeypatch.undo()
    assert told.culprit is not None
    assert told.culprit.text == "shown = other.detach()  # as it was"
    assert told.mended == "shown = other  # as it was"
    assert told.title == "Gradient cut by detach()"


def test_a_finding_is_a_question() -> None:
    with vg.watch() as block:
        w = vg.ones(2, requires_grad=True)
        optimizer = vg.optim.SGD([w], 0.1)
        for _ in range(3):
            (w * 2).sum().backward()
            optimizer.step()
    (question,) = findings.questions(block._notings[0])
    assert (question.about, question.name) == ("finding", "w")
    cause = diagnose(question, BlockReader(block._notings[0]))
    assert question.seen is not None
    assert (cause.case, cause.when) != (question.seen.case, question.seen.when)  # with its rounds
    (finding,) = block.findings
    assert explained_by(cause, linecache) == finding
    assert vg.why(finding) is finding

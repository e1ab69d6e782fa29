"""A program with two bugs: each question gets the explanation of the bug that it is about, on both engines.

Every pair of planted bugs is one loss on one line, so the line alone does not tell them apart: what is quoted
must be the call of the right one. Asked of the banners of a session, of each node that made something odd, of
the gradient of each leaf, and of the loss.
"""

from __future__ import annotations

import itertools
import linecache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import vizgrad as vg
from tests.debugger.explain import texts
from vizgrad.core.errors import Explanation
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.explain import watch_block
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.evidence import Evidence, Facts, Held, Question, Recorded
from vizgrad.debugger.explain.node_answers import why_node
from vizgrad.debugger.explain.wording import explain


class Bug(NamedTuple):
    """`term` is computed of a leaf {v}, in which `call` is to blame; `kinds` of what is said of the leaf."""

    name: str
    values: list[float]
    term: str
    call: str
    kinds: tuple[str, ...]
    #: Is its value not finite?
    forward: bool = False
    #: Does a node make what is not finite?
    banner: bool = True
    #: Do the steps of a session tell it, though nobody watched?
    unwatched: bool = True

    @property
    def said(self) -> str:
        return f"`{self.call.format(v=self.name)}`"


_ODD = ("nonfinite-forward", "nonfinite-backward")
BUGS = [
    Bug("a", [0.0, 1.0], "{v}.log().sum()", "{v}.log()", _ODD, forward=True),
    Bug("b", [0.0, 4.0], "({v}.sqrt() * mask).sum()", "{v}.sqrt()", ("nonfinite-masked",)),
    Bug("c", [-1.0, -2.0], "{v}.relu().sum()", "{v}.relu()", ("zero-derivative",), banner=False),
    Bug("d", [1.0, 2.0], "({v} * 0.0).sum()", "{v} * 0.0", ("zero-derivative",), banner=False),
    Bug("e", [0.0, 1.0], "({v} / {v}).sum()", "{v} / {v}", _ODD, forward=True),
    Bug("f", [0.0, 4.0], "({v} ** 0.5).sum()", "{v} ** 0.5", _ODD),
    Bug("g", [1.0, 0.5], "{v}.acos().sum()", "{v}.acos()", _ODD),
    Bug("h", [100.0, 1.0], "{v}.exp().sum()", "{v}.exp()", _ODD, forward=True),
    Bug(
        "i", [1.0, 2.0], "({v}.detach() * k).sum()", "{v}.detach()", ("cut-detach",), banner=False,
        unwatched=False,
    ),
    Bug("j", [2.5, 1.5], "({v}.round() * k).sum()", "{v}.round()", ("zero-derivative",), banner=False),
]  # fmt: skip

#: Of two elements, one of which is NaN.
SUMMARY = summarizer.summarize(vg.tensor([float("nan"), 1.0]))


def program(one: Bug, other: Bug, file: Path) -> str:
    terms = " + ".join(bug.term.format(v=bug.name) for bug in (one, other))
    text = "mask, k = T.tensor([0.0, 1.0]), T.tensor([1.0, 1.0], requires_grad=True)\n"
    for bug in (one, other):
        text += f"{bug.name} = T.tensor({bug.values}, requires_grad=True)\n"
    text += f"loss = {terms}\n"
    file.write_text(text, encoding="utf-8")
    linecache.checkcache(str(file))
    return text


class Asked:
    """The answers to all questions of a program, and what is wrong with them."""

    def __init__(self, engine: Any, one: Bug, other: Bug, file: Path, watched: bool) -> None:
        self.bugs, self.file, self.watched = (one, other), file, watched
        self.names: dict[str, Any] = {"T": engine}
        self.wrong: list[str] = []
        self.asked = 0
        text = program(one, other, file)
        with vg.watch():  # so that lines are known, of PyTorch's nodes, too
            exec(compile(text, str(file), "exec"), self.names)
        if not watched:
            watch_block._last = None
        self.loss = self.names["loss"]

    def of(self, question: str, found: Explanation, *bugs: Bug) -> None:
        """It is one of these, and no other."""
        self.asked += 1
        others = [bug for bug in self.bugs if bug not in bugs]
        told = f"{question}: {found.kind}: {found.story}"
        if not any(found.kind in bug.kinds and bug.said in found.story for bug in bugs):
            self.wrong.append(told)
        if any(bug.said in f"{found.story} {found.fix}" for bug in others):
            self.wrong.append(f"speaks of the other bug: {told}")
        self.wrong += [f"{told}: {each}" for each in texts.problems(found, str(self.file))]

    def run(self) -> None:
        session: Any = vg.debug(self.loss, display=False)
        banners = 0
        while session.status == "paused":
            session.continue_()
            if session.stopped is not None and session.stopped.birth is not None:
                banners += 1
                self.of_banner(session)
        if banners != sum(bug.banner for bug in self.bugs):
            self.wrong.append(f"{banners} banners")
        with session.at_rest() as (_, look):
            for bug in self.bugs:
                number = look.source.number(self.names[bug.name])
                if number is None:
                    continue
                self.of(f"leaf {bug.name}", why_node(look, number).explanation, bug)
                makers = [n for n in range(len(look.source)) if number in look.source.targets(n)]
                for maker in makers:
                    self.of(f"node {maker}", why_node(look, maker).explanation, bug)
        self.of_tensors()
        session.close()

    def of_banner(self, session: Any) -> None:
        with session.at_rest() as (_, look):
            targets = look.source.targets(session.stopped.node)
            mine = [b for b in self.bugs if look.source.number(self.names[b.name]) in targets]
            found = why_node(look, session.stopped.node).explanation
        self.of(f"banner {session.stopped.text}", found, *mine)

    def of_tensors(self) -> None:
        for bug in self.bugs:
            if self.watched or bug.unwatched:
                self.of(f"why({bug.name})", vg.why(self.names[bug.name], name=bug.name), bug)
        found = vg.why(self.loss, name="loss")
        forward = [bug for bug in self.bugs if bug.forward]
        if forward:
            self.of("why(loss)", found, *forward)
        elif found:
            self.wrong.append(f"why(loss): {found.story}")


@pytest.mark.parametrize("watched", [True, False], ids=["watched", "unwatched"])
@pytest.mark.parametrize("name", ["vizgrad", "torch"])
def test_each_question_gets_its_own_bug(name: str, watched: bool, tmp_path: Path) -> None:
    engine = pytest.importorskip(name)
    wrong: dict[str, list[str]] = {}
    asked = 0
    for nr, (one, other) in enumerate(itertools.permutations(BUGS, 2)):
        case = Asked(engine, one, other, tmp_path / f"program_{nr}.py", watched)
        case.run()
        asked += case.asked
        if case.wrong:
            wrong[f"{one.term} + {other.term}"] = case.wrong
    assert wrong == {}
    assert asked >= 500


@pytest.mark.parametrize("name", ["vizgrad", "torch"])
def test_a_watched_backward_tells_them_apart_too(name: str, tmp_path: Path) -> None:
    engine = pytest.importorskip(name)
    wrong: dict[str, list[str]] = {}
    for nr, (one, other) in enumerate(itertools.permutations(BUGS, 2)):
        case = Asked(engine, one, other, tmp_path / f"program_{nr}.py", True)
        with vg.watch():
            exec(compile(case.file.read_text(), str(case.file), "exec"), case.names)
            case.loss = case.names["loss"]
            case.loss.backward()
            case.of_tensors()
        if case.wrong:
            wrong[f"{one.term} + {other.term}"] = case.wrong
    assert wrong == {}


@pytest.mark.parametrize("name", ["vizgrad", "torch"])
def test_an_error_is_explained_and_not_the_nan_beside_it(name: str) -> None:
    """A loss without history, and a value that is not finite: the error is about the first."""
    engine = pytest.importorskip(name)
    with vg.watch():
        w = engine.tensor([0.0, 1.0], requires_grad=True)
        infinite = w.detach().log()  # both bugs
        with pytest.raises(RuntimeError) as caught:
            infinite.sum().backward()
        value = vg.why(infinite)
    told: Any = caught.value.explanation
    assert (told.kind, value.kind) == ("cut-detach", "nonfinite-forward")
    assert told.culprit == value.culprit
    assert "detach() in `w.detach()`" in told.story
    assert "log(0) = -inf" in value.story


def test_a_diagnosis_reads_nothing_but_its_evidence() -> None:
    """Facts alone, of no tensor and no engine: each question gets its own answer."""
    loss = Facts(value=Held(False, summary=SUMMARY), grad=Held(False, summary=SUMMARY))

    class Told(Evidence):
        def facts(self) -> Facts:
            return loss

        def recorded(self) -> Recorded:
            return Recorded("SqrtBackward0 made 1 NaN of 2", "SqrtBackward0", node=3)

    value, gradient = (diagnose(Question(about, "w"), Told()) for about in ("value", "gradient"))
    assert (value.case, gradient.case) == ("value-not-noted", "step-made")
    assert diagnose(Question("tensor", "w"), Told()) == value
    assert not diagnose(Question("value", "w"), Evidence())
    error = Explanation("unused", None, "w", "connect it", "w is not used")
    assert explain(diagnose(Question("error", told=error), Evidence()), linecache) == error

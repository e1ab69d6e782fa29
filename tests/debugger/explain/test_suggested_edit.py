"""The suggested edit: its text, and that it fixes the program."""

from __future__ import annotations

import inspect
import linecache
import textwrap
from collections.abc import Iterator
from typing import Any

import pytest

from tests.pains import programs
from tests.pains.corpus import PAINS, Pain, said_of
from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.suggested_edit import mended

assert len(programs.ALL) > 1  # they are there


def edit(kind: str, case: str, text: str, tensor: str, fix: str, facts: dict[str, Any]) -> str:
    place = Place("a.py", 1, text=text)
    return mended(Cause(kind, case, place, tensor, facts, fix), place, linecache)


SHAPES: dict[str, Any] = {"one": "pred", "other": "y", "first": [4, 1]}
TOLD = {
    "fix": "write out of place there (e.g. `x = x + y` for `x += y`), or clone before the write"
}


@pytest.mark.parametrize(
    ("kind", "case", "text", "tensor", "fix", "facts", "wanted"),
    [
        ("double-normalised", "normalised-before", "loss = F.cross_entropy(z.softmax(-1), y)  # mine",
         "z.softmax(-1)", "", {"op": "cross_entropy", "raw": "z"}, "loss = F.cross_entropy(z, y)  # mine"),
        ("double-normalised", "normalised-before", "loss = F.cross_entropy(p, y)", "p", "",
         {"op": "cross_entropy", "raw": "z"}, "loss = F.cross_entropy(z, y)"),
        ("double-normalised", "normalised-before", "loss = F.cross_entropy(p, y)", "p", "",
         {"op": "cross_entropy", "raw": ""}, ""),
        ("double-normalised", "normalised-twice", "loss = F.softmax(p, 0)", "p", "", {}, ""),
        ("history-kept", "carried", "total += a + b", "total", "add-number", {}, "total += (a + b).item()"),
        ("history-kept", "carried", "h = cell(x, h)", "h", "cut-each-step", {}, "h = cell(x, h.detach())"),
        ("history-kept", "carried-over", "h = cell(x, h)", "h", "", {}, "h = cell(x, h.detach())"),
        ("cut-detach", "detached", "pred = pred.detach()", "pred", "", {}, "# pred = pred.detach()"),
        ("cut-detach", "detached", "pred = pred.detach() + a.detach()", "pred", "", {}, ""),
        ("cut-detach", "copied", "pred = pred.detach()", "pred", "", {}, ""),
        ("second-order-cut", "constant-term", "(g,) = grad(y, x)", "g", "create-graph", {},
         "(g,) = grad(y, x, create_graph=True)"),
        ("second-order-cut", "no-second-order", "(g,) = grad(y, x)", "g", "linear", {}, ""),
        ("saved-overwritten", "saved-overwritten", "x += y * 2", "x", "", {}, "x = x + y * 2"),
        ("saved-overwritten", "told", "x.mul_(2.0)", "x", "", TOLD, "x = x.mul(2.0)"),
        ("saved-overwritten", "told", "x.mul_(2.0)", "x", "", {"fix": "something else"}, ""),
        ("saved-overwritten", "told", "x[0] += 1", "x", "", TOLD, ""),
        ("saved-overwritten", "told", "x.zero_()", "x", "", TOLD, ""),
        ("saved-overwritten", "step-overwrote", "x += 1", "x", "", {}, ""),
        ("shape-broadcast", "broadcast", "loss = (pred - y).mean()", "pred", "", {**SHAPES, "second": [4]},
         "loss = (pred - y.reshape(pred.shape)).mean()"),
        ("shape-broadcast", "broadcast", "loss = (pred - y).mean()", "pred", "", {**SHAPES, "second": [3]},
         ""),
        ("nonfinite-forward", "operation", "h = x.softmax(0).log()", "x.softmax(0)", "log-of-softmax", {},
         "h = x.log_softmax(0)"),
        ("nonfinite-forward", "operation", "h = p.log()", "p", "log-of-softmax", {}, ""),
        ("nonfinite-forward", "operation", "h = p.log()", "p", "log", {}, "h = p.clamp(min=1e-12).log()"),
        ("nonfinite-forward", "operation", "h = a / n", "n", "quotient", {}, "h = a / (n + 1e-12)"),
        ("nonfinite-forward", "operation", "h = a / n + (", "n", "quotient", {}, ""),
        ("nonfinite-forward", "operation", "for x in xs: x.log()", "x", "log", {}, ""),
    ],
)  # fmt: skip
def test_a_line_is_changed_where_one_is_enough(
    kind: str, case: str, text: str, tensor: str, fix: str, facts: dict[str, Any], wanted: str
) -> None:
    assert edit(kind, case, text, tensor, fix, facts) == wanted


def _with_change() -> Iterator[tuple[Pain, Explanation]]:
    for pain in PAINS:
        told = next((each for each in said_of(pain.run) if each.mended), None)
        if told is not None:
            yield pain, told


def test_what_is_changed_is_mended() -> None:
    """Each program of the corpus that is told a changed line runs with it, and is told that no more: but for
    one, which has a second bug, nothing at all.
    """
    changed = list(_with_change())
    assert len(changed) >= 20
    left: list[str] = []
    for pain, told in changed:
        assert told.culprit is not None
        lines, first = inspect.getsourcelines(pain.run)
        at = told.culprit.line - first
        assert lines[at].strip() == told.culprit.text
        lines[at] = lines[at].replace(told.culprit.text, told.mended)
        start = next(n for n, line in enumerate(lines) if line.startswith("def "))
        body = textwrap.dedent("".join(lines[start:]))
        file = f"<mended {pain.__name__}>"
        linecache.cache[file] = (len(body), None, body.splitlines(True), file)
        scope = dict(pain.run.__globals__)
        exec(compile(body, file, "exec"), scope)
        again = said_of(scope[pain.run.__name__])
        assert [each for each in again if each.kind == told.kind] == [], (told, again)
        left += [pain.__name__] if again else []
    assert left == ["an_update_replaces_the_leaf"]


@pytest.mark.parametrize(
    ("program", "wanted"),
    [
        (  # once for each backward
            """
            for x, y in data:
                h = cell(x, h)
                ((h - y) ** 2).sum().backward()
            """,
            "h = cell(x, h.detach())",
        ),
        (  # several times: what is cut there would leave the gradient of the last one
            """
            for chunk in data:
                for x in chunk:
                    h = cell(x, h)
                h.sum().backward()
            """,
            "",
        ),
        (
            """
            def rolled(chunk, h):
                while chunk:
                    h = cell(chunk.pop(), h)
                return h
            for chunk in data:
                h = rolled(chunk, h)
                h.sum().backward()
            """,
            "",
        ),
    ],
)
@pytest.mark.parametrize(("case", "fix"), [("carried-over", ""), ("carried", "cut-each-step")])
def test_a_state_is_not_cut_within_a_step(program: str, wanted: str, case: str, fix: str) -> None:
    file = "<carried>"
    lines = textwrap.dedent(program).splitlines(True)
    linecache.cache[file] = (len(program), None, lines, file)
    number, line = next((n, line) for n, line in enumerate(lines, 1) if "h = cell" in line)
    place = Place(file, number, text=line.strip())
    assert mended(Cause("history-kept", case, place, "h", {}, fix), place, linecache) == wanted

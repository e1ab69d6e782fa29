"""The changed line: what it says, and that it mends the program."""

from __future__ import annotations

import inspect
import linecache
import textwrap
from collections.abc import Iterator

import pytest

from tests.pains import programs
from tests.pains.corpus import PAINS, Pain, said_of
from vizgrad.core.errors import Explanation, Place
from vizgrad.debugger.explain.suggested_edit import with_mended

assert len(programs.ALL) > 1  # they are there


def mended(kind: str, text: str, tensor: str, fix: str, story: str = "") -> str:
    place = Place("a.py", 1, text=text)
    return with_mended(Explanation(kind, place, tensor, fix, story)).mended


RESHAPE = "give both the same shape: pred.squeeze() or y.reshape(pred.shape)"
OUT_OF_PLACE = "write out of place there (e.g. `x = x + y` for `x += y`), or clone before the write"


@pytest.mark.parametrize(
    ("kind", "text", "tensor", "fix", "story", "wanted"),
    [
        ("double-normalised", "loss = F.cross_entropy(z.softmax(-1), y)  # mine", "z.softmax(-1)",
         "pass the raw logits: give cross_entropy `z`, without softmax", "",
         "loss = F.cross_entropy(z, y)  # mine"),
        ("double-normalised", "loss = F.cross_entropy(p, y)", "p",
         "pass the raw logits: give cross_entropy `z`, without softmax", "",
         "loss = F.cross_entropy(z, y)"),
        ("history-kept", "total += a + b", "total", "add a plain number: total += (a + b).item()", "",
         "total += (a + b).item()"),
        ("history-kept", "h = cell(x, h)", "h", "cut it at the start of a step: h = h.detach()", "",
         "h = cell(x, h.detach())"),
        ("cut-detach", "pred = pred.detach()", "pred", "take out the detach() here: detach only …", "",
         "# pred = pred.detach()"),
        ("cut-detach", "pred = pred.detach() + a.detach()", "pred", "take out the detach() here", "", ""),
        ("second-order-cut", "(g,) = grad(y, x)", "g", "take the gradient with create_graph=True", "",
         "(g,) = grad(y, x, create_graph=True)"),
        ("saved-overwritten", "x += y * 2", "x", OUT_OF_PLACE, "", "x = x + y * 2"),
        ("saved-overwritten", "x.mul_(2.0)", "x", OUT_OF_PLACE, "", "x = x.mul(2.0)"),
        ("saved-overwritten", "x[0] += 1", "x", OUT_OF_PLACE, "", ""),
        ("saved-overwritten", "x.zero_()", "x", OUT_OF_PLACE, "", ""),
        ("shape-broadcast", "loss = (pred - y).mean()", "pred", RESHAPE,
         "broadcast `pred` [4, 1] and `y` [4] to [4, 4]", "loss = (pred - y.reshape(pred.shape)).mean()"),
        ("shape-broadcast", "loss = (pred - y).mean()", "pred", RESHAPE,
         "broadcast `pred` [4, 1] and `y` [3] to [4, 3]", ""),
        ("nonfinite-forward", "h = x.softmax(0).log()", "x.softmax(0)", "use log_softmax", "",
         "h = x.log_softmax(0)"),
        ("nonfinite-forward", "h = p.log()", "p", "use log_softmax (or cross_entropy on the logits)", "", ""),
        ("nonfinite-forward", "h = p.log()", "p", "keep `p` positive", "", "h = p.clamp(min=1e-12).log()"),
        ("nonfinite-forward", "h = a / n", "n", "keep the divisor `n` away from zero", "",
         "h = a / (n + 1e-12)"),
        ("nonfinite-forward", "h = a / n + (", "n", "keep the divisor `n` away from zero", "", ""),
        ("nonfinite-forward", "for x in xs: x.log()", "x", "", "", ""),
    ],
)  # fmt: skip
def test_a_line_is_changed_where_one_is_enough(
    kind: str, text: str, tensor: str, fix: str, story: str, wanted: str
) -> None:
    assert mended(kind, text, tensor, fix, story) == wanted


def _with_change() -> Iterator[Pain]:
    for pain in PAINS:
        if any(each.mended for each in said_of(pain.run)):
            yield pain


def test_what_is_changed_is_mended() -> None:
    """Each program of the corpus that is told a changed line runs with it, and is told that no more."""
    changed = list(_with_change())
    assert len(changed) >= 8
    for pain in changed:
        told = next(each for each in said_of(pain.run) if each.mended)
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

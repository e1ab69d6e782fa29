"""What is not finite, and nobody noted why: it is said that it is so, and how to learn more."""

from __future__ import annotations

from typing import Any

from vizgrad.core.errors import Explanation
from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.explain.wording import code, line, said
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.tensor_adapter import Look

_INF = float("inf")
_ASK_AGAIN = "run the forward and the backward within vizgrad.watch(), and ask again"


def of_value(look: Look, tensor: Any, name: str) -> Explanation | None:
    """None where the value is finite."""
    if look.finite(tensor):
        return None
    return said(
        "nonfinite-forward", None, name,
        f"{_shown(name)} has {counted_in(tensor)}; nothing was noted of the operation that made them.",
        "run the lines that compute and write it within vizgrad.watch(), and ask again",
    )  # fmt: skip


def of_gradient(
    noting: Noting | None, look: Look, tensor: Any, name: str, run: Run | None, key: int
) -> Explanation | None:
    """Of the `.grad` of a tensor; None where that is finite. `run`: the last backward that is known to have
    reached it, under the number `key`.
    """
    grad = look.grad(tensor)
    if grad is None or look.finite(grad):
        return None
    story, fix = _known(noting, tensor, run, key)
    shown = f"{name}.grad" if name else ".grad"
    story = f"{code(shown)} has {counted_in(grad)}; {story}."
    return said("nonfinite-backward", None, shown, story, fix)


def _known(noting: Noting | None, tensor: Any, run: Run | None, key: int) -> tuple[str, str]:
    """What is known of where it came from, and what to do."""
    leaf = None if noting is None else noting.gradients.known(tensor)
    if run is None:
        story = "nothing was noted of the backward that made them"
        if leaf is None:
            return story, _ASK_AGAIN
        return f"{story}: it ran outside the watch, on another thread, or in a debugging session", (
            "call backward within the watch, on its thread; a debugging session tells as long as it is open"
        )
    visit = run.visits.get(key)
    where = f"the backward on {line(run.site)}"
    if visit is None or not visit.incoming < _INF:
        story = (
            f"{where} brought them, and none of the operations in it made them of finite numbers"
        )
        return story, "look at the gradient that backward was started with, and at hooks"
    return _finite_then(leaf, where)


def _finite_then(leaf: Leaf | None, where: str) -> tuple[str, str]:
    """What the backward brought was finite."""
    if leaf is not None and leaf.kept > 1:
        since = "they were there before, or something has written to it since"
    else:
        since = "something has written to it since"
    return f"{where} brought finite numbers: {since}", (
        "look at what writes to it behind the backward: hooks, clipping and scaling, and other processes "
        "where gradients are averaged over them (look for NaN there)"
    )


def counted_in(tensor: Any) -> str:
    """As in: 1 NaN of 2 elements."""
    return counted(summarizer.summarize(tensor))


def counted(summary: model.TensorSummary | None) -> str:
    """The same, of what is known of a tensor."""
    if summary is None or not (summary.nans or summary.infs):
        return "elements that are not finite"
    parts = [f"{summary.nans} NaN"] if summary.nans else []
    parts += [f"{summary.infs} infinite"] if summary.infs else []
    count = 1
    for n in summary.shape:
        count *= n
    return f"{' and '.join(parts)} of {count} element{'' if count == 1 else 's'}"


def _shown(name: str) -> str:
    return f"{code(name)}" if name else "The tensor"

"""What is not finite, and nobody noted why: it is said that it is so, and how to learn more."""

from __future__ import annotations

from math import prod
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.wording import AN_UNNAMED_TENSOR
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.tensor_adapter import Look

_INF = float("inf")


def of_value(look: Look, tensor: Any, name: str) -> Cause | None:
    """None where the value is finite."""
    if look.finite(tensor):
        return None
    return cause(
        "nonfinite-forward", "value-not-noted", None, name,
        shown=name or AN_UNNAMED_TENSOR, count=counted_in(tensor),
    )  # fmt: skip


def of_gradient(
    noting: Noting | None, look: Look, tensor: Any, name: str, run: Run | None, key: int
) -> Cause | None:
    """Of the `.grad` of a tensor; None where that is finite. `run`: the last backward that is known to have
    reached it, under the number `key`.
    """
    grad = look.grad(tensor)
    if grad is None or look.finite(grad):
        return None
    leaf = None if noting is None else noting.gradients.known(tensor)
    since = NOTHING
    if run is None:
        case = "gradient-not-noted" if leaf is None else "gradient-made-elsewhere"
    else:
        visit = run.visits.get(key)
        if visit is None or not visit.incoming < _INF:
            case = "gradient-passed-through"
        else:
            case = "gradient-written"
            several = leaf is not None and leaf.kept > 1
            since = Phrase("since-or-before" if several else "since")
    shown = f"{name}.grad" if name else ".grad"
    return cause(
        "nonfinite-backward", case, None, shown,
        shown=shown, count=counted_in(grad), since=since, at=None if run is None else run.site,
    )  # fmt: skip


def counted_in(tensor: Any) -> Phrase:
    """As in: 1 NaN of 2 elements."""
    return counted(summarizer.summarize(tensor))


def counted(summary: model.TensorSummary | None) -> Phrase:
    """The same, of what is known of a tensor."""
    if summary is None or not (summary.nans or summary.infs):
        return Phrase("not-finite")
    nans, infs, count = summary.nans, summary.infs, prod(summary.shape)
    which = Phrase("both" if nans and infs else "nans" if nans else "infs", nans=nans, infs=infs)
    return Phrase("one-element" if count == 1 else "elements", which=which, count=count)

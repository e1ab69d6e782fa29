"""Gradients that a step used twice, and steps with what is not finite."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.debugger.explain import why
from vizgrad.debugger.explain.cause import Cause, cause
from vizgrad.debugger.explain.wording import leaf_name
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting


def find(noting: Noting) -> Iterator[Cause]:
    for leaf in noting.gradients.all():
        for run, stepped in leaf.reported[:1]:
            name = leaf_name(noting, leaf)
            yield cause(
                "grad-accumulated", "grad-accumulated", run.site, name, name=name, stepped=stepped
            )


def nonfinite(noting: Noting) -> Iterator[Cause]:
    """Of the leaves whose gradient is not finite at the end, the first with an answer."""
    for leaf in noting.gradients.all():
        tensor, run = leaf.tensor(), leaf.run
        grad = None if tensor is None else noting.look.grad(tensor)
        if grad is None or noting.look.finite(grad):
            continue
        if run is not None and any(
            ".scale(" in source_expressions.text_of(root.site) for root in run.roots
        ):
            continue  # a GradScaler looks for overflow, and skips the step
        explained = why.diagnose(noting, tensor, leaf_name(noting, leaf))
        if explained and explained.culprit is not None:
            yield explained
            return

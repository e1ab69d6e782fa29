"""Gradients that a step used twice, and steps with what is not finite."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import why
from vizgrad.debugger.explain.wording import code, leaf_name, line, said
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting


def find(noting: Noting) -> Iterator[Explanation]:
    for leaf in noting.gradients.all():
        for run, stepped in leaf.reported[:1]:
            name = leaf_name(noting, leaf)
            yield said(
                "grad-accumulated", run.site, name,
                f"backward on {line(run.site)} added to a gradient of {code(name)} that a step had "
                "used already, and the "
                f"step on {line(stepped)} used the sum: the old gradient counts again.",
                "call zero_grad() (or set .grad = None) before each backward",
            )  # fmt: skip


def nonfinite(noting: Noting) -> Iterator[Explanation]:
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
        explained = why.explain(noting, tensor, leaf_name(noting, leaf))
        if explained and explained.culprit is not None:
            yield explained
            return

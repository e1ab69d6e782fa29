"""Functions whose second run, within a backward, computed something else than the first."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.errors import Explanation, Place
from vizgrad.explaining.said import line, said
from vizgrad.provenance import written
from vizgrad.provenance.noting import Noting
from vizgrad.provenance.repeats import Result


def find(noting: Noting) -> Iterator[Explanation]:
    for result, function in noting.repeats.differences[:3]:
        yield explained(result, function)


def explained(result: Result, function: Place | None) -> Explanation:
    """`result`: the first that differs."""
    name = written.assigned(result.site) or written.variable(result.site) or result.op
    text = written.text_of(result.site) or result.op
    drawn = result.op.startswith(("rand", "dropout", "bernoulli", "normal", "multinomial"))
    return said(
        "not-repeatable", result.site or function, name,
        f"The checkpointed function ran again in backward, and `{text}` on {line(result.site)} gave "
        "another result than in the forward pass: the gradient is that of another computation.",
        "leave preserve_rng_state=True, or draw the random numbers outside and pass them in"
        if drawn
        else "let the function depend on its arguments alone: pass in what changes between the two runs",
    )  # fmt: skip

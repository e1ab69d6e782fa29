"""Functions whose second run, within a backward, computed something else than the first."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain.wording import code, line, said
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.repeated_functions import Difference


def find(noting: Noting) -> Iterator[Explanation]:
    yield from map(explained, noting.repeats.differences[:3])


def explained(difference: Difference) -> Explanation:
    result = difference.result
    name = (
        source_expressions.assigned(result.site)
        or source_expressions.variable(result.site)
        or result.op
    )
    text = source_expressions.text_of(result.site) or result.op
    drawn = result.op.startswith(("rand", "dropout", "bernoulli", "normal", "multinomial"))
    if not difference.computed:
        how = f"did something else: {result.op}, which {code(text)} on {line(result.site)} ran, "
        how += "was not run again"
        fix = "let both runs be the same: call train() or eval() after backward, not before, and let nothing "
        fix += "that changes in between decide what the function does"
    else:
        how = f"{code(text)} on {line(result.site)} gave another result than in the forward pass"
        fix = "let the function depend on its arguments alone: pass in what changes between the two runs"
        if drawn:
            fix = (
                "leave preserve_rng_state=True, or draw the random numbers outside and pass them in"
            )
    return said(
        "not-repeatable", result.site or difference.function, name,
        f"The checkpointed function ran again in backward, and {how}: the gradient would be that of another "
        "computation.",
        fix,
    )  # fmt: skip

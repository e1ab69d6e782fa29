"""All silent problems of a block, worst first: what makes results wrong, then what only costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import function_faults, kept_graphs, loss_faults, training_faults
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.watch.note_recorder import Noting

Find = Callable[[Noting], Iterator[Cause]]

#: In the order in which they are told.
_FINDERS: tuple[Find, ...] = (
    function_faults.untracked_writes,
    training_faults.nonfinite,
    loss_faults.suspects_of_losses,
    loss_faults.constant_terms,
    training_faults.accumulated,
    function_faults.custom_functions,
    function_faults.threads,
    function_faults.not_repeatable,
    training_faults.without_gradient,
    training_faults.steps_in_vain,
    training_faults.long_steps,
    training_faults.modes,
    training_faults.without_optimizer,
    function_faults.hooks,
    kept_graphs.carried,
    kept_graphs.cycles,
    kept_graphs.lists,
)
#: One of a kind at one line is enough; all together this many.
_MOST = 50


def all_of(noting: Noting) -> list[Explanation]:
    """The faults of a watched block, in words."""
    return [explain(cause) for cause in causes(noting)]


def causes(noting: Noting) -> list[Cause]:
    found: list[Cause] = []
    seen: set[object] = set()
    for find in _FINDERS:
        for cause in noting.guarded(list, find(noting)) or ():
            where = cause.culprit
            key = (cause.kind, cause.tensor if where is None else (where.file, where.line))
            if cause and key not in seen and len(found) < _MOST:
                seen.add(key)
                found.append(cause)
    return found

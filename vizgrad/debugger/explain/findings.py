"""All silent problems of a block, worst first: what makes results wrong, then what only costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import (
    accumulated_gradients,
    carried_state,
    custom_functions,
    hook_effects,
    module_modes,
    not_repeatable,
    parameters,
    retained_graphs,
    second_order_losses,
    untracked_writes,
    verified,
)
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.in_words import explain
from vizgrad.debugger.watch.note_recorder import Noting

Find = Callable[[Noting], Iterator[Cause]]

#: In the order in which they are told.
_FINDERS: tuple[Find, ...] = (
    untracked_writes.find,
    accumulated_gradients.nonfinite,
    verified.find,
    second_order_losses.find,
    accumulated_gradients.find,
    custom_functions.find,
    custom_functions.threads,
    not_repeatable.find,
    parameters.without_gradient,
    parameters.steps_in_vain,
    parameters.long_steps,
    module_modes.find,
    parameters.without_optimizer,
    hook_effects.find,
    carried_state.find,
    retained_graphs.cycles,
    retained_graphs.lists,
)
#: Of one kind at one line one is enough; of all together this many.
_MOST = 50


def all_of(noting: Noting) -> list[Explanation]:
    """What is wrong with a block that was listened to, in words."""
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

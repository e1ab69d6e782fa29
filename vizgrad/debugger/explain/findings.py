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
from vizgrad.debugger.explain.suggested_edit import with_mended
from vizgrad.debugger.watch.note_recorder import Noting

Find = Callable[[Noting], Iterator[Explanation]]

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
    found: list[Explanation] = []
    seen: set[object] = set()
    for find in _FINDERS:
        for explanation in noting.guarded(list, find(noting)) or ():
            where = explanation.culprit
            key = (
                explanation.kind,
                explanation.tensor if where is None else (where.file, where.line),
            )
            if explanation and key not in seen and len(found) < _MOST:
                seen.add(key)
                found.append(with_mended(explanation))
    return found

"""All silent problems of a block, worst first: what makes results wrong, then what only costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vizgrad.errors import Explanation
from vizgrad.explaining import (
    accumulated,
    carried,
    confirmed,
    functions,
    hidden,
    hooks,
    kept,
    layers,
    parameters,
    repeats,
    second,
)
from vizgrad.explaining.mended import with_mended
from vizgrad.provenance.noting import Noting

Find = Callable[[Noting], Iterator[Explanation]]

#: In the order in which they are told.
_FINDERS: tuple[Find, ...] = (
    hidden.find,
    accumulated.nonfinite,
    confirmed.find,
    second.find,
    accumulated.find,
    functions.find,
    functions.threads,
    repeats.find,
    parameters.without_gradient,
    parameters.long_steps,
    layers.find,
    parameters.without_optimizer,
    hooks.find,
    carried.find,
    kept.cycles,
    kept.lists,
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

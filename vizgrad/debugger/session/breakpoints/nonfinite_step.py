"""Where a NaN or an infinity was born: at a step to which only finite gradients came."""

from __future__ import annotations

from math import isfinite, prod
from typing import Any, cast

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.protocols import Bearing, Step


def birth_at(step: Step) -> model.Birth | None:
    """What a step made that is not finite, of gradients that are; None if nothing."""
    # Python 3.11 looks at every property to tell whether a protocol is kept, and a record takes long.
    bearing: Bearing | None = cast("Any", step) if hasattr(step, "birth") else None
    return birth_in(step.record) if bearing is None else bearing.birth()


def birth_in(record: model.StepRecord) -> model.Birth | None:
    """What its numbers say, of an engine that says no more."""
    visit = record.visit
    if any(map(_odd, visit.incoming)):
        return None
    made: list[tuple[int | None, model.TensorSummary | None]] = []
    for routed in visit.routed:
        made += [(routed.index, routed.computed), (routed.index, routed.routed)]
    made += [(None, arrival.after) for arrival in record.arrived]
    if visit.accumulate is not None:
        made.append((None, visit.accumulate.after))
    for edge, summary in made:
        if summary is not None and _odd(summary):
            size = prod(summary.shape)
            return model.Birth(visit.node, summary.nans, summary.infs, size, edge, _first(summary))
    return None


def _odd(summary: model.TensorSummary | None) -> bool:
    return summary is not None and bool(summary.nans or summary.infs)


def _first(summary: model.TensorSummary) -> tuple[int, ...] | None:
    """Where the first element is that is not finite, if the summary has all of them."""
    if summary.values is None or len(summary.values) != prod(summary.shape):
        return None
    at = next(at for at, value in enumerate(summary.values) if not isfinite(value))
    index: list[int] = []
    for size in reversed(summary.shape):
        at, place = divmod(at, size)
        index.append(place)
    return tuple(reversed(index))

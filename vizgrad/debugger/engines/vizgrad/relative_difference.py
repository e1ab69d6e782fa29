"""How far what arrived in one step is from what arrived in another."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot
from typing import Any

from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.debugger.engines.vizgrad.summary import summarize


@quiet
def apart(
    here: Sequence[Any], there: Sequence[Any]
) -> tuple[float | None, float | None, float | None]:
    """Norms of both, over all slots, and of the difference; None where nothing arrived, or it is not kept."""
    between: list[Any] = []
    for mine, other in zip(here, there, strict=False):
        if mine is None or other is None:
            between += [each for each in (mine, other) if each is not None]
        elif mine.shape != other.shape or is_sparse(mine) or is_sparse(other):
            return _norm(here), _norm(there), None
        else:
            between.append(mine - other)
    known = _norm(here) is not None and _norm(there) is not None
    return _norm(here), _norm(there), _norm(between) if known else None


def _norm(arrays: Sequence[Any]) -> float | None:
    norms = [summarize(array) for array in arrays if array is not None]
    found = [summary.norm for summary in norms if summary is not None and summary.norm is not None]
    return hypot(*found) if found else None

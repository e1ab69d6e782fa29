"""The tangents of saved values, in forward mode."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from typing import Any

from vizgrad.function.wrapped import Wrapped
from vizgrad.inspection import model
from vizgrad.stepping.summary import summarize, summarize_closely
from vizgrad.tensor.duals import DUALS, root_of, tangent_of
from vizgrad.tensor.tensor import Tensor

#: Elements of which all are told.
_FEW = 8


def tangents_of(saved: Any) -> tuple[model.TensorSummary, ...]:
    """Of a saved value in any form: one for each level of forward mode under which it has one."""
    if not DUALS.on:
        return ()
    found: list[model.TensorSummary] = []
    for tangent in _tangents(saved):
        few = tangent.numel() <= _FEW
        told = summarize_closely(tangent) if few else summarize(tangent)
        if told is not None:
            found.append(told)
    return tuple(found)


def _tangents(saved: Any) -> list[Tensor]:
    """Whichever thread asks: those of levels that are over are gone."""
    if not isinstance(saved, Tensor):
        kept = getattr(saved, "tangents", None)
        tangents = [] if kept is None else list(kept.of.values())
    else:
        holders = [t._rare.tangents for t in (saved, root_of(saved)) if t._rare is not None]
        levels = dict.fromkeys(level for each in holders if each is not None for level in each.of)
        tangents = [tangent_of(saved, level) for level in levels]
    return [t for t in tangents if t is not None and not isinstance(t, Wrapped)]

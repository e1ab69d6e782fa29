"""The tangents of saved values and of gradients, in forward mode."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.tensor.duals import DUALS, root_of, tangent_of
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.summary import summarize, summarize_closely

#: Elements of which all are told.
_FEW = 8


def tangents_of(value: Any) -> tuple[model.Tangent, ...]:
    """Of a gradient, or a saved value in any form: one for each level under which it has one."""
    return tuple(told(tangent._array) for tangent in tangents(value))


def with_tangents(summary: model.TensorSummary | None, value: Any) -> model.TensorSummary | None:
    """What is told of a gradient, with its tangents if it has some now."""
    found = tangents_of(value)
    return replace(summary, tangents=found) if summary is not None and found else summary


def told(array: Any) -> model.Tangent:
    """A tangent in numbers."""
    few = array.size <= _FEW
    found = summarize_closely(array) if few else summarize(array)
    assert found is not None  # of an array there is one
    return model.Tangent(found.norm, found.values, found.phases)


def tangents(value: Any) -> list[Tensor]:
    """The same as tensors. Whichever thread asks: those of levels that are over are gone."""
    if not DUALS.on:
        return []
    if not isinstance(value, Tensor):
        kept = getattr(value, "tangents", None)
        found = [] if kept is None else list(kept.of.values())
    else:
        holders = [t._rare.tangents for t in (value, root_of(value)) if t._rare is not None]
        levels = dict.fromkeys(level for each in holders if each is not None for level in each.of)
        found = [tangent_of(value, level) for level in levels]
    return [t for t in found if t is not None and not isinstance(t, Wrapped)]

"""The protocol of an engine for one backward whose gradients stay with the process that runs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.frameworks import engines_registered


@dataclass(frozen=True, slots=True)
class LocalBackward:
    """`arrived`: by node, in the order of the run, the norm of the gradient that arrived there (None: it was
    undefined); `seconds`: by node, how long it took.
    """

    graph: model.Graph
    arrived: Mapping[int, float | None]
    seconds: Mapping[int, float]


@singledispatch
def run_locally(loss: Any, names: Mapping[int, str], title: str) -> LocalBackward:
    """Runs the backward of `loss` to the gradients of its leaves, without the nodes that accumulate them:
    `.grad` does not change, and what is hooked to these nodes (an all-reduce of a distributed model) is not
    called. Other hooks and custom Functions are. The graph is kept.

    TypeError for what no engine knows, RuntimeError for a tensor without history, and what nodes raise.
    """
    if engines_registered():
        return run_locally(loss, names, title)
    raise TypeError(f"expected a tensor whose backward can be run, got {type(loss).__name__}")

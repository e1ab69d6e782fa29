"""A recomputation that was not the same as the forward."""

from __future__ import annotations

from typing import Any

from vizgrad.core.errors import explained, function_place

_FIX = (
    "let the function do the same whenever it is called with the same arguments: no counters or random "
    "numbers of its own, nothing changed in place that it reads, preserve_rng_state=True"
)
_HINT = " Pass debug=True to compare the operations one by one."


class CheckpointError(RuntimeError):
    """The function of a checkpoint did something else in backward than in forward."""


def not_the_same(function: Any, message: str, debug: bool) -> CheckpointError:
    """The error for what `message` says was noticed."""
    return explained(
        CheckpointError(f"vizgrad.utils.checkpoint: {message}{'' if debug else _HINT}"),
        kind="not-repeatable",
        culprit=function_place(function),
        fix=_FIX,
    )

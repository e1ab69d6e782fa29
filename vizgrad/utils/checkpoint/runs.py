"""The two runs of what is checkpointed: what watches listens here."""

from __future__ import annotations

from typing import Any


def first(call: Any, args: tuple[Any, ...], **named: Any) -> Any:
    """The run of the forward pass. `call` is the checkpointed call, with its `run_function`."""
    return call.run_function(*args, **named)


def again(call: Any, args: tuple[Any, ...], **named: Any) -> Any:
    """A run of the backward pass, which may end early."""
    return call.run_function(*args, **named)

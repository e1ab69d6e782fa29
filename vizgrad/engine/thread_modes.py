"""The modes of this thread that code of the user's may switch: a backward leaves none behind (M-10)."""

from __future__ import annotations

from typing import Any, NamedTuple

from vizgrad.graph.packing import set_saved_hooks
from vizgrad.tensor.modes import MODES, is_grad_enabled, leave_inference


class ThreadModes(NamedTuple):
    """What is to be put back after a visit, and after a backward."""

    grad: bool
    inference: Any
    multithreading: bool
    saved_hooks: Any


def modes_now() -> ThreadModes:
    return ThreadModes(is_grad_enabled(), MODES.inference, MODES.multithreading, MODES.saved_hooks)


def put_back(modes: ThreadModes) -> None:
    """Makes the modes of this thread `modes`; costs little where they are."""
    grad, inference, multithreading, saved_hooks = modes
    if (
        MODES.inference is inference
        and is_grad_enabled() is grad
        and MODES.saved_hooks is saved_hooks
        and MODES.multithreading is multithreading
    ):
        return
    leave_inference((modes.inference, modes.grad))
    MODES.multithreading = modes.multithreading
    if MODES.saved_hooks is not modes.saved_hooks:
        set_saved_hooks(modes.saved_hooks)

"""Backwards within backwards, as deep as one likes: the stack of each thread is limited, threads are not.

A hook or a custom Function may run a backward of its own, whose hooks may do the same (E-90). Every so
many levels the next one runs on a fresh thread, while this one waits: to the code that is run it looks
as if nothing had happened, because the thread gets all modes of the one that waits.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable

from vizgrad.tensor.modes import MODES, enter_inference, is_grad_enabled, set_grad_mode

#: Levels on one thread. A level takes some ten frames of Python's usual thousand.
LEVELS = 60

_CARRIED = (
    "anomaly", "check_nan", "multithreading", "scope", "recorder", "task", "on_record", "saved_hooks",
    "hooks_disabled", "before_write",
)  # fmt: skip


def on_another_thread(work: Callable[[], None]) -> None:
    """Runs `work` on a new thread in the modes of this one; waits, and raises what it raises."""
    modes = {name: getattr(MODES, name) for name in _CARRIED}
    grad, inference = is_grad_enabled(), MODES.inference is not None
    raised: list[BaseException] = []

    def run() -> None:
        for name, value in modes.items():
            setattr(MODES, name, value)
        if inference:
            enter_inference(True)
        before = set_grad_mode(grad)
        try:
            work()
        except BaseException as error:  # noqa: BLE001  raised again by the thread that waits
            raised.append(error)
        finally:
            set_grad_mode(before)
            if inference:
                enter_inference(False)

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name="vizgrad nested backward")
    thread.start()
    thread.join()
    if raised:
        try:
            raise raised[0]
        finally:  # this frame is in the error's traceback: it must not hold the error too
            raised.clear()

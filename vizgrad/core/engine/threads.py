"""Backwards within backwards: the stack of a thread is limited.

A hook or a custom Function may run a backward of its own, whose hooks may do the same (E-90): every so many
levels the next one runs on a fresh thread, while this one waits. To the code that is run it looks as if
nothing had happened, because the thread gets all modes of the one that waits.
"""

from __future__ import annotations

import contextvars
import ctypes
import threading
import time
from collections.abc import Callable

from vizgrad.core.arrays.backend import get_default_device, set_default_device
from vizgrad.core.tensor.modes import MODES, enter_inference, is_grad_enabled, set_grad_mode

#: Levels on one thread. A level takes some ten frames of Python's usual thousand.
LEVELS = 60

_CARRIED = (
    "anomaly", "check_nan", "multithreading", "scope", "recorder", "task", "on_record", "saved_hooks",
    "hooks_disabled", "before_write", "keep_before_write", "levels", "transforms",
)  # fmt: skip


class _Helpers(threading.local):
    """The threads that run this one's nested backwards, outermost first; all of them have one list."""

    chain: list[threading.Thread] | None = None


_HELPERS = _Helpers()


def on_another_thread(work: Callable[[], None]) -> None:
    """Runs `work` on a new thread in the modes of this one; waits, and raises what it raises.

    An interrupt (Ctrl-C reaches the main thread, which only waits) is raised where the work is done.
    """
    modes = {name: getattr(MODES, name) for name in _CARRIED}
    grad, inference = is_grad_enabled(), MODES.inference is not None
    device = get_default_device()
    chain = _HELPERS.chain
    if chain is None:
        chain = _HELPERS.chain = []
    raised: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        _HELPERS.chain = chain
        for name, value in modes.items():
            setattr(MODES, name, value)
        if inference:
            enter_inference(True)
        before = set_grad_mode(grad)
        set_default_device(device)
        try:
            work()
        except BaseException as error:  # noqa: BLE001  raised again by the thread that waits
            raised.append(error)
        finally:
            set_grad_mode(before)
            if inference:
                enter_inference(False)
            done.set()

    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(run,), name="vizgrad nested backward")
    chain.append(thread)
    interrupt: BaseException | None = None
    try:
        interrupt = _until(done, thread, chain)
        if interrupt is not None:
            raise interrupt from (raised[0] if raised else None)
        if raised:
            raise raised[0]
    finally:
        chain.remove(thread)
        # this frame is in the errors' tracebacks: it must not hold the errors too
        interrupt = None
        raised.clear()


def _until(
    done: threading.Event, thread: threading.Thread, chain: list[threading.Thread]
) -> BaseException | None:
    """Starts `thread` and waits until it is `done`; returns what was raised here meanwhile, having passed
    it on. (Not by `Thread.join`: interrupted, it believes, before Python 3.13, that the thread has ended.)
    """
    interrupt: BaseException | None = None
    step = thread.start
    while not done.is_set():
        try:
            step()
        except BaseException as error:  # KeyboardInterrupt, or what a signal's handler raises
            if step == thread.start and not _has_begun(thread):
                raise
            interrupt = error
            _interrupt(chain[-1], type(error))
        step = done.wait
    thread.join()
    return interrupt


def _has_begun(thread: threading.Thread) -> bool:
    """Does it run, although `start` was interrupted?"""
    deadline = time.monotonic() + 1
    while thread.ident is None and time.monotonic() < deadline:
        time.sleep(0.001)
    return thread.ident is not None


def _interrupt(thread: threading.Thread, error: type[BaseException]) -> None:
    """Raises `error` in a thread, at its next instruction of Python's."""
    if thread.ident is not None:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(error)
        )

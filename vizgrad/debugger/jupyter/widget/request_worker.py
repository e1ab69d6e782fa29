"""Where what a view asks for is done, one thing after another, away from the thread its messages come on.

So a request to pause is heard while a long move runs. A move is made on the main thread where that is idle:
there an interrupt of the kernel ends whatever waits, and a person's hooks find what they expect. If the
message itself came on the main thread it has to be free for the next, and the move is made on the desk's own.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any

from vizgrad.debugger.session import registry

#: Seconds after which a desk with nothing to do gives its thread back.
LINGERS = 10.0
#: Seconds that the main thread has to begin with something, or it is not idle.
CLAIM = 0.05


class Desk:
    """`do(content, on_main)` is called for each thing that is put there, in order."""

    def __init__(self, do: Callable[[object, bool], None]) -> None:
        self._do = do
        self._lock = threading.Lock()
        self._queue: SimpleQueue[tuple[Context, object, bool]] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def put(self, content: object) -> None:
        """`content` is done soon, in the context of the caller."""
        from_main = threading.current_thread() is threading.main_thread()
        with self._lock:
            self._queue.put((copy_context(), content, not from_main))
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="a view", daemon=True)
                try:
                    self._thread.start()
                except RuntimeError:  # in a browser there are no threads: it is done here
                    self._thread = None
                else:
                    return
            else:
                return
        context, content, on_main = self._queue.get()
        context.run(self._do, content, on_main)

    def _work(self) -> None:
        while True:
            try:
                context, content, on_main = self._queue.get(timeout=LINGERS)
            except Empty:
                with self._lock:
                    if self._queue.empty():
                        self._thread = None
                        return
                continue
            context.run(self._do, content, on_main)


class MainThread:
    """The main thread of a kernel, which can be given something to do while it is idle."""

    def __init__(self) -> None:
        #: Puts a call before the main thread; None outside of a kernel.
        self.call_soon: Callable[[Callable[[], None]], None] | None = None
        #: The same after so many seconds.
        self.call_later: Callable[[float, Callable[[], None]], None] | None = None
        #: A cell is being run; how many have begun.
        self.busy = False
        self.cells = 0

    def do(self, work: Callable[[], Any]) -> Any:
        """The result of `work()`: on the main thread if it is idle, else here."""
        if self.call_soon is None or self.busy:
            return work()
        call = _Call(work)
        self.call_soon(call.run)
        return call.result() if call.is_begun() else work()


MAIN = MainThread()


class _Call:
    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._context = copy_context()
        self._lock = threading.Lock()
        self._state = "waits"
        self._begun, self._ended = threading.Event(), threading.Event()
        self._value: Any = None
        self._error: BaseException | None = None

    def run(self) -> None:
        with self._lock:
            if self._state == "given up":
                return
            self._state = "begun"
        self._begun.set()
        try:
            self._value = self._context.run(self._work)
        except BaseException as error:  # noqa: BLE001  it is raised where the result is wanted
            self._error = error
        self._ended.set()

    def is_begun(self) -> bool:
        """Has the main thread begun with it, in time? If not, it never will."""
        if not self._begun.wait(CLAIM):
            with self._lock:
                if self._state == "waits":
                    self._state = "given up"
                    return False
        return True

    def result(self) -> Any:
        self._ended.wait()
        error, self._error = self._error, None
        try:
            if error is not None:
                raise error
            return self._value
        finally:
            error = None  # its traceback refers to this frame


# --- interrupts of the kernel stop moves that views have asked for ----------------------------------


class _Listening:
    """A handler of interrupts before the one that was there."""

    def __init__(self, before: Callable[[int, FrameType | None], Any] | None) -> None:
        self._before = before

    def __call__(self, number: int, frame: FrameType | None) -> None:
        for session in registry.sessions():
            session.interrupt(elsewhere=True)
        if self._before is not None:
            self._before(number, frame)


def listen_for_interrupts() -> None:
    """Called on the main thread: while it is idle, and anew when a cell begins, for which the kernel has
    put another handler.
    """
    now = signal.getsignal(signal.SIGINT)
    if now is not None and not isinstance(now, _Listening):
        signal.signal(signal.SIGINT, _Listening(now if callable(now) else None))


# --- messages of a view come where its page sends them: on a subshell, so that it answers -----------


def listen_where_asked(comm: Any) -> None:
    """`comm` takes each message on the shell that the page named.

    ipykernel 7.4 and later take it on the shell that wrote to the comm last, for programs that wait there for
    a reply. A cell that moves a session writes to its views: they would wait for the end of that cell.
    """
    if hasattr(comm, "_reply_subshell_for"):
        comm._reply_subshell_for = _asked


def _asked(data: Any, subshell: str | None) -> str | None:
    return subshell

"""A move of a session that is under way: how far it is is told while it runs, and others can stop it.

It stops between two nodes. Where one takes long and runs Python of a person's (a custom Function, a hook), it
is stopped within, after a moment of patience.
"""

from __future__ import annotations

import ctypes
import signal
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from types import FrameType
from typing import Literal, Self

from vizgrad.core.progress import CLOCK, Line
from vizgrad.debugger import model

#: Seconds after which a move is told of to views, and is shown as text.
TOLD_AFTER, SHOWN_AFTER = 0.25, 0.5
#: Seconds between telling twice.
EVERY = 0.2
#: Seconds that a node has to come to its end when the user wants to stop.
PATIENCE = 0.4

#: A view shows the progress of a move: it is not written as text.
_shown_elsewhere: ContextVar[bool] = ContextVar("shown_elsewhere", default=False)


@dataclass(frozen=True, slots=True)
class Work:
    """How far a move is: `done` of `total` steps, and `node` has been running for `seconds`; over, if not
    `running`. `calling`: the collectives that the node has called.
    """

    running: bool
    done: int = 0
    total: int = 0
    node: int | None = None
    seconds: float = 0.0
    calling: tuple[model.Collective, ...] = ()


class Halt(Exception):
    """The user has asked to pause."""


class Moving:
    """`tell` is told how far it is: `far()` gives, from any thread, the steps done and the node that runs."""

    def __init__(
        self,
        far: Callable[[], tuple[int, int | None]],
        total: int,
        tell: Callable[[Work], None],
        called: Callable[[int], str],
        engine: str = "",
        calling: Callable[[], tuple[model.Collective, ...]] = tuple,
    ) -> None:
        """`engine`: the package of the engine that runs the nodes; what waits there is no person's code.
        `calling()` gives the collectives that the node which runs has called.
        """
        self._calling = calling
        self._engine = engine
        self._alone = False
        self._far, self._total, self._tell, self._called = far, total, tell, called
        self._lock = threading.Lock()
        self._thread = threading.get_ident()
        self._on_main = threading.current_thread() is threading.main_thread()
        self._began = self._since = monotonic()
        self._at: tuple[int, int | None] = -1, None
        self._told = 0.0
        self._line = None if _shown_elsewhere.get() else Line(total, "backward", "node")
        self.wanted: Literal["", "pause", "interrupt"] = ""
        self._wanted_at = 0.0
        #: A signal is on its way that only asks whether Python of a person's runs.
        self.nudged = False
        self._thrown = False

    def __enter__(self) -> Self:
        CLOCK.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self._leave()
        except KeyboardInterrupt:
            if not self._thrown:
                raise
            self._leave()  # it came too late to stop anything
        if self._thrown:
            _catch_late(self._thread)

    def _leave(self) -> None:
        with self._lock:
            CLOCK.remove(self)
            if self._line is not None:
                self._line.close()
        if self._told:
            self._tell(Work(running=False))

    @property
    def is_here(self) -> bool:
        """Is it on the thread that asks?"""
        return self._thread == threading.get_ident()

    def ask(self, how: Literal["pause", "interrupt"]) -> None:
        """Stop! May be called from any thread."""
        if not self.wanted:
            self._wanted_at = monotonic()
        self.wanted = how

    def leave_alone(self) -> None:
        """From now on nothing is sent to the thread."""
        with self._lock:
            self._alone = True

    def is_persons(self, frame: FrameType | None) -> bool:
        """Does code of a person's run there, called by a node of the run?"""
        return runs_python(frame, self._engine)

    def check(self) -> None:
        """Called between two steps. Raises Halt, or KeyboardInterrupt, where the user wants to stop."""
        if self.wanted:
            raise KeyboardInterrupt if self.wanted == "interrupt" else Halt

    def tick(self) -> None:
        """Called again and again from another thread."""
        with self._lock:
            now = monotonic()
            done, node = at = self._far()
            if at != self._at:
                self._at, self._since = at, now
            seconds = now - self._since
            if now - self._began >= TOLD_AFTER and now - self._told >= EVERY:
                self._told = now
                self._tell(Work(True, done, self._total, node, seconds, self._calling()))
            if self._line is not None and now - self._began >= SHOWN_AFTER:
                words = (
                    "" if node is None or seconds < 1 else f"{self._called(node)} · {seconds:.0f} s"
                )
                self._line.show(done, words)
            if self.wanted and now - self._wanted_at > PATIENCE:
                self._nudge()

    def _nudge(self) -> None:
        frame = sys._current_frames().get(self._thread)  # pyright: ignore[reportPrivateUsage]  the only way
        if self._alone or not self.is_persons(frame):
            return
        if self._on_main and hasattr(signal, "pthread_kill"):
            self.nudged = True
            signal.pthread_kill(self._thread, signal.SIGINT)  # ends what waits, too
        elif not self._thrown:
            self._thrown = True
            ctypes.pythonapi.PyThreadState_SetAsyncExc(
                ctypes.c_ulong(self._thread), ctypes.py_object(KeyboardInterrupt)
            )


def _catch_late(thread: int) -> None:
    """An exception that was thrown into this thread and was not raised yet is raised and caught.

    To take it back would leave CPython 3.11 asking at each call whether it has come, and a thread that is
    traced (by a debugger, by coverage) never gets beyond that question.
    """
    try:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt)
        )
        for _ in range(1000):  # it is raised at a jump back
            pass
    except KeyboardInterrupt:
        pass


@contextmanager
def shown_elsewhere() -> Generator[None]:
    """Moves made in the block are not written as text: the caller shows their progress."""
    token = _shown_elsewhere.set(True)
    try:
        yield
    finally:
        _shown_elsewhere.reset(token)


def told_as_text() -> bool:
    """Does nobody but a cell or a terminal show what a move does?"""
    return not _shown_elsewhere.get()


def runs_python(frame: FrameType | None, engine: str = "") -> bool:
    """Does code of a person's run there, called by a node of the run? That of `engine` is none."""
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if module == _HOME:
            return False
        if engine and module.startswith(engine):
            frame = frame.f_back
            continue
        if is_persons(frame):
            return True
        frame = frame.f_back
    return False


def is_persons(frame: FrameType) -> bool:
    """Is it code of a person's? vizgrad runs some of its own without the name of a module."""
    module = frame.f_globals.get("__name__")
    if module is None and frame.f_code.co_filename.startswith(_PACKAGE):
        return False
    return is_persons_module(module)


def is_persons_module(module: str | None) -> bool:
    """Is it neither of a library that engines are made of, nor Python's own?"""
    top = (module or "").partition(".")[0]
    return top not in _NOT_A_PERSONS and top not in sys.stdlib_module_names


#: The module from which moves are made: the code that called it is not of the run.
_HOME = f"{__name__.rpartition('.')[0]}.run_control"
_PACKAGE = str(Path(__file__).parents[2])
_NOT_A_PERSONS = frozenset({__name__.partition(".")[0], "numpy", "cupy", "ml_dtypes", "torch"})


# --- what is told between two steps of a move that takes long -------------------------------------------

# All of it on the thread of the move, which owns the session: the run stands there as between two moves, and
# nobody sees half a step. It takes a small share of the time.


#: Seconds before the first piece, and between two.
FIRST_PIECE, NEXT_PIECE = 0.4, 0.25
#: The run then goes on for so many times as long as a piece took.
SHARE = 5


class Pieces:
    """The pieces of one move. `publish()` sends the changes since its last call."""

    def __init__(self, publish: Callable[[], None]) -> None:
        self._publish = publish
        #: There was one.
        self.told = False
        self._due = perf_counter() + FIRST_PIECE
        self._lock = threading.Lock()
        self._over = False
        self._asked: list[Callable[[], None]] = []

    def ask(self, look: Callable[[], None]) -> bool:
        """`look()` is called soon, at the latest when the move is over; False if it is. From any thread."""
        with self._lock:
            if not self._over:
                self._asked.append(look)
            return not self._over

    def between(self) -> None:
        """The run stands between two steps."""
        began = perf_counter()
        if began < self._due:
            return
        self._publish()
        self.told = True
        self._look()
        took = perf_counter() - began
        self._due = began + took + max(NEXT_PIECE, SHARE * took)

    def end(self) -> None:
        """The move is over, and told."""
        self._look(last=True)

    def _look(self, *, last: bool = False) -> None:
        with self._lock:
            self._over = last
            asked, self._asked = self._asked, []
        for look in asked:
            look()


# --- interrupts: one that comes while a node runs waits until that is done -------------------------------


@contextmanager
def between_steps(moving: Moving) -> Generator[None]:
    """Lets an interrupt stop the move between two steps, or where Python of a person's runs for long.

    A second interrupt is not waited for: it ends a node that does not come to an end. Only the main thread
    is interrupted in Python; on another this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before is None:  # it was not set from Python, and could not be set again
        yield
        return

    def note(number: int, frame: FrameType | None) -> None:
        if moving.nudged:
            moving.nudged = False
            if moving.is_persons(frame):
                raise KeyboardInterrupt
        elif moving.wanted == "interrupt":
            if callable(before):
                before(number, frame)  # the handler of interrupts hears this one
            raise KeyboardInterrupt
        else:
            moving.ask("interrupt")

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        moving.leave_alone()  # an earlier interrupt is handled here, not by the next handler
        signal.signal(signal.SIGINT, before)
    if moving.wanted == "interrupt":
        raise KeyboardInterrupt

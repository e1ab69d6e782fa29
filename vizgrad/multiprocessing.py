"""Processes that run a function each, as torch.multiprocessing: the names of Python's `multiprocessing`, and
`spawn`, by which programs start the ranks of `vizgrad.distributed`.

A tensor that is sent to another process is copied: no memory is shared.
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from multiprocessing import *  # noqa: F403  # pyright: ignore[reportWildcardImportFromLibrary]  its names are these
from multiprocessing import connection, get_context
from time import monotonic
from typing import Any

from vizgrad.core.errors import warn_outside

#: Seconds that the other processes have to end after one has failed, before they are killed.
GRACE = 30.0
#: Characters of a traceback that are sent: a pipe holds them until the process has ended.
MOST = 15_000


class ProcessException(Exception):
    """A process has failed: `error_index` says which of those that were started, `error_pid` its number."""

    def __init__(self, msg: str, error_index: int, pid: int) -> None:
        super().__init__(msg)
        self.msg = msg
        self.error_index = error_index
        self.pid = pid

    def __reduce__(self) -> Any:
        return type(self), (self.msg, self.error_index, self.pid)


class ProcessRaisedException(ProcessException):
    """Its function has raised; the message has the traceback."""


class ProcessExitedException(ProcessException):
    """It has ended with an exit status, or by a signal, before its function returned."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:  # fmt: skip
        super().__init__(msg, error_index, error_pid)
        self.exit_code = exit_code
        self.signal_name = signal_name

    def __reduce__(self) -> Any:
        return type(self), (
            self.msg, self.error_index, self.pid, self.exit_code, self.signal_name,
        )  # fmt: skip


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Runs `fn(i, *args)` in `nprocs` new processes, i from 0.

    With `join` it waits for all, and raises ProcessRaisedException or ProcessExitedException for the first
    that fails, after the others were ended; else it returns a `ProcessContext`.
    """
    if start_method != "spawn":
        warn_outside(
            f"This method only supports start_method=spawn (got: {start_method}); "
            "start_processes takes others",
            FutureWarning,
        )
    return start_processes(fn, args, nprocs, join, daemon, "spawn")


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`spawn`, by another `start_method` ("fork", "forkserver")."""
    context: Any = get_context(start_method)
    processes: list[Any] = []
    errors: list[connection.Connection] = []
    for number in range(nprocs):
        reader, writer = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(fn, number, args, writer), daemon=daemon)
        process.start()
        writer.close()
        processes.append(process)
        errors.append(reader)
    started = ProcessContext(processes, errors)
    if not join:
        return started
    while not started.join():
        pass
    return None


def _run(
    fn: Callable[..., Any], number: int, args: tuple[Any, ...], errors: connection.Connection
) -> None:
    """In the new process: an interrupt of the terminal ends it silently, as its parent is told of it, too."""
    try:
        fn(number, *args)
    except KeyboardInterrupt:
        pass
    except Exception:  # noqa: BLE001  raised in the parent
        errors.send(traceback.format_exc()[-MOST:])
        sys.exit(1)


class ProcessContext:
    """The processes that `spawn` has started."""

    def __init__(self, processes: Sequence[Any], errors: Sequence[connection.Connection]) -> None:
        self.processes = list(processes)
        self._errors = list(errors)
        self.sentinels = {process.sentinel: number for number, process in enumerate(self.processes)}

    def pids(self) -> list[int]:
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Waits until a process ends, for `timeout` seconds at most. Have all ended, and well?

        After a failure the others are ended (killed after `grace_period` seconds, 30 if not given), and what
        `spawn` raises is raised.
        """
        if not self.sentinels:
            return True
        failed = None
        for sentinel in connection.wait(list(self.sentinels), timeout):
            number = self.sentinels.pop(sentinel)
            process = self.processes[number]
            process.join()
            if process.exitcode != 0:
                failed = number
                break
        if failed is None:
            return not self.sentinels
        self._end_others(GRACE if grace_period is None else grace_period)
        raise self._error(failed)

    def _end_others(self, grace: float) -> None:
        alive = [process for process in self.processes if process.is_alive()]
        for process in alive:
            process.terminate()
        until = monotonic() + grace
        for process in alive:
            process.join(max(0.0, until - monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        self.sentinels.clear()

    def _error(self, number: int) -> ProcessException:
        process = self.processes[number]
        code, errors = process.exitcode, self._errors[number]
        if code < 0:
            name = _signal_name(-code)
            text = f"process {number} terminated with signal {name}"
            return ProcessExitedException(text, number, process.pid, code, name)
        if errors.poll():
            try:
                told = errors.recv()
            except EOFError:
                told = None
            if told is not None:
                text = f"\n\n-- Process {number} terminated with the following error:\n{told}"
                return ProcessRaisedException(text, number, process.pid)
        text = f"process {number} terminated with exit code {code}"
        return ProcessExitedException(text, number, process.pid, code)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"<Unknown signal {number}>"


def get_all_sharing_strategies() -> set[str]:
    """None: tensors are copied from process to process."""
    return set()


__all__ = ["ProcessContext", "ProcessException", "ProcessExitedException", "ProcessRaisedException"]
__all__ += ["spawn", "start_processes"]
__all__ += multiprocessing.__all__

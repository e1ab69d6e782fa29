"""Tracebacks in a notebook, without the frames of vizgrad and of PyTorch's backward.

IPython hides a frame that has a local variable `__tracebackhide__`, except the last one: in its tracebacks,
and in ``%debug``. Frames get that variable where an error is shown, so that nothing costs before; those
of vizgrad at the end of a traceback are left out of what is shown, and so is what leads to a cell that a
magic runs. The exception keeps all of its traceback.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

from IPython.core.interactiveshell import InteractiveShell

#: The local variable of a hidden frame: IPython's and pytest's word.
_HIDDEN = "__tracebackhide__"
#: Modules of PyTorch that call and run a backward.
_MACHINERY = ("torch._tensor", "torch.overrides", "torch.autograd")


class Tracebacks:
    """The tracebacks of one shell, from `begin` to `end`. `full` says whether all frames are to be shown."""

    def __init__(self, shell: Any, full: Callable[[], bool]) -> None:
        self._formatter = shell.InteractiveTB
        self._formats: Callable[..., Any] = self._formatter.structured_traceback
        self._full = full

    def begin(self) -> None:
        self._formatter.structured_traceback = self._format

    def end(self) -> None:
        """IPython's own again."""
        del self._formatter.structured_traceback

    def _format(self, etype: Any, evalue: Any, etb: Any = None, *args: Any, **kwargs: Any) -> Any:
        """In place of the formatter's own method, which has more arguments in some versions."""
        try:
            shown = self._shown(evalue, etb)
        except Exception:  # noqa: BLE001  an error is shown, however it is
            shown = etb
        return self._formats(etype, evalue, shown, *args, **kwargs)

    def _shown(self, error: Any, trace: Any) -> Any:
        """The traceback to show; its frames, and those of the errors that led to it, are marked."""
        hidden = not self._full()
        seen: set[int] = set()
        cause = error
        while cause is not None and id(cause) not in seen:
            seen.add(id(cause))
            mark(cause.__traceback__, hidden=hidden)
            cause = cause.__cause__ or cause.__context__
        mark(trace, hidden=hidden)
        return shortened(trace) if hidden and isinstance(trace, TracebackType) else trace


def is_ours(frame: FrameType) -> bool:
    """Does it belong to vizgrad, or to the machinery of PyTorch's backward?"""
    if frame.f_code.co_filename.startswith("<vizgrad"):
        return True
    module = str(frame.f_globals.get("__name__", ""))
    return module.partition(".")[0] == "vizgrad" or module.startswith(_MACHINERY)


def mark(trace: TracebackType | None, *, hidden: bool) -> None:
    while trace is not None:
        frame = trace.tb_frame
        if is_ours(frame):
            frame.f_locals[_HIDDEN] = hidden
        trace = trace.tb_next


def shortened(trace: TracebackType) -> TracebackType:
    """A copy from the innermost cell to the last frame of others; the traceback itself if nothing of others
    is in it. The first frame stays that of IPython.
    """
    links: list[TracebackType] = []
    link: TracebackType | None = trace
    while link is not None:
        links.append(link)
        link = link.tb_next
    first = max((at for at, each in enumerate(links) if runs_cells(each.tb_frame)), default=0)
    last = max((at for at, each in enumerate(links) if not is_ours(each.tb_frame)), default=0)
    if last <= first:
        return trace
    copy: TracebackType | None = None
    for each in reversed(links[first : last + 1]):
        copy = TracebackType(copy, each.tb_frame, each.tb_lasti, each.tb_lineno)
    return copy or trace


def runs_cells(frame: FrameType) -> bool:
    """Is it IPython's frame that executes the code of a cell?"""
    return frame.f_code is _RUN_CODE


_RUN_CODE = InteractiveShell.run_code.__code__


@contextmanager
def shown_once(shell: Any) -> Generator[None]:
    """Errors of a cell that is run within are not shown: the magic that runs it raises them again."""
    before = shell.custom_exceptions, shell.CustomTB
    shell.set_custom_exc((Exception,), _not_shown)
    try:
        yield
    finally:
        shell.custom_exceptions, shell.CustomTB = before


def _not_shown(*_: Any, **__: Any) -> None:
    """It is raised again."""

"""``%%vizgrad debug``: runs a cell up to a backward, and opens that.

The cell ends there, by an exception that no ``except Exception`` takes for its own, and is told kindly; what
its frames knew is kept. A cell that only paused would keep the kernel from running others, or run in a thread
of its own, where grad mode, signals and libraries are not those that it was written for (design note 0023).
With ``--each`` it does wait, inside the call of backward, while the view steps; the kernel is busy then.
"""

from __future__ import annotations

import shlex
import sys
import threading
from collections import ChainMap
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from types import BuiltinFunctionType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

from vizgrad.autograd.running import Call, asking
from vizgrad.core.arrays import xp
from vizgrad.core.errors import Place, place_of
from vizgrad.core.interpreter import locals_of
from vizgrad.core.tensor.source_location import INTERNAL, Site
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger import api
from vizgrad.debugger.engines.api.frameworks import intercepting, of_framework
from vizgrad.debugger.engines.api.summarizer import summarize
from vizgrad.debugger.expressions import Elements, Expression, Gradient, parse
from vizgrad.debugger.jupyter.magics.line_commands import UsageError
from vizgrad.debugger.jupyter.widget.commtarget import running_cell
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.opening import CallingFrame
from vizgrad.debugger.session.session import Session

USAGE = "usage: %%vizgrad debug [NAME] [--at N] [--when CONDITION] [--each]"
#: Frames beyond these are not kept.
MOST_FRAMES = 50
#: Seconds between two looks at whether the person has interrupted a wait.
_GLANCE = 0.1

#: Names that were left in the namespace, with what: they may be exchanged.
_left: dict[str, Any] = {}


class Reached(BaseException):
    """A cell is stopped before a backward. Not an Exception: a training loop may catch these."""

    def __init__(self, session: Session | None) -> None:
        super().__init__("the cell was stopped before a backward")
        self.session = session


class _OfCall(dict[str, Any]):
    """Names of a call of backward; each is computed when a condition speaks of it."""

    def __getitem__(self, name: str) -> Any:
        return super().__getitem__(name)()


def names_of(call: Call, frames: tuple[CallingFrame, ...], count: int) -> Mapping[str, Any]:
    """The names in `--when`: `loss`, which the backward starts from (the first of several), `grad`, the
    gradient that it starts with, `finite` and `nonfinite`, said of the loss, `backward`, which counts those
    of the cell from 1, and the variables of the calling frames. `step` is the variable of that name, and
    how many backwards came before if there is none.
    """
    several = isinstance(call.tensors, list | tuple)
    loss = call.tensors[0] if several else call.tensors
    gradient = call.gradient[0] if several and call.gradient else call.gradient

    def grad() -> Gradient | None:
        given = xp.ones(Elements(source=loss).shape) if gradient is None else gradient
        summary = summarize(given)
        return None if summary is None else Gradient(summary, lambda: given)

    def nonfinite() -> bool:
        summary = summarize(loss)
        return summary is not None and bool(summary.nans or summary.infs)

    of_call = _OfCall(
        loss=lambda: loss,
        grad=grad,
        nonfinite=nonfinite,
        finite=lambda: not nonfinite(),
        backward=lambda: count,
    )
    locals_ = [_spoken_of(frame) for frame in frames]
    return ChainMap(of_call, *locals_, {"step": count - 1})


def _spoken_of(frame: CallingFrame) -> dict[str, Any]:
    """The variables of a frame that a condition can speak of: a refusal lists these."""
    return {
        name: value
        for name, value in frame.locals.items()
        if not isinstance(value, _NO_DATA) and name not in _OF_IPYTHON
    }


#: Values without data of their own; and what IPython puts into the namespace of a notebook.
_NO_DATA = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)
_OF_IPYTHON = frozenset({"In", "Out", "exit", "quit", "get_ipython", "open"})


@dataclass(frozen=True, slots=True)
class Wanted:
    """Where a cell is to stop: before its backward number `at` or later, if `when` holds."""

    name: str = ""
    at: int = 1
    when: Expression | None = None
    each: bool = False


def wanted(text: str) -> Wanted:
    """The arguments of ``%%vizgrad debug``; UsageError for unknown ones."""
    name, at, when, each = "", 1, None, False
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"{error}; {USAGE}") from None
    while words:
        word = words.pop(0)
        if word == "--each":
            each = True
        elif word == "--at":
            at = _number(words)
        elif word == "--when":
            when = _condition(words)
        elif word.isidentifier() and not name:
            name = word
        else:
            raise UsageError(f"{word!r} is not understood; {USAGE}")
    return Wanted(name, at, when, each)


def _number(words: list[str]) -> int:
    if not words or not words[0].isdecimal() or int(words[0]) < 1:
        raise UsageError(f"--at takes the number of a backward, from 1; {USAGE}")
    return int(words.pop(0))


def _condition(words: list[str]) -> Expression:
    if not words:
        raise UsageError(f'--when takes a condition, as in --when "loss > 10"; {USAGE}')
    try:
        return parse(words.pop(0), example="'loss > 10', 'isnan(loss)' or 'step == 37'")
    except ValueError as error:
        raise UsageError(str(error)) from None


class Stopping:
    """Is asked before each backward of the cell."""

    def __init__(self, shell: Any, where: Wanted) -> None:
        self._shell = shell
        self._where = where
        self._thread = threading.get_ident()
        #: A session is open: its own backwards, and those of hooks, are no new ones.
        self._within = False
        self.count = 0
        self.sessions: list[Session] = []

    def ask(self, call: Call) -> bool:
        """Whether it was run. Raises Reached where the cell is to end."""
        if self._within or threading.get_ident() != self._thread:
            return False
        self.count += 1
        frames = tuple(calling_frames())
        if not self._is_wanted(call, frames):
            return False
        self._within = True
        try:
            if not self._where.each:  # above the view: the reason comes first
                print(self._stopped())  # noqa: T201  what the magic answers
            session = api.debug(
                call.tensors,
                call.gradient,
                retain_graph=call.retain_graph,
                create_graph=call.create_graph,
                inputs=call.inputs,
                display=False if self._where.each else None,
            )
            session.frames = frames
            if self._where.each:  # several views below each other
                session.title = f"{session.title or 'backward'} {self.count}"
                if api.in_notebook():
                    api.show(session)
            self.sessions.append(session)
            leave(self._shell, call, frames, self._where.name, session)
            if not self._where.each:
                raise Reached(session)
            self._wait(session)
        finally:
            self._within = False
        return True

    def _stopped(self) -> str:
        when = self._where.when
        holds = "" if when is None else f", where `{when.text}` holds"
        return f"Stopped before backward {self.count} of this cell{holds}; the rest of the cell was not run."

    def _is_wanted(self, call: Call, frames: tuple[CallingFrame, ...]) -> bool:
        where = self._where
        if self.count < where.at:
            return False
        return where.when is None or where.when.holds(names_of(call, frames, self.count))

    def _wait(self, session: Session) -> None:
        """Until the session is at its end, where the cell goes on, or closed, where it ends."""
        print(  # noqa: T201  told in the cell that waits
            f"backward {self.count}: the cell waits here. Continue to the end resumes it; Stop, or an "
            "interrupt of the kernel, ends it."
        )
        over = threading.Event()

        def heard(update: Any) -> None:
            if update.status != "paused":
                over.set()

        listening = session.listen(heard, owner="a cell that waits")
        try:
            while session.status == "paused" and not over.wait(_GLANCE):
                pass
        finally:
            listening.end()
        if session.status == "failed":
            session.raise_error()
        if session.status != "finished":
            raise Reached(None)


def calling_frames() -> list[CallingFrame]:
    """The person's own frames, from the one that calls backward to that of the cell."""
    found: list[CallingFrame] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and len(found) < MOST_FRAMES:
        code = frame.f_code
        package = frame.f_globals.get("__package__")
        if INTERNAL[package] is False and not of_framework(package):
            place = in_notebook(place_of(Site(code, frame.f_lasti)), code.co_filename)
            of_cell = code.co_name == "<module>"
            name = "the cell" if of_cell else code.co_qualname
            found.append(CallingFrame(name, place, dict(locals_of(frame))))
            if of_cell:
                break
        frame = frame.f_back
    return found


def in_notebook(place: Place | None, file: str) -> Place | None:
    """A place in the cell that runs as the notebook has it: its number is not that of the part of it which
    was run by the magic.
    """
    cell = running_cell()
    ran = next((each for each in UPCALLS.cells_run(file) if each.cell == cell.id), None)
    if place is None or ran is None or not cell.id:
        return place
    return replace(place, cell=cell.name)


def leave(
    shell: Any, call: Call, frames: tuple[CallingFrame, ...], name: str, session: Session
) -> None:
    """The variables of the frames go to where the next cell finds them; the user's own names stay theirs."""
    known = shell.user_ns
    given: dict[str, Any] = {"loss": call.tensors}
    for frame in reversed(frames):
        if frame.function != "the cell":
            given.update((n, v) for n, v in frame.locals.items() if not n.startswith(("_", ".")))
    for each, value in given.items():
        if each not in known or known[each] is _left.get(each, shell):
            known[each] = _left[each] = value
    if name:
        known[name] = session


def told(session: Session, shell: Any) -> str:
    """The text below the view: the frames of the call, and whose variables they are."""
    frames = session.frames
    lines: list[str] = []
    for number, frame in enumerate(frames):
        where = "" if frame.place is None else f", {frame.place}"
        names = [n for n in frame.locals if not n.startswith(("_", "."))]
        own = "" if frame.function == "the cell" else f": {', '.join(names[:12])}"
        lines.append(f"  [{number}] {frame.function}{where}{own}")
    taken = [
        name
        for frame in frames
        if frame.function != "the cell"
        for name, value in frame.locals.items()
        if not name.startswith(("_", ".")) and shell.user_ns.get(name) is not value
    ]
    if taken:
        some = ", ".join(dict.fromkeys(taken))
        lines.append(f"Your notebook has its own {some}: those of the calls are in session.frames.")
    return "\n".join(lines)


def debug_cell(shell: Any, text: str, cell: str) -> Session | None:
    """Runs the cell; the session that it was stopped for, if it was."""
    from vizgrad.debugger.engines.vizgrad import opener as opener  # makes vizgrad's tensors known

    where = wanted(text)
    if where.each and not api.can_be_asked():
        raise UsageError(
            "--each needs an interactive notebook: it waits for the user at each backward"
        )
    stopping = Stopping(shell, where)
    registry.debug_cell_ended(None)
    before = shell.custom_exceptions, shell.CustomTB
    shell.set_custom_exc((Reached, Exception), _shown_kindly)
    try:
        # so that `why` knows the forward pass, too; a cell that goes on after each stop runs for long
        listening = nullcontext() if where.each else api.watch()
        with (
            asking(stopping.ask),
            intercepting(lambda *call: stopping.ask(Call(*call))),
            listening,
        ):
            result = shell.run_cell(cell)
    finally:
        shell.custom_exceptions, shell.CustomTB = before
    error = result.error_in_exec
    if isinstance(error, Reached):
        result.error_in_exec = None
        if error.session is None:
            print("The cell was ended here: its session was closed.")  # noqa: T201
            return None
        registry.debug_cell_ended(error.session)
        print(told(error.session, shell))  # noqa: T201  what the magic answers
        return error.session
    result.raise_error()
    if not stopping.sessions:
        many = f"{stopping.count} backward{'' if stopping.count == 1 else 's'}"
        print(f"The cell ran to its end, with {many}, none of which was selected.")  # noqa: T201
    return None


def _shown_kindly(*_: Any, **__: Any) -> None:
    """Nothing went wrong: the magic tells where the cell is. An error it raises again."""

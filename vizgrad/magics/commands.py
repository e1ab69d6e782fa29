"""What ``%vizgrad COMMAND ARGUMENTS`` can do: one function a command.

A command gets the shell and the rest of the line, and returns what the cell shows. Its docstring's first
line is its help; `usage` is how it is written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from vizgrad import interactive
from vizgrad.inspection import registry
from vizgrad.inspection.session import Session, Where
from vizgrad.rendering.static import VersionsPicture, saved_lines
from vizgrad.tensor.tensor import Tensor

Run = Callable[[Any, str], Any]


class UsageError(ValueError):
    """A magic was written wrongly; the message says how it is written."""


@dataclass(frozen=True, slots=True)
class Command:
    """`argument` says what completion offers: "tensor", "node", "number" or ""."""

    name: str
    usage: str
    argument: str
    run: Run

    @property
    def help(self) -> str:
        return (self.run.__doc__ or "").strip().splitlines()[0]


COMMANDS: dict[str, Command] = {}


def command(usage: str, argument: str = "") -> Callable[[Run], Run]:
    def register(run: Run) -> Run:
        name = usage.split(maxsplit=1)[0]
        COMMANDS[name] = Command(name, usage, argument, run)
        return run

    return register


def current_session() -> Session:
    """The newest open session; UsageError when there is none."""
    session = registry.find(None)
    if session is None:
        raise UsageError("no debugging session is open; open one with `%vizgrad debug loss`")
    return session


def _evaluate(shell: Any, text: str, usage: str) -> Any:
    """The value of the person's expression, in their namespace."""
    if not text.strip():
        raise UsageError(f"usage: %vizgrad {usage}")
    return shell.ev(text)


def _tensor(shell: Any, text: str, usage: str) -> Tensor:
    value = _evaluate(shell, text, usage)
    if not isinstance(value, Tensor):
        raise UsageError(
            f"`{text.strip()}` is {type(value).__name__}, not a vizgrad Tensor; "
            f"usage: %vizgrad {usage}"
        )
    return value


def _count(text: str, usage: str) -> int:
    text = text.strip()
    if not text:
        return 1
    if not text.isdigit():
        raise UsageError(f"expected a number of steps, got {text!r}; usage: %vizgrad {usage}")
    return int(text)


@command("graph TENSOR", "tensor")
def graph(shell: Any, rest: str) -> Any:
    """Shows the backward graph of a tensor; nothing is run."""
    tensor = _tensor(shell, rest, "graph TENSOR")
    return interactive.graph(tensor, title=rest.strip())


@command("debug TENSOR", "tensor")
def debug(shell: Any, rest: str) -> Any:
    """Opens the backward of a tensor, stopped before its first node, and shows the live view."""
    tensor = _tensor(shell, rest, "debug TENSOR")
    return interactive.debug(tensor).where


@command("step [N]", "number")
def step(shell: Any, rest: str) -> Any:
    """Runs the next N nodes (default 1) of the newest session."""
    return current_session().step(_count(rest, "step [N]"))


@command("back [N]", "number")
def back(shell: Any, rest: str) -> Any:
    """Takes the last N nodes (default 1) back."""
    return current_session().back(_count(rest, "back [N]"))


@command("continue")
def continue_(shell: Any, rest: str) -> Any:
    """Runs to the next breakpoint, or to the end."""
    return current_session().continue_()


@command("run_to NODE", "node")
def run_to(shell: Any, rest: str) -> Any:
    """Goes to where a node (number, name or pattern) is the next to run."""
    text = rest.strip()
    if not text:
        raise UsageError("usage: %vizgrad run_to NODE, e.g. TanhBackward0, Mul* or 17")
    return current_session().run_to(int(text) if text.isdigit() else text)


@command("restart")
def restart(shell: Any, rest: str) -> Any:
    """Goes back to before the first node."""
    return current_session().restart()


@command("close")
def close(shell: Any, rest: str) -> Any:
    """Abandons the newest session and lets go of what it holds."""
    session = current_session()
    session.close()
    return session.where


@command("break NODE", "node")
def break_(shell: Any, rest: str) -> Any:
    """Makes `continue` stop before nodes with this name, pattern or number, or at `nonfinite`."""
    text = rest.strip()
    session = current_session()
    if not text:
        raise UsageError("usage: %vizgrad break NODE, e.g. TanhBackward0, Mul*, 17 or nonfinite")
    if text == "nonfinite":
        made = session.break_at(when=text)
    elif text.isdigit():
        made = session.break_at(node=int(text))
    else:
        made = session.break_at(text)
    return f"breakpoint at {made.text}: {len(made.nodes)} node(s)"


@command("saved")
def saved(shell: Any, rest: str) -> Any:
    """Lists the saved tensors of the newest session, with their versions."""
    return Where(saved_lines(current_session()))


@command("versions [TENSOR]", "tensor")
def versions(shell: Any, rest: str) -> Any:
    """Shows who wrote a tensor in place, and which saved values rely on it; without one, the session's."""
    if not rest.strip():
        session = current_session()
        return VersionsPicture(session.versions, session.graph)
    tensor = _tensor(shell, rest, "versions [TENSOR]")
    return interactive.versions(tensor, name=rest.strip())

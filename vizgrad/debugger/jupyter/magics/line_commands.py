"""The code of ``%vizgrad COMMAND ARGUMENTS``: one function a command.

A function gets the shell and the rest of the line, and returns what the cell shows. How a command is written,
its help and what completion offers are declared in `vizgrad.debugger.commands`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from vizgrad.core.function.custom.function import Function
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import api
from vizgrad.debugger.commands import magics
from vizgrad.debugger.drawing.static import VersionsPicture, saved_lines
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.session import Session, Where

Run = Callable[[Any, str], Any]


class UsageError(ValueError):
    """A magic was written wrongly; the message says how it is written."""


RUN: dict[str, Run] = {}


def runs(name: str) -> Callable[[Run], Run]:
    """The function below is what the magic of this name does."""

    def register(run: Run) -> Run:
        RUN[name] = run
        return run

    return register


def current_session() -> Session:
    """The newest open session; UsageError when there is none."""
    session = registry.find(None)
    if session is None:
        raise UsageError("no debugging session is open; open one with `%vizgrad debug loss`")
    return session


def _evaluate(shell: Any, text: str, name: str) -> Any:
    """The value of the person's expression, in their namespace."""
    if not text.strip():
        raise UsageError(f"usage: {usage_of(name)}")
    return shell.ev(text)


def usage_of(name: str) -> str:
    return magics()[name].written


def tensor_of(shell: Any, text: str, name: str) -> Any:
    """A tensor of vizgrad's, or of a framework that it knows."""
    value = _evaluate(shell, text, name)
    if not isinstance(value, tensor_types()):
        raise UsageError(
            f"`{text.strip()}` is {type(value).__name__}, not a vizgrad Tensor; "
            f"usage: {usage_of(name)}"
        )
    return value


def tensor_types() -> tuple[type, ...]:
    """The types of what has a backward that can be looked at."""
    return Tensor, *known_types()


def _count(text: str, name: str) -> int:
    text = text.strip()
    if not text:
        return 1
    if not text.isdigit():
        raise UsageError(f"expected a number of steps, got {text!r}; usage: {usage_of(name)}")
    return int(text)


@runs("graph")
def graph(shell: Any, rest: str) -> Any:
    tensor = tensor_of(shell, rest, "graph")
    return api.graph(tensor, title=rest.strip())


@runs("debug")
def debug(shell: Any, rest: str) -> Any:
    tensor = tensor_of(shell, rest, "debug")
    return api.debug(tensor).where


@runs("step")
def step(shell: Any, rest: str) -> Any:
    return current_session().step(_count(rest, "step"))


@runs("back")
def back(shell: Any, rest: str) -> Any:
    return current_session().back(_count(rest, "back"))


@runs("continue")
def continue_(shell: Any, rest: str) -> Any:
    return current_session().continue_()


@runs("run_to")
def run_to(shell: Any, rest: str) -> Any:
    text = rest.strip()
    if not text:
        raise UsageError(f"usage: {usage_of('run_to')}, e.g. TanhBackward0, Mul* or 17")
    if text.rpartition(":")[2].isdecimal() and ":" in text:
        return current_session().run_to(line=text)
    return current_session().run_to(int(text) if text.isdigit() else text)


@runs("seek")
def seek(shell: Any, rest: str) -> Any:
    if not rest.strip():
        raise UsageError(f"usage: {usage_of('seek')}")
    return current_session().seek(_count(rest, "seek"))


@runs("nonfinite")
def nonfinite(shell: Any, rest: str) -> Any:
    session, word = current_session(), rest.strip()
    if word not in ("", "on", "off"):
        raise UsageError(f"expected on or off, got {word!r}; usage: {usage_of('nonfinite')}")
    if word:
        session.stop_at_nonfinite = word == "on"
    does = "stops" if session.stop_at_nonfinite else "runs on"
    return f"continue {does} where a NaN or an infinity is born"


@runs("restart")
def restart(shell: Any, rest: str) -> Any:
    return current_session().restart()


@runs("close")
def close(shell: Any, rest: str) -> Any:
    session = current_session()
    session.close()
    return session.where


@runs("saved")
def saved(shell: Any, rest: str) -> Any:
    return Where(saved_lines(current_session()))


@runs("why")
def why(shell: Any, rest: str) -> Any:
    text = rest.strip().removesuffix(".grad")  # of a gradient that is None the leaf is asked
    return api.why(tensor_of(shell, text, "why"), name=text)


@runs("versions")
def versions(shell: Any, rest: str) -> Any:
    if not rest.strip():
        session = current_session()
        return VersionsPicture(session.versions, session.graph)
    tensor = tensor_of(shell, rest, "versions")
    return api.versions(tensor, name=rest.strip())


@runs("memory")
def memory(shell: Any, rest: str) -> Any:
    if rest.strip():
        raise UsageError(f"usage: {usage_of('memory')}: it is about the whole notebook")
    return api.memory()


@runs("check")
def check(shell: Any, rest: str) -> Any:
    return api.check(*_function_and_inputs(shell, rest, "check"))


@runs("card")
def card(shell: Any, rest: str) -> Any:
    return api.card(*_function_and_inputs(shell, rest, "card"))


def _function_and_inputs(shell: Any, rest: str, name: str) -> tuple[Any, ...]:
    """``Square x, 3.0`` or ``Square(x, 3.0)``: the class, and the example."""
    text = rest.strip()
    named = re.match(r"[\w.]+", text)
    if named is None:
        raise UsageError(f"usage: {usage_of(name)}, e.g. %vizgrad {name} Square x")
    inputs = text[named.end() :].strip()
    if inputs.startswith("(") and inputs.endswith(")"):
        inputs = inputs[1:-1].strip()
    function = shell.ev(named.group())
    if not (isinstance(function, type) and issubclass(function, Function)):
        raise UsageError(
            f"`{named.group()}` is no class derived from vizgrad.autograd.Function; usage: {usage_of(name)}"
        )
    return (function, *(shell.ev(f"({inputs},)") if inputs else ()))


@runs("load")
def load(shell: Any, rest: str) -> Any:
    path = rest.strip().strip("\"'")
    if not path:
        raise UsageError(f"usage: {usage_of('load')}")
    from vizgrad.debugger.traces import load_trace

    return load_trace(path)


@runs("save")
def save(shell: Any, rest: str) -> Any:
    path = rest.strip().strip("\"'")
    if not path:
        raise UsageError(f"usage: {usage_of('save')}, e.g. run.vgtrace or run.html")
    trace = current_session().trace
    return Where(str(trace.export(path) if path.endswith((".html", ".htm")) else trace.save(path)))

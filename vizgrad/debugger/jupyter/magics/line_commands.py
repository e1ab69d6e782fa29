"""The code of ``%vizgrad COMMAND ARGUMENTS``: one function a command.

A function gets the shell and the rest of the line, and returns what the cell shows. How a command is written,
its help and what completion offers are declared in `vizgrad.debugger.commands`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import isfinite
from typing import Any

from vizgrad.core.function.custom.function import Function
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import api
from vizgrad.debugger.commands import magics
from vizgrad.debugger.drawing.describe import number_text, plain, summary_text
from vizgrad.debugger.drawing.static import VersionsPicture, saved_lines
from vizgrad.debugger.engines.api.frameworks import examiner_of
from vizgrad.debugger.engines.api.openers import known_types
from vizgrad.debugger.model import Branch, Breakpoint, Difference, Name, Watched
from vizgrad.debugger.model.arrays import count_of
from vizgrad.debugger.session import registry
from vizgrad.debugger.session.session import Session, Where

Run = Callable[[Any, str], Any]


class UsageError(ValueError):
    """A magic was written wrongly; the message says how it is written."""


class NoSession(UsageError):
    """A magic asks for an open session, and there is none."""


RUN: dict[str, Run] = {}


def runs(name: str) -> Callable[[Run], Run]:
    """The function below is what the magic of this name does."""

    def register(run: Run) -> Run:
        RUN[name] = run
        return run

    return register


def current_session() -> Session:
    """The open session that was opened, moved or chosen in a view last, else the newest; NoSession when there
    is none.
    """
    session = registry.latest() or registry.find(None)
    if session is None:
        raise NoSession("no debugging session is open; open one with `%vizgrad debug loss`")
    return session


#: The newest session that a magic has opened in a terminal, where no view holds it.
_terminal_session: list[Session] = []


def _shown(session: Session) -> Where:
    """The result of a magic that has opened `session`."""
    if not api.in_notebook():
        _terminal_session[:] = [session]
    return session.where


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
    return _shown(api.debug(tensor))


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
    does = "pauses" if session.stop_at_nonfinite else "does not pause"
    return f"continue {does} at the first NaN or Inf"


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
    owner = getattr(function, "__self__", function)  # of Square.apply
    if not (isinstance(owner, type) and (issubclass(owner, Function) or examiner_of(owner))):
        raise UsageError(
            f"`{named.group()}` is no class derived from autograd.Function, of vizgrad or of PyTorch; "
            f"usage: {usage_of(name)}"
        )
    return (function, *(shell.ev(f"({inputs},)") if inputs else ()))


@runs("load")
def load(shell: Any, rest: str) -> Any:
    path = rest.strip().strip("\"'")
    if not path:
        raise UsageError(f"usage: {usage_of('load')}")
    from vizgrad.debugger.traces import load_trace

    return load_trace(path)


@runs("attach")
def attach(shell: Any, rest: str) -> Any:
    pid, _, line = rest.strip().partition(" ")
    from vizgrad.debugger.attach import program, words

    try:
        if not pid:
            return Where(words.runs_text(program.running()))
        if not pid.isdecimal():
            raise UsageError(f"usage: {usage_of('attach')}")
        found = program.attach(int(pid))
        if line == "pause":
            return Where(found.pause())
        if line:
            return Where(found.command(line))
        if api.in_notebook() and found.status.has_trace:
            from IPython.display import display

            display(found)
            return found.trace()
    except program.AttachError as error:
        raise UsageError(str(error)) from None
    return found


@runs("save")
def save(shell: Any, rest: str) -> Any:
    option, _, after = rest.strip().partition(" ")
    full = option == "--full"
    path = (after if full else rest).strip().strip("\"'")
    if not path or path.startswith("--"):
        raise UsageError(f"usage: {usage_of('save')}, e.g. run.vgtrace or run.html")
    session = current_session()
    write = session.export if path.endswith((".html", ".htm")) else session.save
    written = write(path, full=full)
    steps = count_of(session.position, "step")
    return Where(f"{written}: {steps} of {session.name}")


# --- breakpoints, stages, changes and branches --------------------------------------------------------


@runs("break")
def break_(shell: Any, rest: str) -> Any:
    text, session = rest.strip(), current_session()
    if not text:
        raise UsageError(
            f"usage: {usage_of('break')}, e.g. TanhBackward0, Mul*, 17, train.py:7, :7 if grad.norm > 1e3, "
            "when nonfinite, written w"
        )
    text, _, log = text.partition(" log ")
    text, hits = _split_hits(text.strip())
    text, _, condition = text.partition(" if ")
    word, _, behind = text.strip().partition(" ")
    settings = {"condition": condition.strip() or None, "hits": hits, "log": log.strip() or None}
    made = _break(session, shell, word, behind.strip(), settings)
    return f"breakpoint {made.id}: {breakpoint_line(made)}"


def _break(
    session: Session, shell: Any, word: str, behind: str, settings: dict[str, Any]
) -> Breakpoint:
    if word in ("when", "nonfinite", "written"):
        del settings["condition"]
        if word == "written":
            return session.break_at(written=tensor_of(shell, behind, "break"), **settings)
        return session.break_at(when=behind if word == "when" else word, **settings)
    text = f"{word} {behind}".strip()
    if text.isdecimal():
        return session.break_at(node=int(text), **settings)
    if text.rpartition(":")[2].isdecimal():
        return session.break_at(line=text, **settings)
    return session.break_at(text, **settings)


def _split_hits(text: str) -> tuple[str, int]:
    """Without ``hits N`` at its end, and that number."""
    before, word, number = text.rpartition(" hits ")
    return (before, int(number)) if word and number.strip().isdecimal() else (text, 0)


@runs("breakpoints")
def breakpoints(shell: Any, rest: str) -> Any:
    session, words = current_session(), rest.split()
    match words:
        case []:
            pass
        case ["clear"]:
            session.clear_breakpoints()
        case ["on" | "off" as word, number] if number.isdecimal():
            session.enable_breakpoint(int(number), word == "on")
        case ["remove", number] if number.isdecimal():
            session.remove_breakpoint(int(number))
        case _:
            raise UsageError(f"usage: {usage_of('breakpoints')}")
    lines = [f"{made.id:>3}  {breakpoint_line(made)}" for made in session.breakpoints]
    return Where("\n".join(lines) or "no breakpoints are set")


def breakpoint_line(made: Breakpoint) -> str:
    """One breakpoint, in one line."""
    parts = [made.text]
    if made.kind != "when":
        parts += [f"if {made.condition}"] if made.condition else []
        parts += [f"{made.total} node{'' if made.total == 1 else 's'}"] if made.total else []
    if made.hits:
        parts.append(f"at hit {made.hits}, {made.hit} so far")
    elif made.hit:
        parts.append(f"{made.hit} so far")
    parts += [f"logs {made.log}"] if made.log else []
    parts += [made.refused] if made.refused else []
    return ", ".join([*parts, *([] if made.enabled else ["off"])])


@runs("display")
def display(shell: Any, rest: str) -> Any:
    session = current_session()
    if rest.strip():
        return Where(watched_line(session.watches.add(rest.strip())))
    return Where(watched_lines(session) or f"nothing is watched; usage: {usage_of('display')}")


@runs("undisplay")
def undisplay(shell: Any, rest: str) -> Any:
    watches, text = current_session().watches, rest.strip()
    if not text:
        watches.clear()
    elif text.isdecimal():
        watches.remove(int(text))
    else:
        raise UsageError(f"expected a number, got {text!r}; usage: {usage_of('undisplay')}")


def watched_lines(session: Session) -> str:
    """The watch list, a line each, with the values of now."""
    return "\n".join(map(watched_line, session.watches))


def watched_line(watched: Watched) -> str:
    """``1: w.grad.norm() = 0.25``."""
    value = watched.text or (f"({watched.error})" if watched.error else "")
    if watched.summary is not None:
        value = summary_text(watched.summary)
    return f"{watched.id}: {plain(watched.expression)} = {plain(value)}"


@runs("stage")
def stage(shell: Any, rest: str) -> Any:
    text = rest.strip() or "1"
    if not text.removeprefix("-").isdecimal():
        raise UsageError(f"expected a number of stages, got {text!r}; usage: {usage_of('stage')}")
    return current_session().stage(int(text))


@runs("step_in")
def step_in(shell: Any, rest: str) -> Any:
    return current_session().step_in()


@runs("step_out")
def step_out(shell: Any, rest: str) -> Any:
    return current_session().step_out()


@runs("second")
def second(shell: Any, rest: str) -> Any:
    session = current_session().second()
    if api.in_notebook():
        api.show(session)
    return _shown(session)


@runs("run_to_leaf")
def run_to_leaf(shell: Any, rest: str) -> Any:
    return current_session().run_to_leaf()


@runs("set")
def set_(shell: Any, rest: str) -> Any:
    node, _, value = rest.strip().partition(" ")
    if not value.strip():
        raise UsageError(f"usage: {usage_of('set')}, e.g. ExpBackward0 g * 0.5")
    session = current_session()
    made = session.set_grad(int(node) if node.isdecimal() else node, value.strip())
    here = next(branch for branch in session.branches if branch.current)
    return f"{made.text}; on {here.name} now"


@runs("branch")
def branch(shell: Any, rest: str) -> Any:
    return branch_line(current_session().branch(rest.strip()))


@runs("branches")
def branches(shell: Any, rest: str) -> Any:
    return Where("\n".join(map(branch_line, current_session().branches)))


@runs("switch")
def switch(shell: Any, rest: str) -> Any:
    session = current_session()
    session.switch(rest.strip())
    return session.where


@runs("drop")
def drop(shell: Any, rest: str) -> Any:
    session = current_session()
    session.drop_branch(rest.strip())
    return session.where


@runs("compare")
def compare(shell: Any, rest: str) -> Any:
    losses = _losses(shell, rest)
    if losses:
        return api.compare(*losses)
    session = current_session()
    name, _, other = (part.strip() for part in rest.partition(" with "))
    if not name:
        raise UsageError(f"usage: {usage_of('compare')}; see %vizgrad branches")
    lines: list[str] = []
    if name.endswith(".vgtrace"):
        from vizgrad.debugger.traces import load_trace

        found = session.compare(load_trace(name), name)
    else:
        told = session.comparison(name, other)
        found = told.differences
        lines += [told.text] if told.text else []
    lines += [difference_line(session.name_of(each.node), each) for each in found]
    return Where("\n".join(lines) or f"no difference to {name} in the nodes that both have run")


def _losses(shell: Any, rest: str) -> tuple[Any, ...]:
    """Two variables that are losses, unless a branch is called so; else nothing."""
    names, known = rest.split(), shell.user_ns
    if len(names) != 2 or not all(name in known for name in names):
        return ()
    session = registry.find(None)
    if session is not None and rest.strip() in {branch.name for branch in session.branches}:
        return ()
    found = tuple(known[name] for name in names)
    return found if all(isinstance(each, tensor_types()) for each in found) else ()


def difference_line(named: Name | None, found: Difference) -> str:
    """How a node's gradients differ on two branches, in one line."""
    name = "" if named is None else f"{named.name} {named.label}".strip()
    here, there, relative = found.here, found.there, found.relative
    norms = f"{number_text(here)} -> {number_text(there)}"
    apart = "" if relative is None or not isfinite(relative) else f", differs by {relative:.3g}"
    return f"{found.node:>4}  {name}  {norms}{', the same' if relative == 0 else apart}"


def branch_line(made: Branch) -> str:
    """One branch, in one line."""
    parts = [
        f"{'*' if made.current else ' '} {made.name}: {made.position} of {made.recorded} steps run"
    ]
    if made.parent:
        parts.append(f"left {made.parent} after {made.left}")
    return "; ".join([*parts, *(edit.text for edit in made.edits)])

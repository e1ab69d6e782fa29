"""Logpoints: breakpoints that write a message and do not stop.

A message is text with expressions in braces, ``norm {grad.norm():.3g} at {name}``, or an expression alone.
The expressions are those of conditions (`conditions.py`): interpreted and read-only.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from vizgrad.debugger import model
from vizgrad.debugger.expressions import Elements, Expression
from vizgrad.debugger.session.breakpoints.conditions import ConditionNames, Facts, parse_part
from vizgrad.debugger.session.values import in_words, summary_of

#: Messages that a session keeps, the latest; characters of one; messages of one move that are printed.
MOST_LOGGED, LONGEST_MESSAGE, MOST_PRINTED = 1000, 300, 100

_PART = re.compile(r"\{\{|\}\}|\{([^{}]*)\}")
#: How a number is written: ``.3g``, ``8.2f``.
_SPEC = re.compile(r"[-+ ,]?\d{0,2}(\.\d{1,2})?[eEfFgGd%]?")


@dataclass(frozen=True, slots=True)
class Message:
    """A message that was understood: texts, and expressions with the way in which a number is written."""

    text: str
    parts: tuple[str | tuple[Expression, str], ...]

    def said(self, facts: Facts) -> str:
        """The message at a node. An expression without a value says why."""
        names = ConditionNames(facts)
        said = "".join(p if isinstance(p, str) else _value(*p, names) for p in self.parts)
        return said if len(said) <= LONGEST_MESSAGE else f"{said[: LONGEST_MESSAGE - 1]}…"


def parse_message(text: str, variables: Callable[[], Mapping[str, Any]]) -> Message:
    """ValueError says what in it is not understood, or which name there is not."""
    text = text.strip()
    if "{" not in text and "}" not in text:
        return Message(text, (f"{text} = ", _expression(text, variables)))
    parts: list[str | tuple[Expression, str]] = []
    at = 0
    for found in _PART.finditer(text):
        parts.append(_plain(text[at : found.start()], text))
        inner = found.group(1)
        parts.append(found.group()[0] if inner is None else _expression(inner, variables))
        at = found.end()
    parts.append(_plain(text[at:], text))
    return Message(text, tuple(part for part in parts if part != ""))


def _plain(text: str, message: str) -> str:
    if "{" in text or "}" in text:
        raise ValueError(f"the message {message!r} has a brace without its partner")
    return text


def _expression(text: str, variables: Callable[[], Mapping[str, Any]]) -> tuple[Expression, str]:
    written, _, spec = text.partition(":")
    if not _SPEC.fullmatch(spec.strip()):
        raise ValueError(f"{spec.strip()!r} is no way to write a number; write one like '.3g'")
    return parse_part(written, variables, "message", "'norm {grad.norm():.3g}' or 'loss'"), spec


def _value(expression: Expression, spec: str, names: ConditionNames) -> str:
    try:
        value = expression.value(names)
        if isinstance(value, Elements):
            if spec and value.numel() == 1:
                return format(value.item(), spec.strip())
            return tensor_in_words(summary_of(value))
        if spec and isinstance(value, int | float | complex):
            return format(value, spec.strip())
        return value if isinstance(value, str) else in_words(value)
    except Exception as error:  # noqa: BLE001  an engine's, too: the run goes on
        why = str(error).removeprefix(f"{expression.text!r} has no value: ").partition("\n")[0]
        return f"<{why or type(error).__name__}>"


def tensor_in_words(summary: model.TensorSummary | None) -> str:
    """``float32 [2, 3], norm 0.25``; the values if they are few."""
    if summary is None:
        return "None"
    type_ = f"{summary.dtype} {list(summary.shape)}"
    values = summary.values
    if values and not summary.dtype.startswith("complex"):
        said = ", ".join(f"{value:.4g}" for value in values)
        return said if not summary.shape else f"{type_} [{said}]"
    parts = [type_] if summary.norm is None else [type_, f"norm {summary.norm:.4g}"]
    wrong = (summary.nans, "NaN"), (summary.infs, "inf")
    return ", ".join([*parts, *(f"{count} {word}" for count, word in wrong if count)])


@dataclass
class Log:
    """The messages of a session: the latest `MOST_LOGGED`, in the order in which they were written."""

    lines: deque[model.Logged] = field(default_factory=lambda: deque(maxlen=MOST_LOGGED))
    #: How many there were in all.
    total: int = 0
    #: Writes a line for the user who moves the run by code; None: a view shows them.
    write: Callable[[str], None] | None = None
    _printed: int = 0

    def begin(self, write: Callable[[str], None] | None) -> None:
        """A move begins."""
        self.write, self._printed = write, 0

    def add(self, line: model.Logged, name: str) -> None:
        self.lines.append(line)
        self.total += 1
        if self.write is None:
            return
        self._printed += 1
        if self._printed <= MOST_PRINTED:
            self.write(f"#{line.step} {name}: {line.text}")

    def end(self) -> None:
        """The move is over: says how many messages were not printed."""
        left = self._printed - MOST_PRINTED
        if self.write is not None and left > 0:
            self.write(f"{left:,} more messages: session.logged has the last {MOST_LOGGED:,}")
        self.write = None

    def clear(self) -> None:
        """Forgets all messages: the next is the first."""
        self.lines.clear()
        self.total = 0

    def since(self, first: int) -> Iterable[model.Logged]:
        """Those from number `first` on that are kept."""
        gone = self.total - len(self.lines)
        return tuple(self.lines)[max(first - gone, 0) :]

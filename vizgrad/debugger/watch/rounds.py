"""The round of a loop in which something happened: noted at each backward, a few numbers.

A backward notes the lines that led to it, and of the loops around these the variable that counts (`i` of
``for i in range(30)``, `step` of ``for step, x in enumerate(data)``). Everything else is asked later: which
round it was, and how many backwards came before.
"""

from __future__ import annotations

import ast
import linecache
import sys
from bisect import bisect_left, bisect_right
from functools import lru_cache
from types import CodeType, FrameType
from typing import NamedTuple

from vizgrad.core.interpreter import locals_of
from vizgrad.core.tensor.source_location import INTERNAL, Site
from vizgrad.debugger.engines.api.frameworks import of_framework
from vizgrad.debugger.watch.source_expressions import tree_of

#: Backwards that are noted, the first ones; and frames of the user's, from the one that called backward.
_KEPT, _FRAMES = 1 << 16, 6
#: A longer head of a loop is not shown.
_LONGEST = 60


class Loop(NamedTuple):
    """A loop around a line. `name` is the variable that counts its rounds ("": none does), which begins
    at `first` and goes on by `step`. `plain`: does each round come to the line?
    """

    title: str
    name: str
    first: int
    step: int
    plain: bool


class Round(NamedTuple):
    """Round `number`, from 1, of the loop that the user wrote as `title`."""

    title: str
    number: int


class _Turn(NamedTuple):
    """One backward: the tick at which it began, the lines that led to it, and the counting variables of loops
    around these.
    """

    clock: int
    lines: tuple[tuple[int, int], ...]
    values: tuple[int | None, ...]


class Rounds:
    """The backwards of a block, in order."""

    def __init__(self) -> None:
        #: The id of the frame that watches; the loops around it are not asked for.
        self.outermost = 0
        self._turns: list[_Turn] = []
        self._clocks: list[int] = []
        #: Line that led to a backward -> the loops around it, the innermost first; and its code, to keep it.
        self._loops: dict[tuple[int, int], tuple[tuple[Loop, ...], CodeType]] = {}
        self._paths: dict[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]] = {}
        #: Clocks of calls of `grad`, which are no backwards of the user's.
        self._others: list[int] = []

    def __len__(self) -> int:
        """How many backwards there were."""
        return len(self._clocks) - len(self._others)

    def begin(self, clock: int) -> None:
        """A backward begins, called by the frames above."""
        if len(self._turns) >= _KEPT:
            return
        lines: list[tuple[int, int]] = []
        values: list[int | None] = []
        frame: FrameType | None = sys._getframe(2)
        while frame is not None and len(lines) < _FRAMES:
            package = frame.f_globals.get("__package__")
            if INTERNAL[package] is False and not of_framework(package):
                line = id(frame.f_code), frame.f_lasti
                lines.append(line)
                known = self._loops.get(line)
                if known is None:
                    found = _loops_around(Site(frame.f_code, frame.f_lasti))
                    known = self._loops[line] = found, frame.f_code
                if any(loop.name for loop in known[0]):
                    variables = locals_of(frame)
                    for loop in known[0]:
                        value = variables.get(loop.name)
                        values.append(value if type(value) is int else None)
                else:
                    values += [None] * len(known[0])
                if id(frame) == self.outermost or frame.f_code.co_name == "<module>":
                    break
            frame = frame.f_back
        path = tuple(lines)  # one for all backwards that the same lines led to
        path = self._paths.setdefault(path, path)
        self._turns.append(_Turn(clock, path, tuple(values)))
        self._clocks.append(clock)

    def cancel(self, clock: int) -> None:
        """The one that began at this tick, the last, does not run."""
        if self._clocks[-1:] == [clock]:
            self._turns.pop()
            self._clocks.pop()

    def was_grad(self, clock: int) -> None:
        """The one that began at this tick was a call of `grad`."""
        self._others.append(clock)

    def index(self, clock: int, *, after: bool = False) -> int | None:
        """The backward that something at this tick belongs to: the next one, or (`after`) the last before it.
        None where there is none.
        """
        clocks = self._clocks
        found = bisect_right(clocks, clock) - 1 if after else bisect_left(clocks, clock)
        return found if 0 <= found < len(self._clocks) else None

    def number(self, index: int) -> int:
        """Which of the calls of backward it is, from 1."""
        return index + 1 - bisect_right(sorted(self._others), self._clocks[index])

    def rounds(self, index: int) -> list[Round]:
        """The rounds that are known, of the innermost loop first."""
        turn = self._turns[index]
        loops = [loop for line in turn.lines for loop in self._loops[line][0]]
        found: list[Round] = []
        for loop, value in zip(loops, turn.values, strict=True):
            if value is not None and (value - loop.first) % loop.step == 0:
                number = (value - loop.first) // loop.step + 1
                if number > 0:
                    found.append(Round(loop.title, number))
            elif len(loops) == 1 and loop.plain and not loop.name:
                passed = sum(each.lines == turn.lines for each in self._turns[: index + 1])
                found.append(Round(loop.title, passed))
        return found


@lru_cache(maxsize=256)
def _loops_around(site: Site) -> tuple[Loop, ...]:
    """The loops of a function around a line of it, the innermost first."""
    tree, line = tree_of(site.file), site.line()
    if tree is None:
        return ()
    function: ast.AST = tree
    name, functions = site.code.co_name, (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):  # from the outermost to the innermost
        if isinstance(node, functions) and node.name == name:
            function = node if node.lineno <= line <= (node.end_lineno or line) else function
    found: list[Loop] = []
    for node in _statements(function, line):
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            title = _title(node, site.file)
            if title:
                found.append(Loop(title, *_counter(node), plain=_is_plain(node, line)))
    return tuple(reversed(found))


def _statements(function: ast.AST, line: int) -> list[ast.stmt]:
    """The compound statements of a function around a line, the outermost first; not one whose head it is."""
    found: list[ast.stmt] = []
    todo: list[ast.AST] = list(ast.iter_child_nodes(function))
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and isinstance(body, list) and body:
            if node.lineno <= line <= (node.end_lineno or line):
                if body[0].lineno <= line:
                    found.append(node)
                todo = list(ast.iter_child_nodes(node))
        elif isinstance(node, ast.ExceptHandler):
            todo += ast.iter_child_nodes(node)
    return found


def _title(loop: ast.For | ast.AsyncFor | ast.While, file: str) -> str:
    """The head of a loop as it is written, without the colon."""
    end: ast.expr = loop.test if isinstance(loop, ast.While) else loop.iter
    if end.end_lineno != loop.lineno:
        return ""
    text = linecache.getline(file, loop.lineno).encode()[loop.col_offset : end.end_col_offset]
    title = text.decode(errors="replace")
    return title if len(title) <= _LONGEST else ""


def _counter(loop: ast.For | ast.AsyncFor | ast.While) -> tuple[str, int, int]:
    """The variable that counts the rounds of a loop, its first value, and its step."""
    if isinstance(loop, ast.While) or not isinstance(loop.iter, ast.Call):
        return "", 0, 1
    target, call = loop.target, loop.iter
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    numbers = [_whole(each) for each in call.args]
    if name == "range" and isinstance(target, ast.Name) and not call.keywords:
        first = numbers[0] if len(numbers) > 1 else 0
        step = numbers[2] if len(numbers) > 2 else 1
        return (target.id, first, step) if first is not None and step else ("", 0, 1)
    if (
        name == "enumerate"
        and isinstance(target, ast.Tuple)
        and isinstance(target.elts[0], ast.Name)
    ):
        given = [_whole(each.value) for each in call.keywords if each.arg == "start"]
        first = (numbers[1:] + given or [0])[0]
        return (target.elts[0].id, first, 1) if first is not None else ("", 0, 1)
    return "", 0, 1


def _whole(node: ast.expr) -> int | None:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


#: Statements by which a round may pass a line by.
_PASSING = (ast.If, ast.Try, ast.Match)


def _is_plain(loop: ast.For | ast.AsyncFor | ast.While, line: int) -> bool:
    """Does each round come to the line?"""
    return not any(
        isinstance(node, ast.Continue)
        or (isinstance(node, _PASSING) and node.lineno <= line <= (node.end_lineno or line))
        for node in ast.walk(loop)
    )

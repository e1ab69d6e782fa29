"""What the text of a program tells of an instruction: its function, loops around it, its turn in them.

The order of instructions is that in which Python evaluates expressions, read off the syntax tree, so that
those of a comprehension, or of statements that a notebook compiles one by one, can be compared with their
neighbours.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

from vizgrad.debugger.session.grouping.positions import Branch, Function, Loop, Position, order_of

#: Longer statements of loops are cut in their middle.
LONGEST_TITLE = 40

#: What goes through a list, or a graph, within one call; the first only as functions.
_MANY_BUILTIN = frozenset(("dict", "list", "map", "max", "min", "set", "sorted", "sum", "tuple"))
_MANY = frozenset((
    "accumulate", "backward", "chain_matmul", "einsum", "functional_call", "grad", "hessian", "hvp",
    "jacobian", "jvp", "multi_dot", "prod", "reduce", "starmap", "vhp", "vjp", "vmap",
))  # fmt: skip


Span: TypeAlias = tuple[int, int, int, int]  # line, column, end line, end column


class _Around(NamedTuple):
    """What an expression is in."""

    function: Function
    loops: tuple[Loop, ...] = ()
    branches: tuple[Branch, ...] = ()

    def within(self, loop: Loop) -> _Around:
        return self._replace(loops=(*self.loops, loop))

    def way(self, fork: int, way: int) -> _Around:
        return self._replace(branches=(*self.branches, Branch(fork, way, len(self.loops))))


class _Done(NamedTuple):
    """All parts of an expression are read; `stored`: it was read, and is written now."""

    node: ast.AST
    stored: bool = False


class _Turn(NamedTuple):
    """A loop begins its turns, going through an expression."""

    loop: Loop
    over: ast.expr | None = None


#: A part to be read, a loop that begins its turns here, an expression that is evaluated now.
_Part: TypeAlias = "ast.AST | Sequence[ast.AST] | _Turn | _Done | None"
_Work: TypeAlias = tuple[_Part, _Around]
_Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Program:
    """The text of one file or cell, read as far as it is asked about."""

    def __init__(self, file: str, text: str) -> None:
        """May raise SyntaxError, ValueError, RecursionError or MemoryError: it is no program."""
        self.file = file
        self.top = Function(file, "", read=self.read_top)
        self._statements = ast.parse(text).body
        self._first_lines = list(map(_first_line, self._statements))
        self._read: set[int] = set()
        self._all_read = False
        self._orders = count()
        self._forks = count()
        self._loops: dict[ast.comprehension, Loop] = {}
        self._assigned: dict[ast.Lambda, str] = {}
        #: By the end of an expression: where it begins, is it a call, its position.
        self._ends: dict[tuple[int, int], list[tuple[int, int, bool, Position]]] = {}
        self._stored: dict[Span, Position] = {}
        self._lines: list[tuple[int, int, Position]] = []

    def at(self, span: Span, *, stored: bool = False) -> Position | None:
        """The position of the expression at `span`, or of the statement in its line.

        `stored`: of writing it, if it was read before (``x[i] += 1``).
        """
        line, column, end_line, end_column = span
        self._read_line(line)
        if stored and span in self._stored:
            return self._stored[span]
        called: tuple[int, int, Position] | None = None
        for start, start_column, is_call, position in self._ends.get((end_line, end_column), ()):
            if (start, start_column) == (line, column):
                return position
            if is_call and (called is None or (start, start_column) < called[:2]):
                called = start, start_column, position  # of a method: told from its name on
        return self.at_line(line) if called is None else called[2]

    def at_line(self, line: int) -> Position | None:
        """The position of the smallest statement that the line is in."""
        self._read_line(line)
        found = [entry for entry in self._lines if entry[0] <= line <= entry[1]]
        return min(found, key=_size)[2] if found else None

    def read_top(self) -> None:
        """Reads what is in no function."""
        if self._all_read:
            return
        self._all_read = True
        for number, statement in enumerate(self._statements):
            if not isinstance(statement, _Definition):
                self._read_statement(number)
        for calls in (*self.top.calls.values(), *self.top.iterated.values()):
            calls.sort(key=order_of)

    def close(self) -> None:
        """Functions and what is called in them refer to each other: nothing is left in a circle."""
        ends = (position for entries in self._ends.values() for *_, position in entries)
        lines = (position for *_, position in self._lines)
        for position in (*ends, *self._stored.values(), *lines):
            position.function.calls.clear()
            position.function.iterated.clear()
        self.top.calls.clear()
        self.top.iterated.clear()
        self.top.read = None

    def _read_line(self, line: int) -> None:
        number = bisect_right(self._first_lines, line) - 1
        while number >= 0 and line <= (self._statements[number].end_lineno or 0):
            self._read_statement(number)
            number -= 1  # the one before may end in the same line

    def _read_statement(self, number: int) -> None:
        if number in self._read:
            return
        self._read.add(number)
        self._orders = count(number << 32)
        stack: list[_Work] = [(self._statements[number : number + 1], _Around(self.top))]
        while stack:
            part, around = stack.pop()
            match part:
                case None:
                    pass
                case _Turn():
                    self._begin(part, around)
                case _Done():
                    self._note(part, around)
                case ast.AST():
                    stack += reversed(list(self._parts(part, around)))
                case _:
                    stack += reversed(list(self._block(part, around)))

    # --- the order of evaluation ------------------------------------------------------------------

    def _block(self, parts: Sequence[ast.AST], around: _Around) -> Iterator[_Work]:
        """What follows an `if` that is left early is like its other branch."""
        for part in parts:
            if not isinstance(part, ast.If):
                yield part, around
                continue
            fork = next(self._forks)
            yield part.test, around
            yield part.body, around.way(fork, 0)
            yield part.orelse, around.way(fork, 1)
            yield _Done(part), around
            if _leaves(part.body):
                around = around.way(fork, 1)
            elif _leaves(part.orelse):
                around = around.way(fork, 0)

    def _parts(self, node: ast.AST, around: _Around) -> Iterator[_Work]:
        """The parts of a statement or expression as they are evaluated, and then itself."""
        if isinstance(node, ast.AugAssign):
            yield node.target, around
            yield node.value, around
            yield _Done(node), around
            yield _Done(node.target, stored=True), around
            return
        yield from (self._statement if isinstance(node, ast.stmt) else self._expression)(
            node, around
        )
        yield _Done(node), self._calling(node, around) if isinstance(node, ast.Call) else around

    def _statement(self, node: ast.AST, around: _Around) -> Iterator[_Work]:
        match node:
            case ast.For() | ast.AsyncFor():
                loop = Loop(around.function, _for(node), node.lineno)
                yield node.iter, around
                yield _Turn(loop, node.iter), around
                yield node.target, around.within(loop)
                yield node.body, around.within(loop)
                yield node.orelse, around
            case ast.While():
                loop = Loop(around.function, _shortened("while " + _text(node.test)), node.lineno)
                yield _Turn(loop), around
                yield node.test, around.within(loop)
                yield node.body, around.within(loop)
                yield node.orelse, around
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield from self._definition(node, around)
            case ast.Match():
                fork = next(self._forks)
                yield node.subject, around
                for way, case in enumerate(node.cases):
                    yield case.guard, around
                    yield case.body, around.way(fork, way)
            case ast.With() | ast.AsyncWith():
                yield node.items, around
                yield node.body, around
            case ast.Try() | ast.TryStar():
                yield node.body, around
                for handler in node.handlers:
                    yield handler.body, around
                yield node.orelse, around
                yield node.finalbody, around
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if isinstance(node.value, ast.Lambda) and isinstance(targets[0], ast.Name):
                    self._assigned[node.value] = targets[0].id
                yield node.value, around
                yield targets, around
            case _:
                yield from ((part, around) for part in ast.iter_child_nodes(node))

    def _expression(self, node: ast.AST, around: _Around) -> Iterator[_Work]:
        match node:
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                yield from self._comprehension(node, around)
            case ast.Lambda():
                function = Function(self.file, "<lambda>", node.lineno)
                function.assigned = self._assigned.get(node, "")
                function.variables.update(_parameters(node.args))
                yield node.args, around
                yield node.body, _Around(function)
            case ast.IfExp():
                fork = next(self._forks)
                yield node.test, around
                yield node.body, around.way(fork, 0)
                yield node.orelse, around.way(fork, 1)
            case _:
                yield from ((part, around) for part in ast.iter_child_nodes(node))

    def _comprehension(self, node: _Comprehension, around: _Around) -> Iterator[_Work]:
        for generator in node.generators:
            loop = self._loop_of(generator, around)
            yield generator.iter, around
            yield _Turn(loop, generator.iter), around
            around = around.within(loop)
            yield generator.target, around
            yield generator.ifs, around
        values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        yield values, around

    def _loop_of(self, generator: ast.comprehension, around: _Around) -> Loop:
        if generator not in self._loops:
            self._loops[generator] = Loop(around.function, _for(generator), generator.target.lineno)
        return self._loops[generator]

    def _definition(self, node: _Definition, around: _Around) -> Iterator[_Work]:
        yield node.decorator_list, around
        inside = _Around(Function(self.file, node.name, _first_line(node)))
        if isinstance(node, ast.ClassDef):
            yield node.bases, around
        else:
            inside.function.variables.update(_parameters(node.args))
            yield node.args, around
        yield node.body, inside

    def _calling(self, node: ast.Call, around: _Around) -> _Around:
        """What is called with a generator works at each of its turns (``sum(x * w for w in ws)``)."""
        for argument in node.args:
            if isinstance(argument, ast.GeneratorExp):
                return around.within(self._loop_of(argument.generators[0], around))
        return around

    def _begin(self, turn: _Turn, around: _Around) -> None:
        turn.loop.order = next(self._orders)
        position = Position(
            around.function, turn.loop.order, (*around.loops, turn.loop), around.branches
        )
        for node in () if turn.over is None else ast.walk(turn.over):
            if isinstance(node, ast.Call) and (name := _called(node.func)):
                around.function.iterated.setdefault(name, []).append(position)

    # --- what is noted ------------------------------------------------------------------------------

    def _note(self, done: _Done, around: _Around) -> None:
        node = done.node
        if not isinstance(node, (ast.expr, ast.stmt)):
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            around.function.variables.add(node.id)
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            around.function.generator = True
        position = Position(around.function, next(self._orders), around.loops, around.branches)
        end_line, end_column = node.end_lineno or 0, node.end_col_offset or 0
        if done.stored:
            self._stored[node.lineno, node.col_offset, end_line, end_column] = position
        elif isinstance(node, ast.AugAssign) or not isinstance(node, ast.stmt):
            entry = node.lineno, node.col_offset, isinstance(node, ast.Call), position
            self._ends.setdefault((end_line, end_column), []).append(entry)
        else:
            self._lines.append((node.lineno, end_line, position))
        if isinstance(node, ast.Call):
            position.many = _called(node.func) in _MANY or (
                isinstance(node.func, ast.Name) and node.func.id in _MANY_BUILTIN
            )
            around.function.named.add(_called(node.func))
            for called in (node.func, *node.args):
                name = _called(called)
                if name:
                    around.function.calls.setdefault(name, []).append(position)


def _size(entry: tuple[int, int, Position]) -> int:
    return entry[1] - entry[0]


def _called(node: ast.expr) -> str | int:
    match node:
        case ast.Name():
            return node.id
        case ast.Attribute():
            return node.attr
        case ast.Lambda():
            return node.lineno
        case _:
            return ""


def _parameters(arguments: ast.arguments) -> Iterator[str]:
    return (node.arg for node in ast.walk(arguments) if isinstance(node, ast.arg))


def _first_line(statement: ast.stmt) -> int:
    """That of a decorator, as code objects have it."""
    decorators = getattr(statement, "decorator_list", ())
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    return bool(statements) and isinstance(
        statements[-1], (ast.Continue, ast.Break, ast.Return, ast.Raise)
    )


def _for(loop: ast.For | ast.AsyncFor | ast.comprehension) -> str:
    return _shortened(f"for {_text(loop.target)} in {_text(loop.iter)}")


def _text(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except RecursionError:
        return "…"


def _shortened(text: str) -> str:
    """On one line, with the middle left out if it is long."""
    text = " ".join(text.split())
    if len(text) <= LONGEST_TITLE:
        return text
    half = (LONGEST_TITLE - 1) // 2
    return text[: LONGEST_TITLE - 1 - half] + "…" + text[-half:]

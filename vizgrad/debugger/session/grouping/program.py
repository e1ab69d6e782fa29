"""The place of an instruction in the text of a program: its function, loops around it, its turn in them.

The order of instructions is that in which Python evaluates expressions, read off the syntax tree, so that
those of a comprehension, or of statements that a notebook compiles one by one, can be compared with their
neighbours.
"""

from __future__ import annotations

import ast
import dis
import linecache
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import CodeType
from typing import NamedTuple, TypeAlias

from vizgrad.core.errors import Place
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.engines.api.summarizer import Spot

# --- where in a program an expression stands --------------------------------------------------------


@dataclass(eq=False, slots=True)
class Function:
    """A function, lambda or class body of a program; `name` is empty for what is in none of them."""

    file: str
    name: str
    line: int = 0
    #: Does going back in it mean that it was called again? (Or there may be a loop that is not known.)
    straight: bool = True
    #: Where it calls others, or hands them to something that it calls, by `key`.
    calls: dict[str | int, list[Position]] = field(
        default_factory=dict[str | int, list["Position"]]
    )
    #: As `calls`, of loops that go through what is called; a generator works at the beginning of each turn.
    iterated: dict[str | int, list[Position]] = field(
        default_factory=dict[str | int, list["Position"]]
    )
    generator: bool = False
    #: Names that are called.
    named: set[str | int] = field(default_factory=set[str | int])
    #: Names of its parameters, and of what it assigns to.
    variables: set[str | int] = field(default_factory=set[str | int])
    #: For code outside of functions: reads the rest of it.
    read: Callable[[], None] | None = None
    #: The target that a lambda is assigned to.
    assigned: str = ""

    @property
    def key(self) -> str | int:
        """The key of it: its name, or the line of a lambda that has none."""
        if self.name == "<lambda>":
            return self.assigned or self.line
        return self.name

    def called(self, other: Function, *, by_name: bool = False) -> Sequence[Position]:
        """Where in it `other` is called, or (unless `by_name`) handed to what is called."""
        if self.read is not None:
            self.read()
        if other.generator and other.key in self.iterated:
            return self.iterated[other.key]
        if by_name and other.key not in self.named:
            return ()
        return self.calls.get(other.key, ())

    def called_otherwise(self, other: Function) -> Sequence[Position]:
        """Where it calls something that it was given, if it does not call `other` by its name."""
        if self.called(other):
            return ()
        given = [position for name in self.variables & self.named for position in self.calls[name]]
        return sorted(given, key=order_of)


@dataclass(eq=False, slots=True)
class Loop:
    """A statement or comprehension; `order` is that of its first turn."""

    function: Function
    title: str
    line: int
    order: int = 0
    comprehension: bool = False


class Branch(NamedTuple):
    """One of the ways that exclude each other, in the innermost of so many loops."""

    fork: int
    way: int
    loops: int


@dataclass(eq=False, slots=True)
class Position:
    """Where an expression stands: within a function, when its turn comes, in which loops and branches.

    A smaller `order` is evaluated before, if both are in one turn of all loops around them.
    """

    function: Function
    order: int
    loops: tuple[Loop, ...] = ()
    branches: tuple[Branch, ...] = ()
    #: May one evaluation record a row of equal nodes (``sum(losses)``)?
    many: bool = False


def order_of(position: Position) -> int:
    """For sorting."""
    return position.order


# --- from instructions to positions in the text of programs ---------------------------------------


_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Places:
    """Where spots are, for as long as one graph is looked at. Code without text is known by its code
    object.
    """

    def __init__(self) -> None:
        self._programs: dict[str, Program | None] = {}
        self._spans: dict[CodeType, list[tuple[int | None, ...]]] = {}
        self._positions: dict[tuple[int, int], Position] = {}
        self._unread: dict[tuple[str, str, int], Function] = {}
        self._lines: dict[tuple[Function, int], Place] = {}

    def close(self) -> None:
        """All was read that will be."""
        for program in self._programs.values():
            if program is not None:
                program.close()

    def position(self, spot: Spot) -> Position:
        key = id(spot.code), spot.offset  # to hash a code object takes long
        known = self._positions.get(key)
        if known is None:
            known = self._positions[key] = self._read(spot) or self._unknown(spot)
        return known

    def top(self, function: Function) -> Function | None:
        """The code outside of all functions in the file of a function."""
        program = self.program(function.file)
        return None if program is None else program.top

    def line(self, function: Function, line: int) -> Place:
        """A line in a function."""
        known = self._lines.get((function, line))
        if known is None:
            file, name = function.file, function.name or "<module>"
            text = linecache.getline(file, line).strip()
            shown = UPCALLS.line_shown(file, line)
            known = Place(file, shown, name, UPCALLS.cell_of(file), text)
            self._lines[function, line] = known
        return known

    def of(self, spot: Spot | None) -> Place | None:
        """The line of an instruction."""
        if spot is None:
            return None
        line = spot.line or spot.code.co_firstlineno
        return self.line(self.position(spot).function, line)

    def program(self, file: str) -> Program | None:
        """None if its text is not available, or is none."""
        if file not in self._programs:
            text = "".join(linecache.getlines(file))
            try:
                self._programs[file] = Program(file, text) if text else None
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._programs[file] = None
        return self._programs[file]

    def _read(self, spot: Spot) -> Position | None:
        """None if there is no text, or another than that which was compiled."""
        code = spot.code
        program = self.program(code.co_filename)
        if program is None:
            return None
        line, end_line, column, end_column = self._span(spot)
        if line is None or end_line is None or column is None or end_column is None:
            line = spot.line if line is None else line
            position = None if line is None else program.at_line(line)
        else:
            span = line, column, end_line, end_column
            position = program.at(span, stored=_stores(spot))
        if position is None or not (_is_comprehension(code) or _is_of(code, position.function)):
            return None
        return position

    def _span(self, spot: Spot) -> tuple[int | None, ...]:
        spans = self._spans.get(spot.code)
        if spans is None:
            spans = self._spans[spot.code] = list(spot.code.co_positions())
        at = spot.offset // 2
        return spans[at] if at < len(spans) else (None,) * 4

    def _unknown(self, spot: Spot) -> Position:
        code = spot.code
        name = "" if _is_top(code) else code.co_name
        key = code.co_filename, name, code.co_firstlineno
        function = self._unread.get(key)
        if function is None:
            function = Function(code.co_filename, name, code.co_firstlineno, _is_straight(code))
            self._unread[key] = function
        return Position(function, spot.offset)


def _is_straight(code: CodeType) -> bool:
    return not any("JUMP_BACKWARD" in one.opname for one in dis.get_instructions(code))


def _is_comprehension(code: CodeType) -> bool:
    return code.co_name in _COMPREHENSIONS


def _is_top(code: CodeType) -> bool:
    """Is it that of a module or notebook cell?"""
    return code.co_name == "<module>" or code.co_name.startswith("<cell line")


def _is_of(code: CodeType, function: Function) -> bool:
    if _is_top(code):
        return not function.name
    return code.co_name == function.name and code.co_firstlineno == function.line


def _stores(spot: Spot) -> bool:
    return dis.opname[spot.code.co_code[spot.offset]].startswith("STORE_")


# --- what the text of a program says of an instruction ----------------------------------------------


#: Longer statements of loops are cut in their middle.
LONGEST_TITLE = 72

#: Functions that go through a list, or a graph, within one call; the first only as functions.
_MANY_BUILTIN = frozenset(("dict", "list", "map", "max", "min", "set", "sorted", "sum", "tuple"))
_MANY = frozenset((
    "accumulate", "backward", "chain_matmul", "einsum", "functional_call", "grad", "hessian", "hvp",
    "jacobian", "jvp", "multi_dot", "prod", "reduce", "starmap", "vhp", "vjp", "vmap",
))  # fmt: skip


Span: TypeAlias = tuple[int, int, int, int]  # line, column, end line, end column


class _Around(NamedTuple):
    """The scope of an expression."""

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
        """The code after an `if` that is left early is like its other branch."""
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
            line = generator.target.lineno
            loop = Loop(around.function, _for(generator), line, comprehension=True)
            self._loops[generator] = loop
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
        """A function called with a generator works at each of its turns (``sum(x * w for w in ws)``)."""
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

"""From instructions to positions in the text of programs."""

from __future__ import annotations

import dis
import linecache
from types import CodeType

from vizgrad.core import errors
from vizgrad.core.errors import Place
from vizgrad.debugger.engines.api.node_origin import Spot
from vizgrad.debugger.session.grouping.positions import Function, Position
from vizgrad.debugger.session.grouping.program import Program

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


class Places:
    """Where spots are, for as long as one graph is looked at. What has no text is known by its code."""

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
        """What is in no function of the file that a function is in."""
        program = self.program(function.file)
        return None if program is None else program.top

    def line(self, function: Function, line: int) -> Place:
        """A line in a function."""
        known = self._lines.get((function, line))
        if known is None:
            file, name = function.file, function.name or "<module>"
            text = linecache.getline(file, line).strip()
            shown = errors.line_shown(file, line)
            known = Place(file, shown, name, errors.cell_of(file), text)
            self._lines[function, line] = known
        return known

    def of(self, spot: Spot | None) -> Place | None:
        """The line of an instruction."""
        if spot is None:
            return None
        line = spot.line or spot.code.co_firstlineno
        return self.line(self.position(spot).function, line)

    def program(self, file: str) -> Program | None:
        """None if its text is not to be had, or is none."""
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

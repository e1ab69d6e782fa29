"""The text of a file whose lines recorded nodes, and whether it is what was compiled."""

from __future__ import annotations

import linecache
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from stat import S_ISREG
from types import CodeType
from typing import NamedTuple

from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger import model
from vizgrad.debugger.engines.api.summarizer import Spot

# Which cells of a notebook have run, as texts of a program: the kernel that runs them tells
# (`vizgrad.debugger.jupyter.widget.line_messages`).


class Ran(NamedTuple):
    """A cell that was run at tick `since` of the engine's clock (`vizgrad.core.tensor.storage`).

    `first` is how many lines of its `text` stand before what IPython was given to run: a cell magic. `cell`
    is its id, empty where a front end does not tell it.
    """

    cell: str
    text: str
    since: int
    first: int = 0

    @property
    def before(self) -> int:
        """Lines of `text` before the first that was compiled: IPython leaves empty ones away."""
        given = self.text.splitlines()[self.first :]
        return self.first + next((at for at, line in enumerate(given) if line.strip()), 0)


#: A larger file is not shown.
MOST_BYTES = 2_000_000


def read_source(compiled: Compiled) -> tuple[str, bool, str]:
    """(text, whether something else was compiled, why there is no text)."""
    file = compiled.shown.file
    if compiled.shown.text:
        return compiled.shown.text, False, ""
    try:
        found = Path(file).stat()
    except (OSError, ValueError):
        size = 0  # only linecache may know it
    else:
        if not S_ISREG(found.st_mode):  # to read a pipe or a terminal may never end
            return "", False, f"{file} is not a file that can be shown"
        size = found.st_size
    if size > MOST_BYTES:
        return "", False, f"{file} is too large to be shown ({size:,} bytes)"
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file))
    if not text:
        return (
            "",
            False,
            f"The text of {file} is not available: the file is gone, or cannot be read",
        )
    return text, not _holds(text, file, compiled.codes.values()), ""


def _holds(text: str, file: str, codes: Iterable[CodeType]) -> bool:
    """Are these codes, or the same, in what the text is compiled to?"""
    wanted = list(codes)
    try:
        left = [compile(text, file, "exec", dont_inherit=True)]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    while left and wanted:
        one = left.pop()
        wanted = [code for code in wanted if not _same(one, code)]
        left += [const for const in one.co_consts if isinstance(const, CodeType)]
    return not wanted


def _same(one: CodeType, other: CodeType) -> bool:
    return (
        one.co_firstlineno == other.co_firstlineno
        and one.co_qualname == other.co_qualname
        and one.co_code == other.co_code
        and list(one.co_lines()) == list(other.co_lines())
    )


# --- from compiled lines to lines that the user reads -----------------------------------------------

# it is.


class Extent(NamedTuple):
    """Where a call stands: lines count from 1, columns from 0 in units of UTF-16."""

    line: int
    column: int
    end_line: int
    end_column: int


class Compiled:
    """A file name's text, as it was compiled, and as a person reads it."""

    def __init__(self, file: str, ran: Ran | None) -> None:
        #: The code objects that were compiled from it and recorded nodes, by identity.
        self.codes: dict[int, CodeType] = {}
        self._lines = [line.rstrip("\n") for line in linecache.getlines(file)]
        cell = UPCALLS.cell_of(file)
        name = cell or file.replace("\\", "/").rpartition("/")[2]
        #: The lines that stand for those compiled; the same, where it is not a cell.
        self._read = self._lines
        self._shift = 0
        if ran is not None:
            self._read = ran.text.splitlines()
            self._shift = ran.before
        self.shown = model.CodeFile(
            file,
            name,
            "" if ran is None else ran.cell,
            ran.text if ran is not None else "\n".join(self._lines) if cell else "",
        )

    def line(self, compiled: int) -> int | None:
        """The line that a person reads; None if another stands there (a magic)."""
        line = compiled + self._shift
        if self._read is self._lines:
            return line
        if not (0 < compiled <= len(self._lines) and line <= len(self._read)):
            return None
        same = self._read[line - 1].strip() == self._lines[compiled - 1].strip()
        return line if same else None

    def extent(self, spot: Spot) -> Extent | None:
        """The extent of the call that an instruction makes, if it is known."""
        at = spot.offset // 2
        found = next(islice(spot.code.co_positions(), at, at + 1), (None,) * 4)
        line, end_line, column, end_column = found
        if line is None or end_line is None or column is None or end_column is None:
            return None
        first, last = self.line(line), self.line(end_line)
        begin, end = self._column(line, column), self._column(end_line, end_column)
        if first is None or last is None or begin is None or end is None:
            return None
        return Extent(first, begin, last, end)

    def _column(self, compiled: int, column: int) -> int | None:
        """Python counts bytes of UTF-8, and what is compiled may be less indented."""
        if not 0 < compiled <= len(self._lines):
            return None
        text = (
            self._lines[compiled - 1]
            .encode("utf-8", "surrogatepass")[:column]
            .decode("utf-8", "ignore")
        )
        read = self._read[compiled + self._shift - 1]
        indent = _indent(read) - _indent(self._lines[compiled - 1])
        return len(text.encode("utf-16-le", "surrogatepass")) // 2 + indent


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

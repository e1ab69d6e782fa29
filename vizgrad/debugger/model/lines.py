"""A run as a person's program sees it: what the lines that recorded nodes are told of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MarkKind = Literal["next", "nonfinite", "error", "inside", "selected"]


@dataclass(frozen=True, slots=True)
class CodeFile:
    """A text that recorded nodes: a cell of a notebook, or a file.

    `name` is what a person calls it: ``In [3]``, ``train.py``. `cell` is the id of the cell, where that is
    known, and `text` what it held when it ran; both are empty for a file.
    """

    file: str
    name: str
    cell: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """Line `line` (the first is 1) of text number `file`: it recorded `nodes` nodes, also within modules of
    the library that it called, in so many `turns` (of a loop, or calls of a function). Where breakpoints are
    set it is line `named`: another only where cells of one text were run with a magic and without.
    """

    file: int
    line: int
    nodes: int
    turns: int
    named: int


@dataclass(frozen=True, slots=True)
class LineRun:
    """How line number `line` is doing: nodes of so many of its turns have been run. `norm` is that of the
    gradient which arrived at `node`, the first to be run of the latest of these: None if it was undefined.
    """

    line: int
    turns: int
    node: int | None = None
    norm: float | None = None


@dataclass(frozen=True, slots=True)
class LineInside:
    """A line of a person's that a node runs, a hook's or a custom Function's: line `line` of a text that may
    have recorded nothing.
    """

    file: CodeFile
    line: int


@dataclass(frozen=True, slots=True)
class LineMark:
    """Where the run stands in the program: at `node`, which is called `name` and was recorded by line number
    `line` (None: it is not known by which).

    - "next": the run is paused at it. "nonfinite": it has made a NaN or an infinity. "error": it raised.
      "selected": a person looks at it, wherever the run stands.
    - "inside": the run is in Python that it runs, and `inside` is the line which comes next there.

    `line` is that of the call where a module of the library recorded the node.

    `text` says why the run stopped there, if something stopped it, and of what is selected what it is. The
    call within the line goes from `column` to `end_column` of line `end_line` of the same text, counted from
    0 in units of UTF-16; None: not known. `blamed` is another line that made the error, as a write in place
    to what the node has saved, and `blamed_text` says what that line did.
    """

    node: int
    name: str
    line: int | None
    kind: MarkKind = "next"
    text: str = ""
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    inside: LineInside | None = None
    blamed: LineInside | None = None
    blamed_text: str = ""


@dataclass(frozen=True, slots=True)
class LineNode:
    """A node of a line: `turn` counts from 0, as the program ran."""

    node: int
    turn: int
    name: str
    done: bool


@dataclass(frozen=True, slots=True)
class LineStop:
    """Breakpoint number `id` is at line number `line`. The rest is that of `Breakpoint`."""

    line: int
    id: int
    enabled: bool
    condition: str = ""
    hits: int = 0
    log: str = ""
    refused: str = ""

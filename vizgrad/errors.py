"""Errors that explain themselves: what happened, on which line, to which tensor, what to do.

The class and the key phrase of an error are PyTorch's, so that people find it; the rest is a note
(`BaseException.add_note`) and the same as data in `error.explanation`.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from vizgrad.tensor.place import Site

E = TypeVar("E", bound=BaseException)


@dataclass(frozen=True, slots=True)
class Place:
    """A line of somebody's code. `cell` is e.g. ``In [3]`` when the file is a notebook cell."""

    file: str
    line: int
    function: str = ""
    cell: str | None = None
    text: str = ""

    def __str__(self) -> str:
        where = f"{self.cell}, line {self.line}" if self.cell else f"{self.file}:{self.line}"
        return f"{where}: {self.text}" if self.text else where


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why something went wrong. False in a boolean context when there is nothing to explain.

    `kind` is one of the words of the explanation table (README of `vizgrad/inspection`), `culprit` the
    line to edit (None where it is not known: never a guess), `tensor` the variable as the person wrote
    it, or the node's name, `fix` one sentence.
    """

    kind: str
    culprit: Place | None = None
    tensor: str = ""
    fix: str = ""
    story: str = ""

    def __bool__(self) -> bool:
        return self.kind != "healthy"

    def __str__(self) -> str:
        lines = [self.story] if self.story else []
        if self.culprit is not None:
            lines.append(f"  where: {self.culprit}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        return "\n".join(lines) or self.kind


def explained(
    error: E,
    *,
    kind: str,
    fix: str,
    culprit: Place | None = None,
    tensor: str = "",
    story: str = "",
) -> E:
    """Attaches an Explanation to an error, as `error.explanation` and as a note; returns it."""
    explanation = Explanation(kind, culprit, tensor, fix, story)
    error.explanation = explanation  # pyright: ignore[reportAttributeAccessIssue]
    error.add_note(str(explanation))
    return error


def _no_cell(filename: str) -> str | None:
    return None


#: Filename -> the notebook cell it stands for, e.g. ``In [3]``; the front end sets it.
cell_of: Callable[[str], str | None] = _no_cell


def place_of(site: Site | None) -> Place | None:
    """The line of a site, with its source text and, in a notebook, the number of its cell."""
    if site is None:
        return None
    line = site.line()
    return Place(
        file=site.file,
        line=line,
        function=site.function,
        cell=cell_of(site.file),
        text=linecache.getline(site.file, line).strip(),
    )


def wrap_dim(dim: int, ndim: int) -> int:
    """`dim` counted from the start; IndexError with the valid range when there is no such one."""
    limit = max(ndim, 1)
    if not -limit <= dim < limit:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], "
            f"but got {dim})"
        )
    return dim + limit if dim < 0 else dim

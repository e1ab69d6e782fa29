"""Errors that explain themselves: what happened, on which line, to which tensor, what to do.

The class and the key phrase of an error are PyTorch's, so that people find it; the rest is a note
(`BaseException.add_note`) and the same as data in `error.explanation`.
"""

from __future__ import annotations

import dis
import inspect
import linecache
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from sys import _getframe  # pyright: ignore[reportPrivateUsage]  `inspect` is slow to import
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from vizgrad.core.error_lines import below, closer, closer_at_node, magics_loaded
from vizgrad.core.upcalls import UPCALLS

if TYPE_CHECKING:
    from types import FrameType

    from vizgrad.core.tensor.source_location import Site


# --- headings of explanations -------------------------------------------------------------------------


#: By `Explanation.kind`. A kind covers several causes: its heading says what they share.
HEADINGS: dict[str, str] = {
    "saved-overwritten": "Saved value modified in place",
    "hidden-write": "Write that autograd does not track",
    "forbidden-write": "In-place write not allowed",
    "graph-freed": "Graph already released",
    "history-kept": "Graph kept in memory",
    "reference-cycle": "Reference cycle",
    "nonfinite-forward": "NaN or Inf in the forward pass",
    "nonfinite-backward": "NaN or Inf in the backward pass",
    "nonfinite-masked": "NaN or Inf in a masked branch",
    "cut-detach": "Gradient cut off",
    "cut-dtype": "Gradient cut off by a dtype",
    "grad-mode": "Gradient mode",
    "unused": "Not used by the loss",
    "not-a-leaf": "Not a leaf tensor",
    "not-scalar": "Not a scalar",
    "zero-derivative": "Gradient is zero",
    "ill-scaled": "Badly scaled gradient",
    "function-return": "Error in a custom Function",
    "function-dirty": "Input modified without mark_dirty()",
    "second-order-cut": "Second-order gradient cut off",
    "not-repeatable": "Result not repeatable",
    "hook-effect": "Effect of a hook",
    "grad-accumulated": "Gradients not zeroed",
    "shape-broadcast": "Unintended broadcasting",
    "double-normalised": "Normalised twice",
    "module-mode": "Wrong training or evaluation mode",
    "not-optimized": "Parameter not in the optimizer",
    "step-too-large": "Optimizer step too large",
    "step-order": "Wrong order around step()",
    "shared-memory": "Parameters in the same memory",
    "needless-gradient": "Unneeded gradient computed",
    "wrong-call": "Wrong arguments",
    "internal": "Defect in vizgrad",
    "healthy": "No problems found",
}


def heading(kind: str) -> str:
    """The heading of explanations of this kind; of a kind that is not known its id, in words."""
    return HEADINGS.get(kind) or kind.replace("-", " ").capitalize()


# --- explanations and errors --------------------------------------------------------------------------


E = TypeVar("E", bound=BaseException)


class Source(Protocol):
    """Gives the lines of files, as the module `linecache` does."""

    def getline(self, filename: str, lineno: int, /) -> str: ...

    def getlines(self, filename: str, /) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the user's code. `cell` is e.g. ``In [3]`` when the file is a notebook cell, whose lines are
    counted as its editor does.
    """

    file: str
    line: int
    function: str = ""
    cell: str | None = None
    text: str = ""

    def __str__(self) -> str:
        where = f"{self.cell}, line {self.line}" if self.cell else f"{self.file}:{self.line}"
        return f"{where}: {self.text}" if self.text else where


@dataclass(frozen=True, slots=True)
class Link:
    """One thing on the way from what was seen to what it comes from.

    `text` is what a person calls it, or the name of its node; `node` the number under which that node was
    recorded (`Node.sequence_nr`), None for leaves and what no node stands for.
    """

    text: str
    place: Place | None = None
    node: int | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why something went wrong. False in a boolean context when there is nothing to explain.

    `kind` is one of the words of the explanation table (README of `vizgrad/debugger/session`), `culprit` the
    line to edit (None where it is not known: never a guess), `tensor` the variable as the person wrote
    it, or the node's name, `fix` one sentence. `chain` leads from the symptom (first) to the cause
    (last), the shortest way; empty where it is not known. `mended` is the culprit's line as it could be,
    where one changed line does it. `when` says in which rounds of which loop it happened, and `backward` is
    the number of the first call of backward in the watched block that it belongs to (0: not known). `there`
    is the magic that debugs that in a notebook, at the top of the cell whose id is `cell`. `title` is the
    heading of this cause, where that of the kind says less. `nearest` is the line of the user's that led to
    a culprit in an installed package, `within` the modules that were called: "layers.1/ln_2".
    """

    kind: str
    culprit: Place | None = None
    tensor: str = ""
    fix: str = ""
    story: str = ""
    chain: tuple[Link, ...] = ()
    mended: str = ""
    when: str = ""
    backward: int = 0
    there: str = ""
    cell: str = ""
    title: str = ""
    nearest: Place | None = None
    within: str = ""

    @property
    def heading(self) -> str:
        """In words, at most 40 characters: of the cause, else of the kind."""
        return self.title or heading(self.kind)

    def __bool__(self) -> bool:
        return self.kind != "healthy"

    def __str__(self) -> str:
        lines = [self.story] if self.story else []
        if self.culprit is not None:
            lines.append(f"  where: {self.culprit}")
        if self.nearest is not None:
            modules = f", in {self.within}" if self.within else ""
            lines.append(f"  called from: {self.nearest}{modules}")
        if self.when:
            lines.append(f"  when: {self.when}")
        if len(self.chain) > 1:
            lines.append(f"  chain: {chain_text(self.chain)}")
        if self.fix:
            lines.append(f"  fix: {self.fix}")
        if self.mended and self.culprit is not None:
            lines += [f"    - {self.culprit.text}", f"    + {self.mended}"]
        if self.there:
            lines.append(f"  debug there: {self.there} at the top of the cell")
        return "\n".join(lines) or self.heading

    def __repr__(self) -> str:
        """As it reads: its fields (`kind`, `culprit`, `chain`, `fix`) say the same as data."""
        return _with_kind(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return _bundle(_with_kind(self), (self,))


def _with_kind(explanation: Explanation) -> str:
    return f"{explanation.heading}: {explanation}" if explanation else str(explanation)


#: Links of a chain that are written out at its beginning, and at its end.
_FIRST, _LAST = 3, 3


def chain_text(chain: Sequence[Link]) -> str:
    """``w.grad <- MulBackward0 (train.py:3) <- LogBackward0 (train.py:2)``. Links in a row with one place
    say it once; those in the middle of a long chain are counted.
    """
    said: list[str] = []
    for place, links in groupby(chain, lambda link: link.place):
        texts = [text for text, _ in groupby(link.text for link in links)]
        if place is not None:
            texts[-1] += f" ({short_place(place)})"
        said += texts
    if len(said) > _FIRST + _LAST + 1:
        left_out = len(said) - _FIRST - _LAST
        said[_FIRST:-_LAST] = [f"({left_out} more)"]
    return " <- ".join(said)


def short_place(place: Place) -> str:
    """``train.py:3``; of a notebook ``In [4], line 3``."""
    if place.cell:
        return f"{place.cell}, line {place.line}"
    return f"{os.path.basename(place.file)}:{place.line}"  # noqa: PTH119  pathlib is slow to import


def in_library(place: Place) -> bool:
    """Does it lie in a package that was installed, and not in code of the user's?"""
    return not place.cell and is_library(place.file)


def is_library(file: str) -> bool:
    """Is it a file of an installed package?"""
    return not _LIBRARIES.isdisjoint(file.replace("\\", "/").split("/"))


_LIBRARIES = frozenset({"site-packages", "dist-packages"})


class Findings(list[Explanation]):
    """A list of explanations that prints as it reads."""

    def __repr__(self) -> str:
        return "\n\n".join(map(_with_kind, self)) or "No problems found"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return _bundle(repr(self), self)


def _bundle(text: str, shown: Sequence[Explanation]) -> dict[str, str]:
    html = UPCALLS.explanations_html(shown)
    return {"text/plain": text, "text/html": html} if html else {"text/plain": text}


def _not_drawn(shown: Sequence[Explanation]) -> str:
    return ""


UPCALLS.explanations_html = _not_drawn


def explained(
    error: E,
    *,
    kind: str,
    fix: str,
    culprit: Place | None = None,
    tensor: str = "",
    story: str = "",
    title: str = "",
) -> E:
    """Attaches an Explanation to an error, as `error.explanation` and as a note; returns it."""
    explain(error, Explanation(kind, culprit, tensor, fix, story, title=title))
    return error


def explain(error: BaseException, explanation: Explanation, *, watched: bool = False) -> None:
    """Gives an error its explanation, in place of an earlier one. `watched`: it has all that a watch knows.

    The note below the message has four lines at most (`error_lines.py`).
    """
    # exceptions take any attribute
    error.explanation = explanation  # pyright: ignore[reportAttributeAccessIssue]
    story = explanation.story or getattr(error, "_was_running", "")
    _write_lines(error, explanation, story, watched)


def running(error: BaseException, name: str, recorded: Place | None) -> None:
    """An error came out of the node `name`, or of "a hook"; the line `recorded` recorded it: a note says so.

    Called below whatever called the engine: frames of the user's in the traceback are those that the node
    called.
    """
    explanation: Explanation | None = getattr(error, "explanation", None)
    story = f"while running {name}" + ("" if recorded is None else f", recorded at {recorded}")
    if explanation is None:
        if any(each.startswith("while running ") for each in getattr(error, "__notes__", ())):
            return
        raised = raising_place(error)
        error._raised_at = raised  # pyright: ignore[reportAttributeAccessIssue]  as above
        where = "" if raised is None else str(raised)
        advice = closer_at_node(name) if name.isidentifier() else closer("hook-effect", "", "")
        error.add_note(below(story, where, advice=advice))
    elif not explanation.story and (recorded is None or explanation.culprit != recorded):
        error._was_running = story  # pyright: ignore[reportAttributeAccessIssue]
        _write_lines(error, explanation, story, watched=False)


def raising_place(error: BaseException) -> Place | None:
    """The innermost line of the user's own code that an error went through; None: there is none."""
    found: TracebackType | None = None
    trace = error.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        if not _is_installed(frame.f_code.co_filename) and not _within(frame):
            found = trace
        trace = trace.tb_next
    return None if found is None else place_at(found.tb_frame.f_code, found.tb_lineno)


def own_line(error: BaseException | None) -> Place | None:
    """The line of a hook or of a custom Function that raised or returned what was refused; else None."""
    explanation: Explanation | None = getattr(error, "explanation", None)
    if explanation is None:
        return getattr(error, "_raised_at", None)
    return explanation.culprit if explanation.kind in ("function-return", "hook-effect") else None


def hide_frames(error: BaseException) -> None:
    """Leaves the frames of vizgrad out of the traceback of an error that is explained, or that the user's own
    code raised: call it where a public function catches the error, then `raise`.

    The last line is then the user's. A defect of vizgrad keeps all its frames, and so does every error where
    the variable VIZGRAD_FULL_TRACEBACKS is set, or a notebook hides frames by itself.
    """
    if magics_loaded() or os.environ.get("VIZGRAD_FULL_TRACEBACKS", "0") not in ("", "0"):
        return
    links: list[TracebackType] = []
    compiled: list[
        TracebackType
    ] = []  # of an operation: a formula may be the user's, and calls their code
    trace, ours = error.__traceback__, True
    while trace is not None:
        ours = _is_vizgrad(trace.tb_frame)
        if not ours:
            links += [*compiled, trace]
        is_operation = ours and trace.tb_frame.f_code.co_filename.startswith("<vizgrad ")
        compiled = [*compiled, trace] if is_operation else []
        trace = trace.tb_next
    explanation: Explanation | None = getattr(error, "explanation", None)
    if ours and (explanation is None or explanation.kind == "internal"):
        return
    shown: TracebackType | None = None
    for each in reversed(links):
        shown = TracebackType(shown, each.tb_frame, each.tb_lasti, each.tb_lineno)
    error.__traceback__ = shown


def _is_vizgrad(frame: FrameType) -> bool:
    name, file = frame.f_globals.get("__name__") or "", frame.f_code.co_filename
    return name.startswith(_WITHIN[0]) or file.startswith("<vizgrad")


def _is_installed(file: str) -> bool:
    """Is it a file of a library, of Python itself, or one that was never written?"""
    return (
        file.startswith((_LIBRARY, "<frozen ", "<vizgrad"))
        or f"{os.sep}site-packages{os.sep}" in file
    )


_LIBRARY = os.__file__.rpartition(os.sep)[0] + os.sep


def _write_lines(error: Any, explanation: Explanation, story: str, watched: bool) -> None:
    place, mended = explanation.culprit, explanation.mended
    known = "" if place is None else place.text
    advice = closer(explanation.kind, explanation.tensor, known, watched=watched)
    note = below(story, "" if place is None else str(place), explanation.fix, mended, advice)
    before, notes = getattr(error, "_lines_below", None), getattr(error, "__notes__", [])
    error._lines_below = note
    if before in notes:
        notes[notes.index(before)] = note
    else:
        error.add_note(note)


def _no_cell(filename: str) -> str | None:
    return None


def _same_line(filename: str, line: int) -> int:
    return line


UPCALLS.cell_of = _no_cell
UPCALLS.line_shown = _same_line


def place_of(site: Site | None, source: Source | None = linecache) -> Place | None:
    """The line of a site, with its text in `source` (None: without), and with the number of its cell."""
    if site is None:
        return None
    line = site.line()
    return Place(
        file=site.file,
        line=UPCALLS.line_shown(site.file, line),
        function=site.function,
        cell=UPCALLS.cell_of(site.file),
        text="" if source is None else source.getline(site.file, line).strip(),
    )


def lines_around(place: Place, beside: int = 2) -> list[tuple[int, str]]:
    """(number, text) of the line of a place and of those beside it, as an editor counts; the line alone where
    the source is no longer available, or has changed.
    """
    lines = linecache.getlines(place.file)
    before = UPCALLS.line_shown(place.file, 1) - 1
    at = place.line - before - 1
    if not 0 <= at < len(lines) or lines[at].strip() != place.text:
        return [(place.line, place.text)] if place.text else []
    first = max(at - beside, 0)
    last = min(at + beside + 1, len(lines))
    return [(n + before + 1, lines[n].rstrip()) for n in range(first, last)]


def function_place(function: Any) -> Place | None:
    """The `def` (or `lambda`) line of a Python function; None when there is none to be had."""
    code = _code_of(function)
    if code is None:
        return None
    line = code.co_firstlineno
    for number in range(line, line + 20):  # the first line is that of a decorator, if there is one
        text = linecache.getline(code.co_filename, number).lstrip()
        if text.startswith(("def ", "async def ")):
            line = number
            break
        if not text.startswith(("@", ")", "#")):
            break
    return place_at(code, line)


def class_place(cls: type) -> Place | None:
    """The line of a class statement; None when its source is not available."""
    for value in vars(
        cls
    ).values():  # upwards from a method: also in a notebook, where classes have no file
        code = getattr(getattr(value, "__func__", value), "__code__", None)
        if code is not None and code.co_qualname.startswith(cls.__qualname__ + "."):
            for line in range(code.co_firstlineno, 0, -1):
                text = linecache.getline(code.co_filename, line).strip()
                if text.startswith(f"class {cls.__name__}"):
                    file = code.co_filename
                    shown = UPCALLS.line_shown(file, line)
                    return Place(file, shown, cls.__qualname__, UPCALLS.cell_of(file), text)
    try:
        lines, start = inspect.getsourcelines(cls)
        file = inspect.getsourcefile(cls) or ""
    except (OSError, TypeError):
        return None
    offset = next((i for i, text in enumerate(lines) if text.lstrip().startswith("class ")), 0)
    text = lines[offset].strip() if lines else ""
    shown = UPCALLS.line_shown(file, start + offset)
    return Place(file, shown, cls.__qualname__, UPCALLS.cell_of(file), text)


def returning_place(function: Any) -> Place | None:
    """The `return` of a function that has just one; else the line where it is defined."""
    code = _code_of(function)
    if code is None:
        return None
    lines = {
        instruction.positions.lineno
        for instruction in dis.get_instructions(code)
        if instruction.opname.startswith("RETURN_") and instruction.opname != "RETURN_GENERATOR"
        if instruction.positions is not None
    }
    line = lines.pop() if len(lines) == 1 else None
    return function_place(code) if line is None else place_at(code, line)


def _code_of(function: Any) -> CodeType | None:
    """The code of a function, or of a code object itself."""
    if isinstance(function, CodeType):
        return function
    return getattr(inspect.unwrap(getattr(function, "__func__", function)), "__code__", None)


def place_at(code: CodeType, line: int) -> Place:
    """A line of a code object, with its text and the notebook cell it is in."""
    return Place(
        file=code.co_filename,
        line=UPCALLS.line_shown(code.co_filename, line),
        function=code.co_qualname,
        cell=UPCALLS.cell_of(code.co_filename),
        text=linecache.getline(code.co_filename, line).strip(),
    )


_warned: set[str] = set()
_warn_always = False


def warn_once(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns the first time only, of the line outside vizgrad that led here."""
    if message in _warned and not _warn_always:
        return
    _warned.add(message)
    warn_outside(message, category)


def warn_outside(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns of the line outside vizgrad that led here."""
    warnings.warn(message, category, stacklevel=_levels_within())


def _levels_within() -> int:
    """The `stacklevel` by which the caller of this function warns of the nearest line outside vizgrad."""
    level, frame = 1, _getframe(1)
    while frame.f_back is not None and _within(frame):
        level, frame = level + 1, frame.f_back
    return level


def _within(frame: FrameType) -> bool:
    return (frame.f_globals.get("__name__") or "").startswith(_WITHIN)


#: `functools` stands between vizgrad's own functions that go by the type of what they get.
_WITHIN = (f"{__name__.partition('.')[0]}.", "functools", "contextlib")


def set_warn_always(enabled: bool) -> None:
    """Lets warnings that are given only once be given every time."""
    global _warn_always
    _warn_always = bool(enabled)


def is_warn_always_enabled() -> bool:
    return _warn_always


def index_of(value: Any) -> int:
    """A whole number as int; TypeError for floats, True and False, and the rest."""
    try:
        if value.__class__ is not bool:
            return value.__index__()
    except (AttributeError, TypeError):
        pass
    raise TypeError(f"expected an int, but got {type(value).__name__}")


def wrap_dim(dim: int, ndim: int) -> int:
    """`dim` counted from the start; IndexError with the valid range when there is no such one."""
    limit = max(ndim, 1)
    if dim.__class__ is not int:
        dim = index_of(dim)
    if not -limit <= dim < limit:
        raise no_such_dim(dim, ndim)
    return dim + limit if dim < 0 else dim


def existing_dim(dim: int, ndim: int) -> int:
    """As `wrap_dim`, but a tensor without dimensions has none that could be meant."""
    if not ndim:
        raise no_dimensions(dim)
    return wrap_dim(dim, ndim)


def no_such_dim(dim: int, ndim: int) -> IndexError:
    """The error for a dim that a tensor of `ndim` dimensions does not have."""
    limit = max(ndim, 1)
    return IndexError(
        f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], "
        f"but got {dim})"
    )


def no_dimensions(dim: Any) -> IndexError:
    """The error for a dim of a tensor without dimensions."""
    return IndexError(f"Dimension specified as {dim} but tensor has no dimensions")

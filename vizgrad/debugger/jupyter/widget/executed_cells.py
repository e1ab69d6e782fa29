"""Remembers which cells have run, by the name that IPython compiles each under."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from vizgrad.core.tensor.storage import tick
from vizgrad.debugger.session.lines.source_files import Ran

#: File names that are known; the oldest are forgotten.
MOST_NAMES = 4096
#: Runs of cells of one text that are known, the latest.
_MOST_EQUAL = 64

_ran: OrderedDict[str, tuple[Ran, ...]] = OrderedDict()
#: For code that a magic of a cell ran: the number of that cell. IPython counts on within it.
_numbers: dict[str, int] = {}


def number_of(file: str) -> int | None:
    """The number of the cell of which a magic ran what has this name; None of others."""
    return _numbers.get(file)


def cells_run(file: str) -> Sequence[Ran]:
    """See `vizgrad.debugger.session.lines.source_files.cells_run`."""
    return _ran.get(file, ())


def line_shown(file: str, line: int) -> int:
    """See `vizgrad.core.errors.line_shown`. Among cells of one text the one that ran last is meant."""
    ran = _ran.get(file)
    return line + ran[-1].before if ran else line


def remember(shell: Any, compiled: str) -> None:
    """The text `compiled` is about to be run: by the cell whose request the kernel answers.

    A cell magic may run a part of its cell. Code that no cell asked for is passed over.
    """
    request: dict[str, Any] = getattr(shell, "get_parent", dict[str, Any])()
    cell, text = request.get("metadata", {}).get("cellId"), request.get("content", {}).get("code")
    if not isinstance(text, str):
        return
    cell = cell if isinstance(cell, str) else ""
    first = _lines_before(compiled, text)
    if first is None:
        return
    name = shell.compile.get_code_name(compiled, compiled, shell.execution_count)
    before = _ran.get(name, ())
    if not before or before[-1].cell != cell or before[-1].text != text:
        _ran[name] = (*before[1 - _MOST_EQUAL :], Ran(cell, text, tick(), first))
    _ran.move_to_end(name)
    _numbers.pop(name, None)
    if first:
        _numbers[name] = shell.displayhook.prompt_count
    if len(_ran) > MOST_NAMES:
        _numbers.pop(_ran.popitem(last=False)[0], None)


def _lines_before(compiled: str, text: str) -> int | None:
    """How many lines of `text` stand before `compiled`, its end; None if it does not end with it."""
    if compiled == text:
        return 0
    part, whole = compiled.rstrip().splitlines(), text.rstrip().splitlines()
    first = len(whole) - len(part)
    return first if first >= 0 and whole[first:] == part else None


# The settings for all views of a JupyterLab, on its setting page.


@dataclass(frozen=True, slots=True)
class Preference:
    """One of two or of some: a bool, or one of `choices`, whose first word is the default."""

    name: str
    title: str
    help: str
    default: bool = False
    choices: tuple[str, ...] = ()


PREFERENCES: tuple[Preference, ...] = (
    Preference(
        "presentation",
        "Presentation size",
        "Views begin with everything drawn larger, for a projector.",
    ),
    Preference(
        "colour_by_gradient",
        "Colour by gradient",
        "Views begin with colours that say how large gradients are, not how far the run is.",
    ),
    Preference(
        "arrangement",
        "How parts share the room",
        "auto: side by side where there are 900 pixels, else the graph above and tabs below; "
        "columns: side by side; tabs: the graph above and tabs below.",
        choices=("auto", "columns", "tabs"),
    ),
)

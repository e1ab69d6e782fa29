"""Where a walk begins: the variables of a person's frames and notebook, and all else that the
interpreter holds.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import get_ident
from types import FrameType
from typing import Any

from vizgrad.core.interpreter import OPTIMIZED, let_go
from vizgrad.core.tensor.source_location import INTERNAL
from vizgrad.debugger.memory.walk import HOST, HOSTS, KINDS, NOTHING, Root

#: IPython's names of the results of cells, beside its list of them.
_RESULTS = re.compile(r"_{1,3}|_\d+")
#: Frames of callers that are looked at.
_MOST_FRAMES = 64


@dataclass(frozen=True)
class Notebook:
    """The variables of a notebook; `hidden` are those that the shell put there."""

    variables: Mapping[str, Any]
    hidden: Mapping[str, Any] = field(default_factory=dict[str, Any])
    #: The results of cells, by the cell's number (`Out`).
    results: Mapping[Any, Any] = field(default_factory=dict[Any, Any])
    #: The attributes of the shell that have the latest results, too.
    also: tuple[Any, ...] = ()


@dataclass
class Found:
    roots: list[Root]
    #: Passed by, for their variables are roots; or they are the reader's own.
    skipped: list[Any]


def variables(frame: FrameType | None, notebook: Notebook | None, asked: Asked) -> Found:
    """The variables of the frame, its callers and their modules, and of the notebook; the nearest come
    first.
    """
    found = Found([], [])
    seen: set[int] = set()
    outer = False
    for each in _frames(frame):
        if not _is_persons(each):
            continue
        if each.f_code.co_flags & OPTIMIZED:
            where = f" of {each.f_code.co_name}()" if outer else ""
            found.roots += _named(asked.of(each), where)
        elif id(each.f_locals) not in seen and each.f_locals is not each.f_globals:
            seen.add(id(each.f_locals))
            found.roots += _named(each.f_locals, "")
            found.skipped.append(each.f_locals)
        outer = True
    for space in _globals(frame):
        if id(space) not in seen and (notebook is None or space is not notebook.variables):
            seen.add(id(space))
            found.skipped.append(space)
            found.roots += _named(space, "")
    if notebook is not None:
        found.skipped += [notebook.variables, notebook.hidden, notebook.results, *notebook.also]
        found.roots += _of_notebook(notebook)
    return found


def _of_notebook(notebook: Notebook) -> Iterator[Root]:
    results = list(notebook.results.values())
    for name, value in list(notebook.variables.items()):
        if _RESULTS.fullmatch(name):
            results.append(value)
        elif _leads_on(value) and notebook.hidden.get(name, notebook) is not value:
            yield Root(name, [value])
    if results:
        yield Root("Out", [dict(notebook.results), *results])


def _named(space: Mapping[str, Any], where: str) -> list[Root]:
    return [
        Root(name + where, [value])
        for name, value in list(space.items())
        if _leads_on(value) and not (name.startswith("__") and name.endswith("__"))
    ]


def _leads_on(value: Any) -> bool:
    return KINDS[type(value)] not in (NOTHING, HOST)


def _is_persons(frame: FrameType) -> bool:
    """Neither the library's, nor of what runs the notebook."""
    package = frame.f_globals.get("__package__")
    top = package.partition(".")[0] if isinstance(package, str) else ""
    return INTERNAL[package] is False and top not in HOSTS


def _frames(frame: FrameType | None) -> Iterator[FrameType]:
    for _ in range(_MOST_FRAMES):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def _globals(frame: FrameType | None) -> Iterator[dict[str, Any]]:
    """The globals of the user's nearest frame, and of the main module."""
    for each in _frames(frame):
        if _is_persons(each):
            yield each.f_globals
            break
    main = sys.modules.get("__main__")
    if main is not None:
        yield vars(main)


class Asked:
    """The variables of functions that are running, as Python tells them.

    Before Python 3.13 frames keep the dicts that they were asked for: `let_go` empties them.
    """

    def __init__(self) -> None:
        self._dicts: list[dict[str, Any]] = []

    def of(self, frame: FrameType) -> dict[str, Any]:
        told = frame.f_locals
        if type(told) is dict:
            self._dicts.append(told)
        return dict(told)

    @property
    def dicts(self) -> set[int]:
        """The ids of those that frames keep: who asks a second time finds them among all objects."""
        return set(map(id, self._dicts))

    def let_go(self) -> None:
        while self._dicts:
            told = self._dicts.pop()
            let_go(told)


def elsewhere(own: Iterable[Any], asked: Asked) -> Root:
    """All modules, and the variables of all other threads."""
    held: list[Any] = list(sys.modules.values())
    mine = set(map(id, own))
    frames = sys._current_frames()
    frames.pop(
        get_ident(), None
    )  # a function that holds its own frame lives on, and all its callers
    others = (each for frame in frames.values() for each in _frames(frame) if id(each) not in mine)
    held += [asked.of(f) if f.f_code.co_flags & OPTIMIZED else f.f_locals for f in others]
    return Root("", held)


def alive_without_a_way(things: Sequence[Any]) -> list[Any]:
    """Those of the things, which no walk has met, that have a holder invisible to Python's collector.

    A thing is alive if it is referred to more often than these refer to each other; so is what such
    a one leads to.
    `things` is the only list of them.
    """
    beyond = {id(thing): count for thing, count in zip(things, _counts(things), strict=True)}
    for thing in things:
        for part in gc.get_referents(thing):
            if id(part) in beyond:
                beyond[id(part)] -= 1
    return [thing for thing in things if beyond[id(thing)] > 0]


def _counts(things: Sequence[Any]) -> list[int]:
    """How many references there are to each, beside the list's."""
    probe = [object()]
    (alone,) = map(sys.getrefcount, probe)
    return [count - alone for count in map(sys.getrefcount, things)]

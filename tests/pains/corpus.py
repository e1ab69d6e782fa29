"""Programs with a known bug, and correct ones that look alike: how they are declared and run."""

from __future__ import annotations

import gc
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import vizgrad as vg
from vizgrad.core.errors import Explanation

Program = Callable[[], Any]


@dataclass
class Pain:
    run: Program
    kind: str
    tensor: str
    lines: list[int] = field(default_factory=list)
    seen: str = ""

    @property
    def __name__(self) -> str:
        return self.run.__name__


PAINS: list[Pain] = []
FINE: list[Program] = []


def pain(kind: str, tensor: str = "", seen: str = "") -> Callable[[Program], Program]:
    """A program with a bug of `kind`, or one of several ("a|b"); `tensor` is what the answer should name;
    `seen`: a public thread of people who had it.
    """

    def declare(run: Program) -> Program:
        source, first = inspect.getsourcelines(run)
        lines = [first + i for i, text in enumerate(source) if "# BLAME" in text]
        PAINS.append(Pain(run, kind, tensor, lines, seen))
        return run

    return declare


def fine(run: Program) -> Program:
    """A correct program; it may return what `why` says of it."""
    FINE.append(run)
    return run


@contextmanager
def _uncollected() -> Iterator[None]:
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


def said_of(run: Program) -> list[Explanation]:
    """All that is said of a program that runs inside a watch.

    Python collects nothing meanwhile: a cycle that is gone before the block ends is no finding any more.
    """
    said: list[Any] = []
    with warnings.catch_warnings(), _uncollected():
        warnings.simplefilter("ignore")
        warnings.filterwarnings("error", message=".*was removed because it raised")
        with vg.watch() as watch:
            try:
                answer = run()
            except (RuntimeError, TypeError, ValueError) as error:
                said.append(getattr(error, "explanation", None))
            else:
                said += answer if isinstance(answer, (list, tuple)) else [answer]
        said += watch.findings
    return [each for each in said if isinstance(each, Explanation) and each]


def assert_explained(pain: Pain) -> None:
    """One of the first three answers has the kind, the line and the name, and says what to do."""
    said = said_of(pain.run)[:3]
    right = [
        each
        for each in said
        if each.kind in pain.kind.split("|")
        and each.culprit is not None
        and each.culprit.file == pain.run.__code__.co_filename
        and each.culprit.line in pain.lines
        and (each.tensor == pain.tensor or f"`{pain.tensor}`" in str(each) or not pain.tensor)
    ]
    assert right, f"wanted {pain.kind} at {pain.lines} of {pain.tensor!r}, but was told {said}"
    assert len(right[0].fix) > 10

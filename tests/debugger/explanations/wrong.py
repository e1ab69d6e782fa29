"""`@wrong`: a small program with one mistake in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Wrong(NamedTuple):
    """A program, what kind of explanation it is to get, and whether a line is to blame."""

    run: Callable[[], Any]
    kind: str
    error: type[BaseException]
    blamed: bool


PROGRAMS: list[Wrong] = []


def wrong(
    kind: str, error: type[BaseException] = RuntimeError, *, blamed: bool = True
) -> Callable[[Callable[[], Any]], Callable[[], Any]]:
    """Registers a program that raises `error`; the line to blame has the comment ``# blame``.

    `blamed=False`: no line is known, and none must be named.
    """

    def register(run: Callable[[], Any]) -> Callable[[], Any]:
        PROGRAMS.append(Wrong(run, kind, error, blamed))
        return run

    return register

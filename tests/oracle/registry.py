"""`@program`: declares one program of the parity suite."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

#: Milestones whose programs `make parity` runs. Programs of the others are written ahead of vizgrad, in
#: `programs/later/`: when a part lands, its file moves to `programs/`. VIZGRAD_MILESTONES="transforms" (or
#: "all") tries them.
ENABLED = ("first", "complex")

PLANNED = (
    "first",
    "complex",
    "transforms",  # forward mode, functional API, vmap
)

_RULE = re.compile(r"[A-Z]-\d+")


@dataclass(frozen=True)
class Program:
    theme: str
    name: str
    rules: tuple[str, ...]
    milestone: str
    run: Callable[[Any, Any], None]

    @property
    def id(self) -> str:
        return f"{self.theme}.{self.name}"


_programs: dict[str, Program] = {}


def program(
    *, rules: str, milestone: str = "first", each: Iterable[Any] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Registers `fn(torch, see)`; with `each`, one program `fn(torch, see, case)` for every case.

    A case's name in the id is the case itself (a string), its first item (a tuple), or its `__name__`.
    """
    numbers = tuple(rules.split())
    if not numbers or not all(map(_RULE.fullmatch, numbers)):
        raise ValueError(f"rules are like 'V-20 V-22', not {rules!r}")
    if milestone not in PLANNED:
        raise ValueError(f"unknown milestone {milestone!r}")

    def register(fn: Callable[..., None]) -> Callable[..., None]:
        theme = fn.__module__.partition(".programs.")[2]
        if each is None:
            _add(Program(theme, fn.__name__, numbers, milestone, fn))
        else:
            for case in each:
                run = _bind(fn, case)
                _add(Program(theme, f"{fn.__name__}[{_label(case)}]", numbers, milestone, run))
        return fn

    return register


def _bind(fn: Callable[..., None], case: Any) -> Callable[[Any, Any], None]:
    return lambda torch, see: fn(torch, see, case)


def _label(case: Any) -> str:
    if isinstance(case, tuple):
        return str(case[0])
    return getattr(case, "__name__", None) or str(case)


def _add(one: Program) -> None:
    if one.id in _programs:
        raise ValueError(f"two programs are called {one.id}")
    _programs[one.id] = one


def all_programs() -> list[Program]:
    """Every program, enabled or not, in the order of the files."""
    from tests.oracle import programs

    for found in pkgutil.walk_packages(programs.__path__, programs.__name__ + "."):
        importlib.import_module(found.name)
    return list(_programs.values())


def enabled_programs() -> list[Program]:
    asked = os.environ.get("VIZGRAD_MILESTONES", "")
    names = set(PLANNED if asked == "all" else (*ENABLED, *asked.split()))
    return [one for one in all_programs() if one.milestone in names]

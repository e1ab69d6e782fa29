"""Where two forward passes part: at the first value that nodes of both have saved and that differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.engines.api.protocols import GraphSource
from vizgrad.debugger.traces.trace_gradients import apart

#: By node: what it has saved, by name: an array with numbers about it, or what is no tensor, as text.
Saves = Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class SavedDiff:
    """What node `node` here has saved as `name` differs by `relative` from what its partner `other` has."""

    node: int
    other: int
    name: str
    relative: float
    what: str = ""


def saves_of(source: GraphSource) -> Saves:
    """All that can be read. Nothing is unpacked, copied or run."""
    found: dict[int, dict[str, Any]] = {}
    for node in range(source.inner):
        known: dict[str, Any] = {}
        for saved in source.saved(node):
            if saved.value:
                known[saved.name] = saved.value
            elif saved.state == "alive" and (value := source.value(node, saved.name)) is not None:
                try:
                    known[saved.name] = summarizer.array_of(value), summarizer.summarize(value)
                except TypeError:  # what has no elements to go through
                    continue
        found[node] = known
    return found


def first_apart(
    here: Saves, there: Saves, pairs: Mapping[int, int], tolerance: float
) -> SavedDiff | None:
    """The first that differs by more. What only one engine saves is not compared."""
    for node in sorted(here.keys() & pairs.keys(), reverse=True):
        its = there.get(pairs[node], {})
        for name, value in here[node].items():
            if name in its and type(its[name]) is type(value):
                relative, what = _apart(value, its[name])
                if relative is not None and relative > tolerance:
                    return SavedDiff(node, pairs[node], name, relative, what)
    return None


def _apart(value: Any, other: Any) -> tuple[float | None, str]:
    if not isinstance(value, str):
        return apart({"": value}, {"": other})
    try:
        a, b = _number(value), _number(other)
    except ValueError:  # words of each engine's own
        return None, ""
    return abs(a - b) / (abs(a) or 1.0), f"{value} here, {other} there"


def _number(text: str) -> float:
    """ValueError for other words. PyTorch says some of its whole numbers as if they had no sign."""
    if not text.isdecimal():
        return float(text)
    number = int(text)
    return float(number - 2**64 if number >= 2**63 else number)

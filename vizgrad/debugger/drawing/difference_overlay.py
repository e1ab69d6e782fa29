"""How far another run is from this one, on a static picture: as in the live view (`differing.ts`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Literal

from vizgrad.debugger.drawing.describe import number_text
from vizgrad.debugger.model import Difference

#: 0: the same; 1 to 5: more and more; "odd": one is not finite, or was 0; "alone": only one has it.
Step = Literal[0, 1, 2, 3, 4, 5, "odd", "alone"]

#: Relative differences at which the next step begins.
BOUNDS = (1e-4, 1e-2, 0.1, 1.0)
_RANKS: dict[Step, int] = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, "alone": 6, "odd": 7}

Differences = Mapping[int, Difference]


def step_of(found: Difference) -> Step | None:
    """None where nothing arrived on either side."""
    if found.here is None and found.there is None:
        return None
    if found.here is None or found.there is None:
        return "alone"
    if found.relative is None or not isfinite(found.relative):
        return "odd"
    if found.relative == 0:
        return 0
    steps: tuple[Step, ...] = (1, 2, 3, 4, 5)
    return steps[sum(found.relative >= bound for bound in BOUNDS)]


def texts_of(found: Difference) -> tuple[str, ...]:
    """What is written on the box of a node: what has room first. Empty where there is nothing to say."""
    step = step_of(found)
    if step is None:
        return ()
    if step == "alone":
        return ("only here" if found.there is None else "only there", "only one")
    if step == "odd" or found.relative is None:
        there = number_text(found.there, 3)
        return (f"{number_text(found.here, 3)} → {there}", f"→ {there}", "≠")
    return ("same", "=") if step == 0 else (f"Δ {percent(found.relative)}", percent(found.relative))


def most_of(nodes: Iterable[int], found: Differences) -> Difference | None:
    """Of some nodes the one that differs most; None if none of them is compared."""
    known = [
        (step, found[node]) for node in nodes if node in found and (step := _rank(found[node])) >= 0
    ]
    return max(known, key=lambda pair: (pair[0], _size(pair[1])), default=(0, None))[1]


def count_of(nodes: Iterable[int], found: Differences) -> str:
    """``3 of 12 differ``; ``all the same``; empty if none of them is compared."""
    ranks = [rank for node in nodes if node in found and (rank := _rank(found[node])) >= 0]
    differing = sum(rank > 0 for rank in ranks)
    if not ranks:
        return ""
    return f"{differing:,} of {len(ranks):,} differ" if differing else "all the same"


def role_of(found: Difference | None) -> str:
    """For the style sheet."""
    step = None if found is None else step_of(found)
    return "" if step is None else f" differs-{step}"


def percent(relative: float) -> str:
    """``12 %``, ``35×``, ``3e-7``."""
    if relative >= 10:
        return f"{number_text(relative, 3)}×"
    return f"{number_text(relative * 100, 3)} %" if relative >= 1e-4 else number_text(relative, 2)


def _rank(found: Difference) -> int:
    step = step_of(found)
    return -1 if step is None else _RANKS[step]


def _size(found: Difference) -> float:
    return found.relative if found.relative is not None and isfinite(found.relative) else 0.0

"""What is printed, and what is written as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.case import AUTOGRAD
from tests.benchmarks.targets import Figure, slower_than_autograd
from tests.benchmarks.timing import Times

HEADINGS = ("", "median", "min", "µs", "µs base", "autograd", "rounds")


def line(times: Times) -> str:
    """One case, as soon as it is timed."""
    return "  ".join(
        part.ljust(30) if not number else part.rjust(9) for number, part in enumerate(_cells(times))
    )


def heading() -> str:
    return "  ".join(
        part.ljust(30) if not number else part.rjust(9) for number, part in enumerate(HEADINGS)
    )


def _cells(times: Times) -> tuple[str, ...]:
    autograd = median(times.ratios(AUTOGRAD)) if AUTOGRAD in times.seconds else None
    return (
        times.name,
        f"{times.ratio():.2f}{'~' if times.disturbed() else ' '}",
        f"{times.best():.2f}",
        f"{times.microseconds(times.subject):.4g}",
        f"{times.microseconds(times.base):.4g}",
        "" if autograd is None else f"{autograd:.2f}",
        str(len(times.seconds[times.base])),
    )


def summary(timed: Sequence[Times], figures: Sequence[Figure]) -> str:
    """Every figure with its target. Nothing here makes the program fail: a benchmark is not a test."""
    width = max(len(figure.what) for figure in figures)
    lines = [f"{'':{width}}   value     (best)  must    aim"]
    for figure in figures:
        best = "" if figure.best is None else f"({figure.best:.2f})"
        lines.append(
            f"{figure.what:{width}}  {figure.value:6.2f} {best:>9}  {_bound(figure.target.must)}  "
            f"{_bound(figure.target.aim)}  {figure.unit:14} {figure.verdict()}".rstrip()
        )
    if any(AUTOGRAD in times.seconds for times in timed):
        slow = slower_than_autograd(timed)
        lines.append(
            f"Slower than HIPS autograd: {', '.join(slow)}."
            if slow
            else "Every workload that HIPS autograd was given is faster here."
        )
    if any(times.disturbed() for times in timed):
        lines.append("~ The base's own rounds differed a lot: something else was running.")
    return "\n".join(lines)


def _bound(value: float | None) -> str:
    return "   -  " if value is None else f"{value:6.2f}"


def write_json(
    path: Path, machine: dict[str, Any], timed: Sequence[Times], figures: Sequence[Figure]
) -> None:
    """Everything that was measured: every round, and the summary."""
    cases = [
        asdict(times) | {"ratio": times.ratio(), "best": times.best(), "disturbed": times.disturbed()}
        for times in timed
    ]
    summary = [asdict(figure) | {"verdict": figure.verdict()} for figure in figures]
    text = json.dumps({"machine": machine, "figures": summary, "cases": cases}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")

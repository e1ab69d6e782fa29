"""What is printed, and what is written as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.case import AUTOGRAD
from tests.benchmarks.targets import Figure, slower_than_autograd
from tests.benchmarks.timing import Times

HEADINGS = ("", "median", "min", "cpu", "µs", "µs base", "autograd", "rounds")


def heading() -> str:
    return _row(HEADINGS)


def line(times: Times) -> str:
    """One case, as soon as it is timed. All but `µs` are ratios: ours over theirs."""
    return _row(
        (
            times.name,
            f"{times.ratio():.2f}{'~' if times.disturbed() else ' '}",
            f"{times.best():.2f}",
            f"{times.cpu_ratio():.2f}",
            f"{times.microseconds(times.subject):.4g}",
            f"{times.microseconds(times.base):.4g}",
            f"{times.ratio(AUTOGRAD):.2f}" if AUTOGRAD in times.seconds else "",
            str(len(times.seconds[times.base])),
        )
    )


def _row(cells: Sequence[str]) -> str:
    return "  ".join([cells[0].ljust(30), *(cell.rjust(9) for cell in cells[1:])])


def summary(timed: Sequence[Times], figures: Sequence[Figure]) -> str:
    """Every figure with its target. Nothing here makes the program fail: a benchmark is not a test."""
    width = max(len(figure.what) for figure in figures)
    lines = [f"{'':{width}}   value    min    cpu   must    aim"]
    lines += [
        f"{figure.what:{width}}  {figure.value:6.2f} {_number(figure.best)} {_number(figure.cpu)} "
        f"{_number(figure.target.must)} {_number(figure.target.aim)}  {figure.unit:14} "
        f"{figure.verdict()}".rstrip()
        for figure in figures
    ]
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


def _number(value: float | None) -> str:
    return "     -" if value is None else f"{value:6.2f}"


def write_json(
    path: Path, machine: dict[str, Any], timed: Sequence[Times], figures: Sequence[Figure]
) -> None:
    """Everything that was measured: every round, and the summary."""
    cases = [
        asdict(times)
        | {"ratio": times.ratio(), "best": times.best(), "cpu ratio": times.cpu_ratio()}
        for times in timed
    ]
    summary = [asdict(figure) | {"verdict": figure.verdict()} for figure in figures]
    text = json.dumps({"machine": machine, "figures": summary, "cases": cases}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")

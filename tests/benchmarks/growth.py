"""How time and memory grow: writes growth.md and growth.png beside this file.

Two programs, on vizgrad and on PyTorch: a chain of so many nodes of one element, and four operations on so
many elements. Of the chain also what looking at it costs: a recorder, a watch, Continue and one Step of a
session. By the process's clock, one thread, the least of some rounds; peak memory as the operating system
sees it, which is too coarse for little of it.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Any

from tests.benchmarks import machine
from tests.benchmarks.memory import peak_of

HERE = Path(__file__).parent
NODES = tuple(10**k for k in range(2, 7))
ELEMENTS = tuple(10**k for k in range(3, 9))
#: Seconds of processor time after which a size is not run again, and how often it is run at most.
PATIENCE, ROUNDS = 2.0, 9
#: Below so many nodes or elements a step has too little memory to be read.
SEEN = 10_000


@dataclass
class Curve:
    """A figure by size; None where a size is not measured."""

    name: str
    unit: str
    values: dict[int, float | None] = field(default_factory=dict)


@dataclass(frozen=True)
class Chart:
    title: str
    size: str
    curves: tuple[Curve, ...]


def chain(library: Any, nodes: int) -> Any:
    """Sums and products of one element: a graph of `nodes` nodes, and one that adds up."""
    x = library.ones(1, requires_grad=True)
    y = x
    for i in range(nodes):
        y = y * x if i % 2 else y + 1.0
    return y.sum()


def elements(library: Any, count: int) -> Callable[[], None]:
    x = library.ones(count).mul_(0.5).requires_grad_()

    def step() -> None:
        x.grad = None
        ((x * 2).tanh() + x).exp().mean().backward()

    return step


def least(prepare: Callable[[], Callable[[], Any]]) -> float:
    """Seconds of processor time of what `prepare` makes ready: the least of some rounds."""
    found: list[float] = []
    while len(found) < ROUNDS and sum(found) < PATIENCE:
        work = prepare()
        gc.collect()
        began = process_time()
        kept = work()
        found.append(process_time() - began)
        del work, kept
    return min(found)


def of_nodes(sizes: Iterable[int], libraries: dict[str, Any]) -> list[Chart]:
    times = {name: Curve(name, "µs a node") for name in libraries}
    memory = {name: Curve(name, "bytes a node") for name in libraries}
    looking = {name: Curve(name, "times") for name in ("recorder", "watch", "Continue")}
    step = Curve("Step", "ms")
    for size in sizes:
        for name, library in libraries.items():

            def whole(library: Any = library, size: int = size) -> None:
                chain(library, size).backward()

            times[name].values[size] = least(lambda work=whole: work) / size * 1e6
            memory[name].values[size] = peak_of(whole) / size if size >= SEEN else None
        for name, value in _looked_at(libraries["vizgrad"], size).items():
            (step if name == "Step" else looking[name]).values[size] = value
        print(f"{size:,} nodes", flush=True)
    return [
        Chart("Forward and backward", "nodes", tuple(times.values())),
        Chart("Peak memory", "nodes", tuple(memory.values())),
        Chart("Looked at, times the same without", "nodes", tuple(looking.values())),
        Chart("One step of a session", "nodes", (step,)),
    ]


def _looked_at(vg: Any, size: int) -> dict[str, float]:
    """What each way of looking takes: times forward and backward, times the backward, and milliseconds."""

    def whole() -> None:
        chain(vg, size).backward()

    def recorded() -> Any:
        with vg.record() as recording:
            whole()
        return recording

    def watched() -> Any:
        with vg.watch() as watch:
            whole()
        return watch

    plain = least(lambda: whole)
    backward = least(lambda: chain(vg, size).backward)
    continued = least(lambda: vg.debug(chain(vg, size)).continue_)
    return {
        "recorder": least(lambda: recorded) / plain,
        "watch": least(lambda: watched) / plain,
        "Continue": continued / backward,
        "Step": _step(vg, size) * 1e3,
    }


def _step(vg: Any, size: int) -> float:
    session = vg.debug(chain(vg, size))
    try:
        found: list[float] = []
        for _ in range(30):
            began = process_time()
            session.step()
            found.append(process_time() - began)
        return min(found)
    finally:
        session.close()


def of_elements(sizes: Iterable[int], libraries: dict[str, Any]) -> list[Chart]:
    times = {name: Curve(name, "ns an element") for name in libraries}
    memory = {name: Curve(name, "bytes an element") for name in libraries}
    for size in sizes:
        for name, library in libraries.items():
            step = elements(library, size)
            step()
            times[name].values[size] = least(lambda work=step: work) / size * 1e9
            memory[name].values[size] = peak_of(step) / size if size >= 10 * SEEN else None
        print(f"{size:,} elements", flush=True)
    return [
        Chart("Four operations, forward and backward", "elements", tuple(times.values())),
        Chart("Their peak memory", "elements", tuple(memory.values())),
    ]


def table(chart: Chart) -> str:
    sizes = list(chart.curves[0].values)
    lines = [
        f"**{chart.title}**, {chart.curves[0].unit}",
        "",
        f"| {chart.size} | " + " | ".join(curve.name for curve in chart.curves) + " |",
        "|---:|" + "---:|" * len(chart.curves),
    ]
    for size in sizes:
        cells = (curve.values[size] for curve in chart.curves)
        lines.append(
            f"| {size:,} | "
            + " | ".join("" if value is None else f"{value:,.3g}" for value in cells)
            + " |"
        )
    return "\n".join(lines) + "\n"


def draw(charts: list[Chart], file: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 6.4), layout="constrained")
    axes = figure.subplots(2, 3).flat
    for axis, chart in zip(axes, charts, strict=True):
        for curve, style in zip(chart.curves, ("-o", "--s", ":^"), strict=False):
            points = [(size, value) for size, value in curve.values.items() if value is not None]
            axis.plot(*zip(*points, strict=True), style, label=curve.name)
        axis.set(title=chart.title, xlabel=chart.size, ylabel=chart.curves[0].unit, xscale="log")
        if chart.curves[0].unit not in ("times", "ms"):
            axis.set_yscale("log")
        axis.set_ylim(bottom=None if axis.get_yscale() == "log" else 0)
        if len(chart.curves) > 1:
            axis.legend()
        axis.grid(alpha=0.3)
    figure.savefig(file, dpi=90)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.growth", description=__doc__)
    parser.add_argument(
        "--largest", type=int, default=10**8, help="neither nodes nor elements beyond it"
    )
    asked = parser.parse_args()
    machine.restart_with(1, "tests.benchmarks.growth")

    import torch

    import vizgrad as vg

    torch.set_num_threads(1)
    libraries = {"vizgrad": vg, "PyTorch": torch}
    before = machine.load()
    charts = of_nodes([n for n in NODES if n <= asked.largest], libraries)
    charts += of_elements([n for n in ELEMENTS if n <= asked.largest], libraries)
    described = machine.describe() | {"threads": 1, "load before": before}
    head = ", ".join(f"{key} {value}" for key, value in described.items())
    text = [
        "# Growth",
        "",
        "`python -m tests.benchmarks.growth` writes this page; the file says what is measured.",
        "",
        f"{head}.",
        "",
        "![Time and memory by the number of nodes and of elements](growth.png)",
        "",
        "\n".join(table(chart) for chart in charts),
    ]
    (HERE / "growth.md").write_text("\n".join(text))
    draw(charts, HERE / "growth.png")


if __name__ == "__main__":
    main()

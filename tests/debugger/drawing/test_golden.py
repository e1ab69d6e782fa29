"""Pictures and texts of small graphs, compared with files by exact text.

After a wanted change: ``VIZGRAD_REGENERATE=1 python -m pytest tests/debugger/drawing/test_golden.py``,
then look at each changed SVG in a browser, light and dark, before committing it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.debugger.drawing.examples import (
    in_place,
    lane,
    loop,
    mlp,
    run_at,
    timelines,
    transformer,
    vanishing,
)
from vizgrad.debugger.drawing import (
    graph_svg,
    graph_text,
    run_text,
    to_dot,
    versions_svg,
    versions_text,
)

GOLDEN = Path(__file__).parent / "golden"

DRAWINGS: dict[str, Callable[[], str]] = {
    "mlp.txt": lambda: graph_text(mlp()),
    "mlp.svg": lambda: graph_svg(mlp()),
    "mlp.gv": lambda: to_dot(mlp()).source,
    "mlp_closed.svg": lambda: graph_svg(mlp(), depth=1),
    "mlp_run.txt": lambda: (
        graph_text(mlp(), run_at(mlp(), 5)) + "\n\n" + run_text(mlp(), run_at(mlp(), 5))
    ),
    "mlp_run.svg": lambda: graph_svg(mlp(), run_at(mlp(), 5)),
    "mlp_run.gv": lambda: to_dot(mlp(), run_at(mlp(), 5)).source,
    "transformer.svg": lambda: graph_svg(transformer()),
    "transformer_run.svg": lambda: graph_svg(transformer(), run_at(transformer(), 120, 0.95)),
    "transformer_run.gv": lambda: to_dot(transformer(), run_at(transformer(), 120)).source,
    "loop.svg": lambda: graph_svg(loop()),
    "loop_run.svg": lambda: graph_svg(loop(), run_at(loop(), 40, 0.7)),
    "vanishing_run.svg": lambda: graph_svg(vanishing(), run_at(vanishing(), 9, 1e-3)),
    "lane.svg": lambda: graph_svg(lane()),
    "lane.txt": lambda: graph_text(lane()),
    "in_place.txt": lambda: graph_text(in_place()),
    "in_place.svg": lambda: graph_svg(in_place()),
    "in_place.gv": lambda: to_dot(in_place()).source,
    "versions.txt": lambda: versions_text(timelines(), in_place()),
    "versions.svg": lambda: versions_svg(timelines(), in_place()),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawing_is_as_it_was(name: str) -> None:
    drawn = DRAWINGS[name]().rstrip("\n") + "\n"
    path = GOLDEN / name
    if os.environ.get("VIZGRAD_REGENERATE"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    assert drawn == path.read_text(encoding="utf-8")


def test_every_golden_file_is_compared() -> None:
    assert {path.name for path in GOLDEN.iterdir()} == set(DRAWINGS)

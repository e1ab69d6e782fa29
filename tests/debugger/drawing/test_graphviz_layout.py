"""Coordinates from Graphviz: used when they come, done without when they do not."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from tests.debugger.drawing.examples import in_place, mlp
from tests.debugger.drawing.foldings import seen
from vizgrad.debugger.drawing import dot, graph_svg
from vizgrad.debugger.drawing.geometry import Size

VISIBLE = seen(mlp())
SIZES = [Size(100.0, 40.0)] * len(VISIBLE.items)


@pytest.mark.skipif(shutil.which("dot") is None, reason="asks Graphviz for a layout")
def test_graphviz_gives_a_place_to_everything() -> None:
    layout = dot.graphviz_layout(VISIBLE, SIZES, seconds=60)
    assert layout is not None
    assert [(round(box.width), round(box.height)) for box in layout.boxes] == [(100, 40)] * 14
    assert len(layout.frames) == len(VISIBLE.frames)
    for link, route in zip(VISIBLE.links, layout.routes, strict=True):
        assert len(route) % 3 == 1
        assert abs(route[0][1] - layout.boxes[link.source].bottom) < 3
        assert abs(route[-1][1] - layout.boxes[link.target].y) < 3
    assert graph_svg(mlp(), engine="dot") != graph_svg(mlp())


class Answer:
    """Stands in for `subprocess.run`: returns or raises what it was given."""

    def __init__(self, answer: bytes | Exception) -> None:
        self.answer = answer

    def __call__(self, *_: Any, **__: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return subprocess.CompletedProcess([], 0, self.answer)


@pytest.mark.parametrize(
    "answer",
    [
        subprocess.TimeoutExpired("dot", 4),
        subprocess.CalledProcessError(1, "dot"),
        OSError("not executable"),
        b"",
        b"[]",
        b"{}",
        json.dumps({"bb": "0,0,10,nan", "objects": []}).encode(),
        json.dumps({"bb": "0,0,10,10", "objects": []}).encode(),
        json.dumps({"bb": 7, "objects": {}}).encode(),
    ],
)
def test_any_other_answer_means_our_own_layout(
    answer: bytes | Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dot.shutil, "which", lambda _: "dot")
    monkeypatch.setattr(dot.subprocess, "run", Answer(answer))
    assert graph_svg(in_place(), engine="dot") == graph_svg(in_place())


def test_without_dot_our_own_layout_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dot.shutil, "which", lambda _: None)
    assert graph_svg(mlp(), engine="dot") == graph_svg(mlp())

"""Places chosen by Graphviz's ``dot``, when it is on PATH, asked for, and answers in time.

Only coordinates come from it: boxes of our sizes go in, without any text, and the drawing stays
ours. It is not the default, because a saved picture must not depend on what is installed.
"""

# The graphviz package has only partial annotations.
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Sequence
from typing import Any

from vizgrad.debugger.drawing.dot import Attributes, skeleton
from vizgrad.debugger.drawing.frame_heads import HeadNeed, place_head
from vizgrad.debugger.drawing.geometry import Bezier, Box, Layout, Size
from vizgrad.debugger.drawing.visible import Visible

#: Above this many items ``dot`` takes too long (4 s for 5,000, and more than a minute for 10,000).
ITEM_LIMIT = 1_500
SECONDS = 4.0
#: Points in an inch: DOT sizes are inches, its answers are points, and one point is one pixel here.
_INCH = 72.0


def graphviz_layout(
    visible: Visible, sizes: Sequence[Size], *, seconds: float = SECONDS
) -> Layout | None:
    """A layout by ``dot``; None if it is not there, fails, or needs longer than `seconds`."""
    program = shutil.which("dot")
    if program is None or len(visible.items) > ITEM_LIMIT or not visible.items:
        return None
    try:
        source = _source(visible, sizes)
        answer = subprocess.run(  # noqa: S603  (the input has ids and sizes only)
            [program, "-Tjson0"],
            input=source.encode(),
            capture_output=True,
            timeout=seconds,
            check=True,
        )
        return _read(json.loads(answer.stdout), visible, sizes)
    except (ImportError, OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        return None  # our own layout takes over; an answer of another form is no reason to fail


def _source(visible: Visible, sizes: Sequence[Size]) -> str:
    leaving: dict[int, int] = {}
    starts: list[str] = []
    for link in visible.links:
        starts.append(f"p{leaving.get(link.source, 0)}")
        leaving[link.source] = leaving.get(link.source, 0) + 1

    def node(index: int) -> Attributes:
        fields = "|".join(f"<p{i}>" for i in range(leaving.get(index, 0)))
        width, height = sizes[index].width / _INCH, sizes[index].height / _INCH
        return {
            "shape": "record",
            "label": f"{{<t>|{{{fields}}}}}",
            "width": f"{width:.4f}",
            "height": f"{height:.4f}",
            "fixedsize": "true",
            "fontsize": "1",  # the empty fields of a record must not need more room than it has
            "margin": "0",
        }

    def edge(index: int) -> Attributes:
        return {"id": f"l{index}", "tailport": f"{starts[index]}:s", "headport": "t:n"}

    clusters = [{"label": "·", "fontsize": "20", "margin": "14"}] * len(visible.frames)
    digraph = skeleton(visible, node, edge, clusters)
    digraph.graph_attr.update(ranksep="0.5", nodesep="0.25")
    digraph.edge_attr.update(dir="none")
    return digraph.source


def _read(answer: Any, visible: Visible, sizes: Sequence[Size]) -> Layout:
    """The layout in the JSON that ``dot`` wrote; raises if that has another form."""
    _, _, width, height = _numbers(answer["bb"])
    found = {entry["name"]: entry for entry in answer["objects"]}
    boxes: list[Box] = []
    for index, size in enumerate(sizes):
        x, y = _numbers(found[f"i{index}"]["pos"])  # of the middle, from below; it rounds sizes
        left, top = x - size.width / 2, height - y - size.height / 2
        boxes.append(Box(left, top, size.width, size.height))
    frames: list[Box] = []
    for index in range(len(visible.frames)):
        left, bottom, right, top = _numbers(found[f"cluster_{index}"]["bb"])
        frames.append(Box(left, height - top, right - left, top - bottom))
    lines = {entry["id"]: entry["pos"] for entry in answer.get("edges", [])}
    routes = tuple(_route(lines[f"l{index}"], height) for index in range(len(visible.links)))
    heads = tuple(place_head(HeadNeed(), [], frame.width) for frame in frames)
    return Layout(width, height, tuple(boxes), tuple(frames), routes, heads)


def _route(text: object, height: float) -> Bezier:
    points = [_numbers(point) for point in str(text).split() if point[0] not in "es"]
    if len(points) % 3 != 1:
        raise ValueError("not a chain of Bézier curves")
    return tuple((x, height - y) for x, y in points)


def _numbers(text: object) -> list[float]:
    numbers = [float(part) for part in str(text).split(",")]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("not a finite number")
    return numbers

r"""A graph in Graphviz's language: the one place where DOT is written.

Names come from strangers, and a DOT label has several ways to be something else than its text:
quotes, backslash escapes (``\N`` is the node's id), HTML-like labels (``<b>...</b>``), character
entities. `_label` takes all of these away; ids are made here and contain no names.
"""

# The graphviz package has only partial annotations.
# pyright: reportUnknownMemberType=false, reportMissingTypeStubs=false
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import json
import math
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from vizgrad.debugger.drawing.cards import frame_title, group_title, progress_text
from vizgrad.debugger.drawing.chips import graph_title, output_text
from vizgrad.debugger.drawing.describe import count_text, plain, saved_text
from vizgrad.debugger.drawing.geometry import Bezier, Box, HeadNeed, Layout, Size, place_head
from vizgrad.debugger.drawing.overlay import RunView, state_text
from vizgrad.debugger.drawing.visible import Item, Link, Visible, edges_of, opening, visible_graph
from vizgrad.debugger.model import Graph, Run
from vizgrad.debugger.session.grouping.outline import Outline

if TYPE_CHECKING:
    import graphviz


# --- dot -------------------------------------------------------------------------------------------------


Attributes = Mapping[str, str]

#: Attributes of a box by what it shows, so that each kind has a shape of its own.
_LOOKS: dict[str, Attributes] = {
    "op": {"shape": "box", "style": "rounded"},
    "function": {"shape": "component"},
    "copy_slices": {"shape": "note"},
    "root": {"shape": "doubleoctagon"},
    "leaf": {"shape": "ellipse", "color": "steelblue"},
    "fold": {"shape": "box3d"},
    "result": {"shape": "cds"},
}
_PLAIN: Attributes = {}
_STATES: dict[str, Attributes] = {
    "ready": {"color": "blue"},
    "current": {"color": "blue", "penwidth": "2.5"},
    "done": {"color": "darkgreen"},
    "skipped": {"style": "dashed"},
    "captured": {"style": "dotted", "color": "blue"},
    "error": {"color": "red", "penwidth": "2.5"},
}


def to_dot(
    graph: Graph,
    run: Run | None = None,
    *,
    depth: int | None = None,
    limit: int | None = None,
) -> graphviz.Digraph:
    """The visible graph as a `graphviz.Digraph`, with leaves as pins and open groups as clusters.

    With a run, the state of each node is in its label. `depth` and `limit` as in `opening`.
    Raises ImportError without the PyPI package ``graphviz``, ValueError for a malformed graph.
    """
    view = RunView(graph, run)
    outline = Outline.of_graph(graph)
    opened = opening(outline, depth=depth, limit=limit)
    visible = visible_graph(outline, graph.nodes.__getitem__, opened)
    digraph = skeleton(
        visible,
        lambda index: _box(graph, view, visible.items[index]),
        lambda index: _line(
            view, visible.links[index], edges_of(outline, visible, visible.links[index])
        ),
        [{"label": _label([frame_title(graph.groups[f.group], f)])} for f in visible.frames],
    )
    font = {"fontname": "Helvetica"}
    digraph.graph_attr.update(font, label=_label([graph_title(graph)]), labelloc="t")
    digraph.node_attr.update(font, fontsize="11")
    digraph.edge_attr.update(font, fontsize="9", arrowsize="0.7")
    return digraph


def skeleton(
    visible: Visible,
    node: Callable[[int], Attributes],
    edge: Callable[[int], Attributes],
    clusters: Sequence[Attributes],
) -> graphviz.Digraph:
    """Nodes ``i<index>``, edges and clusters of a visible graph, with the attributes given."""
    try:
        import graphviz
    except ImportError as error:
        raise ImportError("to_dot needs the graphviz package: pip install graphviz") from error

    top = graphviz.Digraph("vizgrad")
    bodies = [top, *(graphviz.Digraph(f"cluster_{i}") for i in range(len(visible.frames)))]
    for attributes, body in zip(clusters, bodies[1:], strict=True):
        body.attr("graph", **attributes)
    for index, item in enumerate(visible.items):
        bodies[item.frame + 1].node(f"i{index}", **node(index))
    for index in range(len(visible.frames) - 1, -1, -1):  # children before their parents
        bodies[visible.frames[index].parent + 1].subgraph(bodies[index + 1])
    for index, link in enumerate(visible.links):
        top.edge(f"i{link.source}", f"i{link.target}", **edge(index))
    return top


def _label(lines: Sequence[str]) -> str:
    """Lines of text as a DOT label that shows exactly them."""
    import graphviz

    safe = [graphviz.escape(line.replace("&", "&amp;")) for line in lines]
    return graphviz.nohtml("\\n".join(safe))


def _box(graph: Graph, view: RunView, item: Item) -> Attributes:
    if item.node is None:
        size = progress_text(view, item.nodes) if view.run else count_text(len(item.nodes), "node")
        lines = [group_title(graph.groups[item.group], item), size]
        return {"label": _label(lines), **_LOOKS["fold"]}
    node = graph.nodes[item.node]
    if item.kind == "result":
        name = f"result {item.slot}" if item.slot else "result"
        return {"label": _label([name]), **_LOOKS["result"]}
    run = view.node(node.id)
    state = _STATES.get(run.state, _PLAIN) if run else _PLAIN
    lines = [f"{plain(node.label)} · {plain(node.name)}" if node.label else plain(node.name)]
    lines.append(output_text(node))
    if item.uses > 1:
        lines.append(f"use {item.use} of {item.uses}")
    lines += [f"saved {saved_text(saved)}" for saved in view.saved(node)]
    lines.append(state_text(run))
    return {
        "label": _label([line for line in lines if line]),
        **_LOOKS.get(node.kind, _PLAIN),
        **state,
    }


def _line(view: RunView, link: Link, edges: list[tuple[int, int]]) -> Attributes:
    attributes: dict[str, str] = {}
    if link.name or link.slot:
        slot = f" → output {link.slot}" if link.slot else ""
        attributes["label"] = _label([f"{plain(link.name)}{slot}"])
    if link.edges > 1:
        attributes["label"] = f"{link.edges:,} edges"
    gone = [edge for edge in edges if view.flowed(edge)]
    if gone:
        defined = any(view.norm(edge) is not None for edge in gone)
        attributes["style"] = "bold" if defined else "dotted"
    return attributes


# --- graphviz layout -------------------------------------------------------------------------------------
# Places chosen by Graphviz's ``dot``, when it is on PATH, asked for, and answers in time.
#
# Only coordinates come from it: boxes of our sizes go in, without any text, and the drawing stays ours.
# It is not the default, because a saved picture must not depend on what is installed.


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

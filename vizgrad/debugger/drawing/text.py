"""A graph as text, for terminals, logs and notebooks without a front end.

Read it from the top, as the backward pass runs. The node below at the same indentation is the one
that the longest rest of the graph hangs on; what else a node feeds stands between, indented::

    ○ MulBackward0  [2, 3] f32       saved: self v0, other v0→v1 STALE (add_ at train.py:12)
    ├─● other: AccumulateGrad w  [2, 3] f32
    ○ self: ExpBackward0  [2, 3] f32  saved: result v0

A node that several others feed is written out once, after the last of them; before, it is referred
to as ``↓ ExpBackward0 (node 3), below``. A leaf is written at each use.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from math import isfinite

from vizgrad.debugger.drawing.describe import (
    columns,
    count_text,
    number_text,
    plain,
    saved_text,
    sizes_text,
)
from vizgrad.debugger.drawing.headings import (
    footnotes,
    graph_summary,
    graph_title,
    output_text,
    run_summary,
)
from vizgrad.debugger.drawing.overlay import RunView, state_text
from vizgrad.debugger.model import Graph, Node, NodeRun, Run
from vizgrad.debugger.session.grouping.outline import Outline, is_leaf

#: Lines of a graph that are written before it is cut.
LINE_LIMIT = 200
#: Columns after which names are no longer padded to line up what follows.
_WIDEST = 56

_MARKS = {
    "": "○",
    "waiting": "·",
    "ready": "○",
    "current": "▶",
    "done": "✓",
    "skipped": "–",
    "captured": "◎",
    "error": "✗",
}


@dataclass(frozen=True, slots=True)
class _Entry:
    """A place in the tree: a node, the columns before it, and the input it is reached by.

    `name` is empty where there is only one input; `slot` is the output of the node that is meant.
    """

    node: int
    prefix: str
    lead: str
    name: str
    slot: int = 0


def graph_text(graph: Graph, run: Run | None = None, *, limit: int = LINE_LIMIT) -> str:
    """The graph as indented lines; with a run also the state of each node.

    At most `limit` nodes are written, then how many more there are. Raises ValueError for a malformed
    graph, or a run of another graph.
    """
    Outline.of_graph(graph)  # checks it
    view = RunView(graph, run)
    lines = [f"{graph_title(graph)}: {graph_summary(graph, view)}"]
    if run:
        lines.append(run_summary(graph, run))
    rows, more = _Tree(graph, view, limit).rows()
    lines += _aligned(rows)
    if more:
        lines.append(f"… {count_text(more, 'more node')}")
    lines += [f"! {note}" for note in footnotes(graph, view)]
    return "\n".join(lines)


class _Tree:
    def __init__(self, graph: Graph, view: RunView, limit: int) -> None:
        self.graph, self.view, self.limit = graph, view, limit
        uses = Counter(edge.node for node in graph.nodes for edge in node.edges)
        unused = [node.id for node in graph.nodes if not uses[node.id]]
        roots = {root for root, _ in graph.roots}
        several = len(graph.roots) > 1
        #: Where the text begins: the results, then what no result needs.
        self.starts = [
            _Entry(root, "", "", f"result {number}" if several else "", slot)
            for number, (root, slot) in enumerate(graph.roots)
        ]
        self.starts += [_Entry(index, "", "", "") for index in unused if index not in roots]
        for entry in self.starts:
            uses[entry.node] += 1
        self.uses = uses
        self.seen = [0] * len(graph.nodes)

    def rows(self) -> tuple[list[tuple[str, str, str]], int]:
        """Rows of (tree and name, state, details), and how many nodes are not in them."""
        rows: list[tuple[str, str, str]] = []
        stack = self.starts[::-1]
        left = len(self.graph.nodes)
        while stack and len(rows) < self.limit:
            entry = stack.pop()
            node = self.graph.nodes[entry.node]
            self.seen[node.id] += 1
            last = self.seen[node.id] >= self.uses[node.id]
            if not is_leaf(node) and not last:
                text = f"↓ {self.name(entry, node)} (node {node.id}), below"
                rows.append((f"{entry.prefix}{entry.lead}{text}", "", ""))
                continue
            left -= last
            rows.append(self.row(entry, node))
            inner = entry.prefix + ("│ " if entry.lead else "")
            stack += self.below(node, inner)[::-1]
        return rows, left

    def row(self, entry: _Entry, node: Node) -> tuple[str, str, str]:
        run = self.view.node(node.id)
        mark = "●" if not run and is_leaf(node) else _MARKS[run.state if run else ""]
        made = self.view.made(node)
        mark = "⚠" if made is not None or self.view.odd([node.id]) else mark
        left = f"{entry.prefix}{entry.lead}{mark} {self.name(entry, node)}  {output_text(node)}"
        details: list[str] = []
        uses = self.uses[node.id]
        if uses > 1:
            use = f"use {self.seen[node.id]} of {uses}"
            details.append(use if is_leaf(node) else f"(node {node.id})")
        if saved := self.view.saved(node):
            details.append("saved: " + ", ".join(saved_text(value) for value in saved))
        if node.scope:
            details.append("in " + "/".join(plain(part, 40) for part in node.scope))
        return (
            left.rstrip(),
            state_text(run) + _loud(run, made),
            "   ".join(details),
        )

    def below(self, node: Node, prefix: str) -> list[_Entry]:
        """What a node feeds: its main input last, at the same indentation, the others before."""
        entries = [
            _Entry(edge.node, prefix, "├─", edge.name, edge.input_nr)
            for edge in node.edges
            if edge.node is not None
        ]
        if not entries:
            return []
        depths = [self.graph.nodes[entry.node].topological_nr for entry in entries]
        main = entries.pop(max(range(len(entries)), key=lambda i: (depths[i], i)))
        return [*entries, replace(main, lead="", name=main.name if entries else "")]

    def name(self, entry: _Entry, node: Node) -> str:
        """``other: MulBackward0``: with a leaf's variable, and the output if there are several."""
        name = f"{plain(node.name, 60)} {plain(node.label, 60)}".rstrip()
        if len(node.outputs) > 1:
            name += f" output {entry.slot}"
        return f"{plain(entry.name, 30)}: {name}" if entry.name else name


def _aligned(rows: list[tuple[str, str, str]]) -> list[str]:
    """Rows with their second and third column lined up, as far as the first is not too wide."""
    widths = [min(max((columns(row[i]) for row in rows), default=0), _WIDEST) for i in (0, 1)]
    lines: list[str] = []
    for left, state, details in rows:
        line = left
        if state or details:
            line += " " * (max(widths[0] - columns(left), 0) + 3)
        if widths[1]:
            line += state + " " * (widths[1] - columns(state) + 3)
        lines.append((line + details).rstrip())
    return lines


def _loud(run: NodeRun | None, made: float | None) -> str:
    """The norm of the gradient that came to a node, where it is not finite (`` NaN``) or has a tangent; or
    what it made.
    """
    if made is not None:
        return f", made {number_text(made)}"
    norm = None if run is None else run.grad_norm
    if run is not None and run.tangents:
        return f", ‖g‖ {number_text(norm, 3)}{sizes_text(run.tangents)}"
    return "" if norm is None or isfinite(norm) else f" {number_text(norm)}"

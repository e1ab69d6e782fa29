"""The words around a picture: title, counts, where a run stands, and what is wrong."""

from __future__ import annotations

from collections import Counter

from vizgrad.debugger.drawing.describe import (
    bytes_text,
    count_text,
    plain,
    type_text,
    version_text,
    write_text,
)
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.model import Graph, Node, Run, SavedState

#: Footnotes on stale values; the rest is counted.
MOST_NOTES = 5
_UNUSUAL: tuple[SavedState, ...] = ("stale", "freed", "packed")


def graph_title(graph: Graph) -> str:
    return plain(graph.title, 80) or "Backward graph"


def graph_summary(graph: Graph, view: RunView) -> str:
    """``12 nodes · 4 leaves · 5 saved values, 1.2 kB · 1 stale``."""
    leaves = sum(node.kind == "leaf" for node in graph.nodes)
    saved = [value for node in graph.nodes for value in view.saved(node) if not value.value]
    held = view.held_bytes(graph.nodes)
    parts = [count_text(len(graph.nodes), "node"), count_text(leaves, "leaf", "leaves")]
    if saved:
        parts.append(f"{count_text(len(saved), 'saved value')}, {bytes_text(held)}")
    counts = Counter(value.state for value in saved)
    parts += [f"{counts[state]:,} {state}" for state in _UNUSUAL if counts[state]]
    if graph.truncated:
        parts.append(f"{count_text(graph.truncated, 'more node')} left out")
    return " · ".join(parts)


def run_summary(graph: Graph, run: Run) -> str:
    """``paused · 3 of 12 nodes done · next MulBackward0 · then AddBackward0, …``."""
    parts = [run.status, done_text(run)]
    if run.current is not None:
        parts.append(f"next {node_text(graph.nodes[run.current])}")
    others = [entry.node for entry in run.ready if entry.node != run.current]
    if others:
        names = [node_text(graph.nodes[index]) for index in others[:3]]
        parts.append(f"also ready: {', '.join(names)}{', …' if len(others) > 3 else ''}")
    if run.error:
        parts.append(plain(run.error, 120))
    return " · ".join(parts)


def done_text(run: Run) -> str:
    """``3 of 12 nodes done``: one that raised is not."""
    done = run.position - (run.status == "failed")
    return f"{done:,} of {count_text(run.total, 'node')} done"


def node_text(node: Node) -> str:
    """A node's name, with the variable's for a leaf: ``AccumulateGrad of w``."""
    name = plain(node.name, 60)
    return f"{name} of {plain(node.label, 60)}" if node.label else name


def output_text(node: Node) -> str:
    """Type of the gradient a node takes: that of its first output, and how many more there are."""
    if not node.outputs:
        return ""
    first = type_text(node.outputs[0].shape, node.outputs[0].dtype, node.outputs[0].batches)
    return first if len(node.outputs) == 1 else f"{first} ×{len(node.outputs)}"


def footnotes(graph: Graph, view: RunView) -> list[str]:
    """One line for each stale value: what was saved, and which line wrote over it."""
    notes = [
        f"{plain(value.name, 40)} of {node_text(node)}: {version_text(value)}"
        + (f", written by {write_text(value.culprit)}" if value.culprit else "")
        for node in graph.nodes
        for value in view.saved(node)
        if value.state == "stale"
    ]
    if len(notes) > MOST_NOTES:
        notes = [*notes[:MOST_NOTES], f"… {len(notes) - MOST_NOTES:,} more stale values"]
    return notes

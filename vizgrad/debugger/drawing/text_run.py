"""Where a stepped backward stands, as text: position, ready queue, buffers, what waits for what."""

from __future__ import annotations

from vizgrad.debugger.drawing.describe import count_text, plain, summary_text
from vizgrad.debugger.drawing.headings import done_text, graph_title, node_text
from vizgrad.debugger.drawing.overlay import RunView
from vizgrad.debugger.model import Graph, Run

#: Entries of each list that are written before it is cut.
LIST_LIMIT = 12


def run_text(graph: Graph, run: Run, *, limit: int = LIST_LIMIT) -> str:
    """The state of a run as a few lines; lists are cut after `limit` entries.

    Raises ValueError if the run is over another graph.
    """
    RunView(graph, run)  # checks that they belong together
    done = done_text(run)
    again = run.recorded - run.position
    title = graph_title(graph)
    what = title if title == "backward" else f"backward of {title}"
    lines = [f"{what}: {run.status}, {done}"]
    if again > 0:
        lines[0] += f", {count_text(again, 'step')} recorded ahead"
    if run.error:
        lines.append(f"  error    {plain(run.error, 200)}")
    elif run.stopped is not None:
        lines.append(f"  {plain(run.stopped.text, 200)}")
    if run.current is not None:
        lines.append(f"  current  {_node(graph, run.current)}")
    lines += _listed("ready", [_node(graph, entry.node) for entry in run.ready], limit)
    buffers = [
        f"{_node(graph, buffer.node)} output {buffer.input_nr}: {summary_text(buffer.value)}"
        for buffer in run.buffers
    ]
    lines += _listed("buffers", buffers, limit)
    for state in ("waiting", "skipped", "captured", "error"):
        lines += _listed(state, _in_state(graph, run, state), limit)
    lines += _listed("breaks", [_node(graph, index) for index in run.breakpoints], limit)
    return "\n".join(lines)


def _in_state(graph: Graph, run: Run, state: str) -> list[str]:
    """Nodes in one state, with the count they wait for or the reason they have."""
    found: list[str] = []
    for index, node in enumerate(run.nodes):
        if node.state != state:
            continue
        text = _node(graph, index)
        if state == "waiting":
            text += f": {node.delivered} of {node.needed}"
        elif node.reason:
            text += f": {plain(node.reason, 80)}"
        found.append(text)
    return found


def _node(graph: Graph, index: int) -> str:
    return f"{node_text(graph.nodes[index])} (node {index})"


def _listed(title: str, entries: list[str], limit: int) -> list[str]:
    """Entries below each other under a title in the margin."""
    shown = entries[:limit]
    if len(entries) > limit:
        shown.append(f"… {len(entries) - limit:,} more")
    return [f"  {title if not i else '':<8} {entry}" for i, entry in enumerate(shown)]

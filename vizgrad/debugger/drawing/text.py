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
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

from vizgrad.debugger.drawing.chips import (
    done_text,
    footnotes,
    graph_summary,
    graph_title,
    node_text,
    output_text,
    run_summary,
)
from vizgrad.debugger.drawing.collectives import carried_text
from vizgrad.debugger.drawing.describe import (
    bytes_text,
    columns,
    count_text,
    counter_text,
    number_text,
    place_text,
    plain,
    saved_text,
    seconds_text,
    sizes_text,
    summary_text,
    type_text,
    write_text,
)
from vizgrad.debugger.drawing.overlay import RunView, state_text
from vizgrad.debugger.model import (
    Collective,
    Graph,
    Node,
    NodeRun,
    Routed,
    Run,
    SaveMark,
    StageRecord,
    Storage,
    Trace,
    Visit,
)
from vizgrad.debugger.session.grouping.outline import Outline, is_leaf

# --- text ------------------------------------------------------------------------------------------------


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
    lines += [f"⇄ {line}" for line in ([] if run is None else _collectives(graph, run))]
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
        """The nodes that a node feeds: its main input last, at the same indentation, the others before."""
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


# --- text run --------------------------------------------------------------------------------------------
# Where a stepped backward stands, as text: position, ready queue, buffers, what waits for what.


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
        lines.append(f"  current  {_node_of_run(graph, run.current)}")
    lines += _listed("ready", [_node_of_run(graph, entry.node) for entry in run.ready], limit)
    buffers = [
        f"{_node_of_run(graph, buffer.node)} output {buffer.input_nr}: {summary_text(buffer.value)}"
        for buffer in run.buffers
    ]
    lines += _listed("buffers", buffers, limit)
    for state in ("waiting", "skipped", "captured", "error"):
        lines += _listed(state, _in_state(graph, run, state), limit)
    lines += _listed("breaks", [_node_of_run(graph, index) for index in run.breakpoints], limit)
    return "\n".join(lines)


def _collectives(graph: Graph, run: Run) -> list[str]:
    """Those that the run has called, each with the leaves whose gradients it carries."""
    found = [(each, each.at(run.position)) for each in run.collectives]
    return [
        ", ".join(filter(None, (str(call), carried_text(graph.nodes.__getitem__, each))))
        for each, call in found
        if call is not None
    ]


def _in_state(graph: Graph, run: Run, state: str) -> list[str]:
    """Nodes in one state, with the count they wait for or the reason they have."""
    found: list[str] = []
    for index, node in enumerate(run.nodes):
        if node.state != state:
            continue
        text = _node_of_run(graph, index)
        if state == "waiting":
            text += f": {node.delivered} of {node.needed}"
        elif node.reason:
            text += f": {plain(node.reason, 80)}"
        found.append(text)
    return found


def _node_of_run(graph: Graph, index: int) -> str:
    return f"{node_text(graph.nodes[index])} (node {index})"


def _listed(title: str, entries: list[str], limit: int) -> list[str]:
    """Entries below each other under a title in the margin."""
    shown = entries[:limit]
    if len(entries) > limit:
        shown.append(f"… {len(entries) - limit:,} more")
    return [f"  {title if not i else '':<8} {entry}" for i, entry in enumerate(shown)]


# --- text trace ------------------------------------------------------------------------------------------
# Executed nodes as text: one visit in full, or a trace with a line for each.


#: Visits, and events, that a trace writes before it is cut.
TRACE_LINE_LIMIT = 200


def _call_line(call: Collective) -> str:
    return f"  call {plain(str(call), 200)}"


def visit_text(visit: Visit, graph: Graph | None = None, called: Sequence[Collective] = ()) -> str:
    """All that one visit did: what came in, each stage, what went out, what became of `.grad`, and the
    collectives that its step told of.
    """
    lines = [f"#{visit.index + 1} {_node_of_trace(visit.node, graph)}  {_cost(visit)}"]
    for slot, summary in enumerate(visit.incoming):
        lines.append(f"  in   output {slot}: {summary_text(summary)}")
    for stage in visit.stages:
        lines += _stage(stage)
    for routed in visit.routed:
        lines.append(f"  out  {_routed(routed, graph)}")
    if visit.accumulate:
        record = visit.accumulate
        change = f"{summary_text(record.before)} → {summary_text(record.after)}"
        lines.append(f"  grad {record.decision}: {plain(record.reason, 120)}")
        lines.append(f"       {change}")
    lines += map(_call_line, called)
    if visit.error:
        lines.append(f"  error {plain(visit.error, 200)}")
    return "\n".join(lines)


def trace_text(trace: Trace, *, limit: int = TRACE_LINE_LIMIT) -> str:
    """The visits of a trace, a line each, then its events; each list cut after `limit` lines."""
    title = plain(trace.title or trace.graph.title, 80) or "trace"
    counts = [
        count_text(len(trace.graph.nodes), "node"),
        count_text(len(trace.visits), "visit"),
        count_text(len(trace.events), "event"),
    ]
    lines = [f"{title}: {' · '.join(counts)}"]
    for record in trace.records[:limit]:
        lines.append(visit_line(record.visit, trace.graph))
        lines += map(_call_line, record.collectives)
    if len(trace.visits) > limit:
        lines.append(f"… {count_text(len(trace.visits) - limit, 'more visit')}")
    if trace.events:
        lines.append("events")
    for event in trace.events[:limit]:
        where = f"  {place_text(event.place)}" if event.place else ""
        kind, text = plain(event.kind, 20), plain(event.text, 120)
        lines.append(f"  {event.index:>4}  {kind:<10} {text}{where}".rstrip())
    if len(trace.events) > limit:
        lines.append(f"… {count_text(len(trace.events) - limit, 'more event')}")
    return "\n".join(lines)


def visit_line(visit: Visit, graph: Graph) -> str:
    """``#3 MulBackward0 (node 2)  in 1.2  out 0.5, undefined``: norms of what came and went."""
    norms = [number_text(gradient.norm if gradient else None) for gradient in visit.incoming]
    parts = [f"  {'#' + str(visit.index + 1):>5} {_node_of_trace(visit.node, graph)}"]
    if norms:
        parts.append(f"in {', '.join(norms)}")
    if visit.accumulate:
        parts.append(f"grad {visit.accumulate.decision}")
    elif visit.routed:
        gone = [
            r.routed.norm if r.routed else None for r in visit.routed if r.edge.node is not None
        ]
        parts.append(f"out {', '.join(map(number_text, gone)) or 'nowhere'}")
    if visit.error:
        parts.append(f"error {plain(visit.error, 80)}")
    return "  ".join(parts)


def _node_of_trace(index: int, graph: Graph | None) -> str:
    if graph is None or not 0 <= index < len(graph.nodes):
        return f"node {index}"
    return f"{node_text(graph.nodes[index])} (node {index})"


def _cost(visit: Visit) -> str:
    released = f", released {bytes_text(visit.released_bytes)}" if visit.released_bytes else ""
    return seconds_text(visit.seconds) + released


def _stage(stage: StageRecord) -> list[str]:
    name = stage.stage.replace("_", " ")
    lines = [f"  {name:<15} {plain(stage.detail, 120)}".rstrip()]
    if stage.before or stage.after:
        lines.append(f"  {'':<15} {summary_text(stage.before)} → {summary_text(stage.after)}")
    return lines


def _routed(routed: Routed, graph: Graph | None) -> str:
    name = f"{plain(routed.edge.name, 40)}: " if routed.edge.name else ""
    if routed.edge.node is None:
        return f"{name}not needed"
    goal = _node_of_trace(routed.edge.node, graph)
    if routed.edge.input_nr:
        goal += f" output {routed.edge.input_nr}"
    note = f"  ({plain(routed.note, 80)})" if routed.note else ""
    return f"{name}{summary_text(routed.routed)} → {goal}{note}"


# --- text versions ---------------------------------------------------------------------------------------
# The life of storages as text: each write with its line, each save that relies on a version.


#: Lines of one storage that are written before its timeline is cut (the latest are kept).
VERSIONS_LIMIT = 40


def versions_text(
    storages: Sequence[Storage], graph: Graph | None = None, *, limit: int = VERSIONS_LIMIT
) -> str:
    """A timeline for each storage, oldest first; with a graph, saves name their node.

    Versions are the counter's value after a write, clocks the process-wide ticks of the model.
    """
    blocks = [_storage(storage, graph, limit) for storage in storages]
    return "\n\n".join(blocks) or "no storages are tracked"


def _storage(storage: Storage, graph: Graph | None, limit: int) -> str:
    name = plain(storage.label, 60) or f"storage {storage.id}"
    head = (
        f"{name}  {type_text(storage.shape, storage.dtype)}  {bytes_text(storage.bytes)}"
        f"  now v{storage.version}"
    )
    marks: list[tuple[int, int, str, str, str]] = []
    for write in storage.writes:
        line = plain(write.place.text, 80) if write.place else ""
        marks.append((write.clock, 1, f"v{write.version}", f"written by {write_text(write)}", line))
    marks += [
        (save.clock, 0, counter_text(save.version), _save(save, graph), "")
        for save in storage.saves
    ]
    marks.sort()
    lines = [head]
    if storage.writes_dropped:
        lines.append(f"  … {count_text(storage.writes_dropped, 'earlier write')}")
    if len(marks) > limit:
        lines.append(f"  … {count_text(len(marks) - limit, 'earlier mark')}")
        marks = marks[-limit:]
    if not marks and not storage.writes_dropped:
        lines.append("  no writes, no saves")
    width = max((columns(text) for _, _, _, text, line in marks if line), default=0)
    for clock, _, version, text, line in marks:
        padded = f"{text}{' ' * (width - columns(text) + 3)}{line}" if line else text
        lines.append(f"  {clock:>6}  {version:<4} {padded}")
    return "\n".join(lines)


def _save(save: SaveMark, graph: Graph | None) -> str:
    known = graph is not None and 0 <= save.node < len(graph.nodes)
    node = node_text(graph.nodes[save.node]) if graph and known else "node"
    state = "" if save.state == "alive" else f": {save.state.upper()}"
    return f"saved as {plain(save.name, 40)} by {node} ({save.node}){state}"

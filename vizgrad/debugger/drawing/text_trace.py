"""Executed nodes as text: one visit in full, or a trace with a line for each."""

from __future__ import annotations

from vizgrad.debugger.drawing.describe import (
    bytes_text,
    count_text,
    number_text,
    place_text,
    plain,
    seconds_text,
    summary_text,
)
from vizgrad.debugger.drawing.headings import node_text
from vizgrad.debugger.model import Graph, Routed, StageRecord, Trace, Visit

#: Visits, and events, that a trace writes before it is cut.
LINE_LIMIT = 200


def visit_text(visit: Visit, graph: Graph | None = None) -> str:
    """All that one visit did: what came in, each stage, what went out, what became of `.grad`."""
    lines = [f"#{visit.index + 1} {_node(visit.node, graph)}  {_cost(visit)}"]
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
    if visit.error:
        lines.append(f"  error {plain(visit.error, 200)}")
    return "\n".join(lines)


def trace_text(trace: Trace, *, limit: int = LINE_LIMIT) -> str:
    """The visits of a trace, a line each, then its events; each list cut after `limit` lines."""
    title = plain(trace.title or trace.graph.title, 80) or "trace"
    counts = [
        count_text(len(trace.graph.nodes), "node"),
        count_text(len(trace.visits), "visit"),
        count_text(len(trace.events), "event"),
    ]
    lines = [f"{title}: {' · '.join(counts)}"]
    lines += [_visit_line(visit, trace.graph) for visit in trace.visits[:limit]]
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


def _visit_line(visit: Visit, graph: Graph) -> str:
    """``#3 MulBackward0 (node 2)  in 1.2  out 0.5, undefined``: norms of what came and went."""
    norms = [number_text(gradient.norm if gradient else None) for gradient in visit.incoming]
    parts = [f"  {'#' + str(visit.index + 1):>5} {_node(visit.node, graph)}"]
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


def _node(index: int, graph: Graph | None) -> str:
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
    goal = _node(routed.edge.node, graph)
    if routed.edge.input_nr:
        goal += f" output {routed.edge.input_nr}"
    note = f"  ({plain(routed.note, 80)})" if routed.note else ""
    return f"{name}{summary_text(routed.routed)} → {goal}{note}"

"""Where a run stands in the text of a program."""

from __future__ import annotations

from collections.abc import Iterable

from vizgrad.debugger import model
from vizgrad.debugger.session.lines import notebook_cells
from vizgrad.debugger.session.lines.line_table import LineTable
from vizgrad.debugger.session.lines.source_files import Compiled


def mark_of(
    table: LineTable,
    current: int | None,
    stopped: model.Stopped | None,
    within: model.Within | None = None,
) -> model.LineMark | None:
    """At the node that comes next, or at that which made a NaN or raised, as long as the run stands behind
    it; within a node at the line of a person's that comes next there.
    """
    inside = None if within is None else _inside(table, within)
    if inside is not None:
        return inside
    node, text = current, ""
    kind: model.MarkKind = "next"
    if stopped is not None:
        text = stopped.text
        if stopped.kind in ("nonfinite", "error") and stopped.node is not None:
            node, kind = stopped.node, stopped.kind
            if stopped.birth is not None and stopped.birth.born is not None:
                node = stopped.birth.born  # it came up in the forward pass
    if node is None:
        return None
    return _marked(table, node, kind, text)


def selected(table: LineTable, node: int) -> model.LineMark:
    """At a node that a person looks at. ValueError if there is no such node."""
    if not 0 <= node < table.size:
        raise ValueError(f"there is no node {node} in this graph")
    text = f"selected: {table.name(node)}"
    if table.line(node) is not None:
        turn, turns = table.turn(node)
        text += f", {turn} of {turns}" if turns > 1 else ""
    return _marked(table, node, "selected", text)


def _marked(
    table: LineTable,
    node: int,
    kind: model.MarkKind,
    text: str,
) -> model.LineMark:
    line = table.line(node)
    name = table.name(node)
    extent = None if line is None else table.extent(node)
    if line is None or extent is None or extent.line != table.lines[line].line:
        return model.LineMark(node, name, line, kind, text)
    return model.LineMark(
        node, name, line, kind, text, extent.column, extent.end_line, extent.end_column
    )


def _inside(table: LineTable, within: model.Within) -> model.LineMark | None:
    """None where no line of a person's comes next."""
    following = within.following
    if following is None:
        return None
    place, node = following.place, within.node
    ran = next(reversed(notebook_cells.cells_run(place.file)), None)
    name = table.name(node)
    shown = model.LineInside(Compiled(place.file, ran).shown, place.line)
    return model.LineMark(node, name, None, "inside", f"next within {name}", inside=shown)


def stops_at(
    table: LineTable, breakpoints: Iterable[model.Breakpoint]
) -> tuple[model.LineStop, ...]:
    """The breakpoints that are set at lines, in the order of the lines."""
    found: dict[tuple[int, int], model.LineStop] = {}
    for each in breakpoints:
        if each.kind == "line":
            lines = {table.line(node) for node in each.nodes}
            asks = [f"if {each.condition}"] if each.condition else []
            asks += [f"at the {each.hits}. time"] if each.hits else []
            for line in lines:
                if line is not None:
                    stop = model.LineStop(line, each.id, each.enabled, ", ".join(asks))
                    found[line, each.id] = stop
    return tuple(found[key] for key in sorted(found))

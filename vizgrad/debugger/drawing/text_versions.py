"""The life of storages as text: each write with its line, each save that relies on a version."""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.debugger.drawing.describe import (
    bytes_text,
    columns,
    count_text,
    counter_text,
    plain,
    type_text,
    write_text,
)
from vizgrad.debugger.drawing.headings import node_text
from vizgrad.debugger.model import Graph, SaveMark, Storage

#: Lines of one storage that are written before its timeline is cut (the latest are kept).
LINE_LIMIT = 40


def versions_text(
    storages: Sequence[Storage], graph: Graph | None = None, *, limit: int = LINE_LIMIT
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

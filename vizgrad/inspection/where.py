"""Where a run stands, in one line."""

from __future__ import annotations

from vizgrad.inspection import model


class Where(str):
    """What a move of a session returns: printed as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def where_of(run: model.Run, graph: model.Graph) -> Where:
    """How far the run is, and what comes next."""
    text = f"{run.position} of {run.total} nodes done"
    if run.status == "closed":
        return Where(text + "; the session is closed")
    if run.status == "failed":
        return Where(f"{text}; failed: {run.error}")
    if run.current is None:
        return Where(text + "; the backward is finished")
    node = graph.nodes[run.current]
    label = f" {node.label}" if node.label else ""
    return Where(f"{text}; next is {node.name}{label} (node {node.id})")

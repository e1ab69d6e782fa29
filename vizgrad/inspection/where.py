"""Where a run stands, in one line."""

from __future__ import annotations

from vizgrad.inspection import model


class Where(str):
    """What a move of a session returns: printed as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def counted(position: int, total: int) -> str:
    return f"{position} of {total} nodes done"


def where_of(
    status: model.RunStatus,
    position: int,
    total: int,
    following: tuple[int, str, str] | None,
    error: str,
) -> Where:
    """How far the run is, and what comes next: `following` is a node's number, name and label."""
    text = counted(position, total)
    if status == "failed":
        return Where(f"{text}; failed: {error}")
    if following is None:
        return Where(text + "; the backward is finished")
    node, name, label = following
    return Where(f"{text}; next is {name}{' ' if label else ''}{label} (node {node})")

"""Where a run stands, in one line."""

from __future__ import annotations

from vizgrad.inspection import model


class Where(str):
    """What a move of a session returns: printed as it is, without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def counted(position: int, total: int) -> str:
    return f"{position:,} of {total:,} {'node' if total == 1 else 'nodes'} done"


def where_of(
    status: model.RunStatus,
    position: int,
    total: int,
    following: tuple[int, str, str] | None,
    error: str,
    stopped: model.Stopped | None = None,
) -> Where:
    """How far the run is, why it stopped, and what comes next: a node's number, name and label."""
    text = counted(position, total)
    if status == "failed":
        return Where(f"{counted(position - 1, total)}; failed: {error}")
    if stopped is not None:
        text += f"; {stopped.text[:1].lower()}{stopped.text[1:]}"
    if following is None:
        return Where(text + "; the backward is finished")
    node, name, label = following
    return Where(f"{text}; next is {name}{' ' if label else ''}{label} (node {node})")

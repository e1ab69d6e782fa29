"""Where a run stands, in one line."""

from __future__ import annotations

from vizgrad.debugger import model
from vizgrad.debugger.session.history.lanes import title_of


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
    within: model.Within | None = None,
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
    if within is not None:
        return Where(f"{text}; {_inside(within, f'{name} {label}'.rstrip())}")
    return Where(f"{text}; next is {name}{' ' if label else ''}{label} (node {node})")


def _inside(within: model.Within, called: str) -> str:
    """How far it is within a node."""
    text = (
        f"within {called} (node {within.node}), {within.done} of {len(within.stages)} stages done"
    )
    coming = within.following
    made = within.made - sum(len(line.made) for line in within.code[: within.lines])
    if coming is not None and made > 0:
        return f"{text}, within {coming.place}, behind {title_of(coming.made[made - 1])}"
    code = within.code[within.lines - 1] if within.lines else None
    if code is not None and code.stage >= within.done:
        return f"{text}, behind {code.place}"
    if not within.done:
        return text
    stage = within.stages[within.done - 1]
    return f"{text}, behind {stage.stage}" + (f": {stage.detail}" if stage.detail else "")

"""Refuses a graph that an earlier backward has released. The refusal comes when the graph is opened: drawn,
it would look like one that can be stepped.
"""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.core.errors import Place, explained


@dataclass(frozen=True, slots=True)
class Released:
    """The nodes of a graph that have lost their saved values.

    `node`, recorded at `recorded`, is the first of them to run. `count` of `saving` nodes have lost theirs.
    `by` is the line of the backward that released them, None where nobody noted it; `unknown` says then why.
    """

    node: str
    recorded: Place | None
    count: int
    saving: int
    by: Place | None
    unknown: str = ""


def _line(by: Place) -> str:
    return f"the backward on line {by.line}" + (f" of {by.cell}" if by.cell else "")


def refusal(released: Released) -> RuntimeError:
    """The error for opening such a graph: of the class, and with the phrase, of a second backward."""
    by = released.by
    who = "an earlier backward" if by is None else _line(by)
    what = "This graph was" if released.count == released.saving else "A part of this graph was"
    error = RuntimeError(
        f"{what} released by {who}, so it cannot be stepped: Trying to backward through the graph a second "
        "time (or directly access saved tensors after they have already been freed)."
    )
    story = released.node
    if released.recorded is not None:
        story += f", recorded at {released.recorded},"
    story += " has no saved values any more"
    if released.count < released.saving:
        story += f" ({released.count} of {released.saving} nodes with saved values lack theirs)"
    return explained(
        error,
        kind="graph-freed",
        culprit=by,
        tensor=released.node,
        fix="compute the loss again and debug it before its backward, or pass retain_graph=True to the "
        "earlier backward",
        story=f"{story}.{f' {released.unknown}' if by is None and released.unknown else ''}",
    )

"""What a view is told of the lane beside the graph."""

from __future__ import annotations

from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.build_drawing import draw
from vizgrad.debugger.jupyter.widget.drawing import AUTOMATIC, Drawing, Folding
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.session import Session


def lane(number: int, session: Session, folding: Folding) -> p.Lane:
    with session.at_rest() as (revision, look):
        found = look.lane
        if found is None:
            return p.Lane(number, session.id, revision, None, (), (), None)
        return p.Lane(
            number,
            session.id,
            revision,
            found.node,
            found.made,
            found.at,
            drawn(found, folding),
            found.left_out,
            can_debug=found.node is None and look.grows and not session.closed,
        )


def drawn(lane: Lane, folding: Folding = AUTOMATIC) -> Drawing:
    """The picture of all of it: what is not there yet has its place."""
    nodes = lane.graph.nodes
    return draw(Outline.of_graph(lane.graph), nodes.__getitem__, folding)

"""What a view is told when a person asks why a node is as it is."""

from __future__ import annotations

from vizgrad.core.errors import lines_around
from vizgrad.debugger.explain.node_answers import why_node
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.session.session import Session

#: Links that are told of: the first and the last of a longer chain.
MOST_LINKS = 400


def why(number: int, session: Session, node: int) -> p.Why:
    with session.at_rest() as (revision, look):
        told = why_node(look, node)
        found = told.explanation
        culprit = found.culprit
        lines = () if culprit is None else tuple(p.WhyLine(*line) for line in lines_around(culprit))
        links = [
            p.WhyLink(link.text, link.place, at)
            for link, at in zip(found.chain, told.nodes, strict=True)
        ]
        if len(links) > MOST_LINKS:
            links[MOST_LINKS // 2 : -MOST_LINKS // 2] = []
        return p.Why(
            number,
            session.id,
            revision,
            node,
            found.kind,
            found.tensor,
            found.story,
            found.fix,
            found.mended,
            culprit,
            lines,
            tuple(links),
            told.position,
            told.check,
        )

"""The answers to a view's requests about a session: read from it at rest, and only as much as is shown.

The data of a session in a notebook: a picture and a text of where it stands, and which session that was.

`MIME` is read by the labextension (`extension/src/mime`): it shows the living session if there is one, else
the picture. Others show what they know: the widget, the picture or the text.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any
from weakref import WeakKeyDictionary

from vizgrad.core.errors import lines_around
from vizgrad.core.explanation_headings import heading
from vizgrad.debugger import model
from vizgrad.debugger.drawing.mathematics import mathematics
from vizgrad.debugger.drawing.static import svg_of_session, text_of_session
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.explain.node_answers import why_node
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.build_standing import lane, standing
from vizgrad.debugger.jupyter.widget.drawing import Drawing, Folding, draw
from vizgrad.debugger.jupyter.widget.handlers import Connection, answers, handles
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.branches import Comparison
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import Look, part_of

# The data of a session in a notebook: a picture and a text of where it stands, and which session that was.

MIME = "application/vnd.vizgrad.session+json"

#: Larger graphs are said in words only, to those who read a notebook without a kernel.
MOST_PICTURED = 20_000
#: The picture of a larger graph is not made anew while it is stepped: it takes too long.
MOST_PICTURED_AGAIN = 2_000


def saved_view(session: Session, view: str = "") -> p.SavedView:
    return p.SavedView(
        session.id, session.name, session.status, session.position, session.total, view
    )


def bundle(session: Session, view: str = "") -> dict[str, Any]:
    """As mime types."""
    data: dict[str, Any] = {MIME: asdict(saved_view(session, view))}
    if session.nodes > MOST_PICTURED:
        data["text/plain"] = repr(session)
    else:
        data["text/plain"] = text_of_session(session)
        data["image/svg+xml"] = svg_of_session(session)
    return data


def picture(request: int, session: Session) -> p.Picture:
    small = session.nodes <= MOST_PICTURED_AGAIN
    return p.Picture(
        request,
        session.id,
        saved_view(session),
        svg_of_session(session) if small else "",
        text_of_session(session) if small else "",
    )


class SessionPicture:
    """A session in a notebook that a program runs: nobody is there who could step it."""

    def __init__(self, session: Session) -> None:
        self._data = bundle(session)

    def __repr__(self) -> str:
        return self._data["text/plain"]

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return self._data


# --- what a view is told when a person asks why a node is as it is ----------------------------------

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
            heading(found.kind),
        )


# --- questions about a session ----------------------------------------------------------------------


#: Nodes named in one answer; visits, storages and points of a curve that are told at once.
MOST_NAMES = 200
MOST_VISITS = 1_000
MOST_STORAGES = 1_000
MOST_POINTS = 600
#: Nodes that are told to hold most memory.
MOST_HOLDERS = 3
#: Nodes of which it is told how they differ on two branches.
MOST_DIFFERENCES = 2_000
#: Drawings that are kept of a graph.
MOST_DRAWN = 4


@handles(p.Look)
def _look(connection: Connection, request: p.Look, _: bool) -> p.Shown:
    session = connection.find(request.session)
    with connection.reading(session):
        return shown(request.request, session, request.folding, request.digest)


@answers(p.Since)
def _since(session: Session, request: p.Since) -> p.Updates | p.Behind:
    updates = session.updates_since(request.revision)
    if updates is None:
        return p.Behind(request.request, session.id, session.revision)
    return p.Updates(request.request, session.id, updates)


@answers(p.Find)
def _find(session: Session, request: p.Find) -> p.Found:
    with session.at_rest() as (_, look):
        return p.Found(request.request, session.id, *look.find(request.query, MOST_NAMES))


@answers(p.GetNames)
def _names(session: Session, request: p.GetNames) -> p.Names:
    with session.at_rest() as (_, look):
        return p.Names(request.request, session.id, look.names(_known(look, request.nodes)))


@answers(p.GetPicture)
def _picture(session: Session, request: p.GetPicture) -> p.Picture:
    return picture(request.request, session)


@answers(p.GetWhy)
def _why(session: Session, request: p.GetWhy) -> p.Why:
    return why(request.request, session, request.node)


@answers(p.GetLane)
def _lane(session: Session, request: p.GetLane) -> p.Lane:
    return lane(request.request, session, request.folding)


@answers(p.GetDifferences)
def _differences(session: Session, request: p.GetDifferences) -> p.Differences:
    found = session.comparison(request.name, request.other)
    most, total = most_differing(found), len(found.differences)
    number = request.request
    return p.Differences(number, session.id, session.revision, total, most, found.first, found.text)


def most_differing(told: Comparison) -> tuple[model.Difference, ...]:
    """Those that differ most, as many as a view is told of."""
    return tuple(sorted(told.differences, key=_apart, reverse=True)[:MOST_DIFFERENCES])


def _apart(difference: model.Difference) -> float:
    return -1.0 if difference.relative is None else difference.relative


#: The drawings that views of a graph saw last: jumping there and back asks for the same one.
_drawn: WeakKeyDictionary[Outline, OrderedDict[Folding, Drawing]] = WeakKeyDictionary()


def _drawing(look: Look, folding: Folding) -> Drawing:
    drawn = _drawn.setdefault(look.outline, OrderedDict())
    if folding not in drawn:
        drawn[folding] = draw(look.outline, look.describe_before, folding)
        if len(drawn) > MOST_DRAWN:
            drawn.popitem(last=False)
    drawn.move_to_end(folding)
    return drawn[folding]


def shown(number: int, session: Session, folding: Folding, digest: str) -> p.Shown:
    with session.at_rest() as (revision, look):
        outline = look.outline
        look.retell()
        drawing = _drawing(look, folding)
        return p.Shown(
            number,
            session.id,
            revision,
            session.title,
            session.opening.cell.name,
            nodes=outline.size,
            leaves=outline.size - outline.inner,
            truncated=look.truncated,
            drawing=None if drawing.digest == digest else drawing,
            standing=standing(look, drawing),
        )


@answers(p.Inspect)
def inspection(session: Session, request: p.Inspect) -> p.Inspection:
    number, node = request.request, request.node
    with session.at_rest() as (revision, look):
        data, visit, buffers, grad = session.inspect(node)
        kept = {saved.storage for saved in data.saved}
        storages, _ = look.storages_of([node])
        targets = {edge.node for edge in data.edges if edge.node is not None}
        return p.Inspection(
            number,
            session.id,
            revision,
            data,
            visit,
            buffers,
            grad,
            storages=tuple(storage for storage in storages if storage.id in kept),
            groups=look.outline.around(node),
            names=look.names(sorted(targets)),
            maths=tuple(m for f in data.formulas if (m := mathematics(f)) is not None),
        )


@answers(p.GetPart)
def part(session: Session, asked: p.GetPart) -> p.ArrayPart:
    number = asked.request
    with session.at_rest() as (revision, look):
        try:
            array = summarizer.array_of(look.value(asked.of))
            found = part_of(array, asked.at, asked.rows, asked.columns)
        except (LookupError, TypeError) as error:
            return p.ArrayPart(number, session.id, revision, asked.of, None, str(error))
        return p.ArrayPart(number, session.id, revision, asked.of, found)


@answers(p.GetVisits)
def _visits(session: Session, request: p.GetVisits) -> p.Visits:
    with session.at_rest() as (_, look):
        fold = look.fold
        first = max(request.first, 0)
        last = min(first + min(request.count, MOST_VISITS), look.standing.recorded)
        lines = tuple(
            p.VisitLine(index, node, fold.norm(node))
            for index, node in ((i, look.node_at(i)) for i in range(first, last))
        )
        return p.Visits(
            request.request, session.id, lines, look.names({line.node for line in lines})
        )


@answers(p.GetMemory)
def memory(session: Session, request: p.GetMemory) -> p.Memory:
    with session.at_rest() as (revision, look):
        curve = look.memory
        largest, others, others_bytes = curve.largest(look.position, MOST_HOLDERS)
        return p.Memory(
            request.request,
            session.id,
            revision,
            held=curve.held[look.position],
            peak=curve.peak,
            curve=curve.points(MOST_POINTS),
            holders=tuple(p.Holder(node, size) for node, size in largest),
            others=others,
            others_bytes=others_bytes,
            names=look.names(node for node, _ in largest),
        )


@answers(p.GetStorages)
def _storages(session: Session, request: p.GetStorages) -> p.Storages:
    with session.at_rest() as (revision, look):
        total, storages = look.storages(min(max(request.most, 0), MOST_STORAGES))
        return p.Storages(request.request, session.id, revision, total, storages)


def _known(look: Look, nodes: Iterable[int]) -> list[int]:
    """Those of the numbers that are of nodes: they come from a browser."""
    return [node for node in dict.fromkeys(nodes) if 0 <= node < look.outline.size][:MOST_NAMES]

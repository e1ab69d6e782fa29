"""What a view is told about a session when it asks: read from it at rest, and only as much as is shown."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any
from weakref import WeakKeyDictionary

from vizgrad.debugger import model
from vizgrad.debugger.drawing.mathematics import mathematics
from vizgrad.debugger.engines.api import summarizer
from vizgrad.debugger.jupyter.widget import protocol as p
from vizgrad.debugger.jupyter.widget.build_drawing import draw
from vizgrad.debugger.jupyter.widget.build_lane import lane
from vizgrad.debugger.jupyter.widget.build_standing import standing
from vizgrad.debugger.jupyter.widget.build_why import why
from vizgrad.debugger.jupyter.widget.drawing import Drawing, Folding
from vizgrad.debugger.jupyter.widget.saved_picture import picture
from vizgrad.debugger.session.array_slices import part_of
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.branch_comparison import Comparison
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.session.session_reader import Look

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


def seen(session: Session, request: Any) -> Any:
    """The answer to a request that only looks; None for any other."""
    number = request.request
    match request:
        case p.Look():
            return shown(number, session, request.folding, request.digest)
        case p.Since():
            updates = session.updates_since(request.revision)
            if updates is None:
                return p.Behind(number, session.id, session.revision)
            return p.Updates(number, session.id, updates)
        case p.Inspect():
            return _inspection(number, session, request.node)
        case p.GetPart():
            return _part(number, session, request)
        case p.Find():
            with session.at_rest() as (_, look):
                return p.Found(number, session.id, *look.find(request.query, MOST_NAMES))
        case p.GetNames():
            with session.at_rest() as (_, look):
                return p.Names(number, session.id, look.names(_known(look, request.nodes)))
        case p.GetVisits():
            return _visits(number, session, request.first, request.count)
        case p.GetMemory():
            return _memory(number, session)
        case p.GetStorages():
            return _storages(number, session, request.most)
        case p.GetPicture():
            return picture(number, session)
        case _:
            return _beside(session, request)


def _beside(session: Session, request: Any) -> p.Lane | p.Differences | p.Why | None:
    if isinstance(request, p.GetWhy):
        return why(request.request, session, request.node)
    if isinstance(request, p.GetLane):
        return lane(request.request, session, request.folding)
    if not isinstance(request, p.GetDifferences):
        return None
    told = session.comparison(request.name, request.other)
    most, total = most_differing(told), len(told.differences)
    number = request.request
    return p.Differences(number, session.id, session.revision, total, most, told.first, told.text)


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


def _inspection(number: int, session: Session, node: int) -> p.Inspection:
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


def _part(number: int, session: Session, asked: p.GetPart) -> p.ArrayPart:
    with session.at_rest() as (revision, look):
        try:
            array = summarizer.array_of(look.value(asked.of))
            part = part_of(array, asked.at, asked.rows, asked.columns)
        except (LookupError, TypeError) as error:
            return p.ArrayPart(number, session.id, revision, asked.of, None, str(error))
        return p.ArrayPart(number, session.id, revision, asked.of, part)


def _visits(number: int, session: Session, first: int, count: int) -> p.Visits:
    with session.at_rest() as (_, look):
        fold = look.fold
        first = max(first, 0)
        last = min(first + min(count, MOST_VISITS), look.recorded)
        lines = tuple(
            p.VisitLine(index, node, fold.norm(node))
            for index, node in ((i, look.node_at(i)) for i in range(first, last))
        )
        return p.Visits(number, session.id, lines, look.names({line.node for line in lines}))


def _memory(number: int, session: Session) -> p.Memory:
    with session.at_rest() as (revision, look):
        curve = look.memory
        largest, others, others_bytes = curve.largest(look.position, MOST_HOLDERS)
        return p.Memory(
            number,
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


def _storages(number: int, session: Session, most: int) -> p.Storages:
    with session.at_rest() as (revision, look):
        total, storages = look.storages(min(max(most, 0), MOST_STORAGES))
        return p.Storages(number, session.id, revision, total, storages)


def _known(look: Look, nodes: Iterable[int]) -> list[int]:
    """Those of the numbers that are of nodes: they come from a browser."""
    return [node for node in dict.fromkeys(nodes) if 0 <= node < look.outline.size][:MOST_NAMES]

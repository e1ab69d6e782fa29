"""Who wrote a value last: the step of the run that did, or the line of the program."""

from __future__ import annotations

from vizgrad.debugger import model
from vizgrad.debugger.model import ArrayName, Writer
from vizgrad.debugger.session.open_session import Live


def last_write(live: Live, of: ArrayName) -> Writer:
    """Who wrote an array of a node, as far as the run stands. ValueError if there is no such node.

    A gradient was written by the step that delivered it last, `.grad` by that which added to it, a saved
    value by the last in-place write to its memory, else by the operation that made it.
    """
    if not 0 <= of.node < len(live.source):
        raise ValueError(f"there is no node {of.node} in this graph")
    order = live.history.fold.order(of.node)
    match of.kind:
        case "incoming" | "waiting":
            return _delivered(live, of, live.position if order is None else order)
        case "computed" | "routed" | "grad_after":
            return _own(live, of.node, order)
        case "grad":
            return _own(live, of.node, order) if order is not None else _before(".grad")
        case "grad_before":
            return _before(".grad")
        case "saved":
            return _saved(live, of)


def _own(live: Live, node: int, order: int | None) -> Writer:
    if order is None:
        return Writer(f"{_called(live, node)} has not run yet")
    position = order + 1
    return Writer(
        f"{_called(live, node)} wrote it in step {position}", position, node, _place(live, node)
    )


def _before(what: str) -> Writer:
    return Writer(f"no step of this run wrote it: {what} is from before")


def _delivered(live: Live, of: ArrayName, end: int) -> Writer:
    """By the last of the steps before `end` that sent something to the slot."""
    past, wanted = live.history.past, (of.node, of.nr)
    for index in reversed(range(end)):
        brief = next(iter(past.briefs(index, index + 1)))
        if wanted in brief[4]:
            node = live.node_at(index)
            text = f"{_called(live, node)} sent it in step {index + 1}"
            return Writer(text, index + 1, node, _place(live, node))
    root = any(node == of.node for node, _ in live.source.roots)
    return Writer("the backward began with it" if root else "nothing has arrived here yet")


def _saved(live: Live, of: ArrayName) -> Writer:
    data = live.source.describe(of.node)
    saved = next((each for each in data.saved if each.name == of.name), None)
    if saved is None:
        raise ValueError(f"{_called(live, of.node)} saves no {of.name!r}")
    storages, _ = live.source.storages_of([of.node])
    storage = next((each for each in storages if each.id == saved.storage), None)
    if storage is not None and storage.writes:
        last = storage.writes[-1]
        through = f" through {last.alias}" if last.alias else ""
        return Writer(f"{last.op} wrote version {last.version}{through}", place=last.place)
    if of.name == "result":
        return Writer("the operation of this node made it", node=of.node, place=data.place)
    edge = next((each for each in data.edges if each.name == of.name), None)
    if edge is None or edge.node is None:
        return Writer("nothing was noted that wrote it: it is from before this graph")
    made = _called(live, edge.node)
    leaf = edge.node >= live.source.inner
    text = (
        f"{made} is a leaf: it is from before this graph"
        if leaf
        else f"the forward of {made} made it"
    )
    return Writer(text, node=edge.node, place=_place(live, edge.node))


def _called(live: Live, node: int) -> str:
    return f"{live.source.name(node)} {live.source.label(node)}".rstrip()


def _place(live: Live, node: int) -> model.Place | None:
    return live.source.describe(node).place

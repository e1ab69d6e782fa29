"""The reading of one rank: what has arrived at the nodes of its backward, and how it is sent to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

from vizgrad.debugger.engines.api.local_backward import run_locally
from vizgrad.debugger.engines.vizgrad import opener as opener  # registers vizgrad's own
from vizgrad.debugger.explain.watch_block import known
from vizgrad.debugger.explain.why import answer
from vizgrad.debugger.model import Graph, Trace, Visit
from vizgrad.debugger.model.collectives import called
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.outlines import outline


def of_loss(rank: int, loss: Any, names: Mapping[int, str]) -> RankReading:
    """Runs the backward of `loss` as `run_locally`, whose errors this raises."""
    name = names.get(id(loss), "loss")
    ran = run_locally(loss, names, name)
    odd = any(norm is not None and not isfinite(norm) for norm in ran.arrived.values())
    why = str(told) if odd and (told := answer(known(loss), loss, name)) else ""
    return RankReading(rank, ran.graph, ran.arrived, ran.seconds, why)


def of_trace(rank: int, graph: Graph, trace: Trace) -> RankReading:
    """All that was recorded. `graph`: that of the trace, or an equal one that others share."""
    visits = [visit for visit in trace.visits if not visit.error]
    arrived = {visit.node: norm_of(visit) for visit in visits}
    told = [
        (index, record.visit.node, call)
        for index, record in enumerate(trace.records)
        for call in record.collectives
    ]
    calls = {each.call.key: each for each in called(told)}
    seconds = {visit.node: visit.seconds for visit in visits}
    return RankReading(rank, graph, arrived, seconds, called=calls)


def norm_of(visit: Visit) -> float | None:
    """The norm of what arrived: NaN if there is one, else the largest; None where all was undefined."""
    norms = [each.norm for each in visit.incoming if each is not None and each.norm is not None]
    return next((norm for norm in norms if norm != norm), max(norms, default=None))


# Most ranks have the same graph. It is sent once.


@dataclass(frozen=True, slots=True)
class Packed:
    """A reading without its graph, if the receiver has that."""

    rank: int
    graph: Graph | None
    outline: bytes
    arrived: Mapping[int, float | None]
    seconds: Mapping[int, float]
    why: str


def packed(reading: RankReading, known: bytes | None) -> Packed:
    """`known`: the outline of the graph that the receiver has."""
    own = outline(reading.graph)
    graph = None if own == known else reading.graph
    return Packed(reading.rank, graph, own, reading.arrived, reading.seconds, reading.why)


def unpacked(
    sent: Sequence[Packed], graphs: Mapping[bytes, Graph] | None = None
) -> list[RankReading]:
    """Those with the same graph share the object. `graphs`: what the receiver has, by outline."""
    known = dict(graphs or {})
    for each in sent:
        if each.graph is not None:
            known.setdefault(each.outline, each.graph)
    return [
        RankReading(each.rank, known[each.outline], each.arrived, each.seconds, each.why)
        for each in sent
    ]

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
from vizgrad.debugger.model import Graph, Run, Visit
from vizgrad.debugger.model.ranks import RankReading
from vizgrad.debugger.ranks.outlines import outline


def of_loss(rank: int, loss: Any, names: Mapping[int, str]) -> RankReading:
    """Runs the backward of `loss` as `run_locally`, whose errors this raises."""
    name = names.get(id(loss), "loss")
    ran = run_locally(loss, names, name)
    odd = any(norm is not None and not isfinite(norm) for norm in ran.arrived.values())
    why = str(told) if odd and (told := answer(known(loss), loss, name)) else ""
    return RankReading(rank, ran.graph, ran.arrived, ran.seconds, why)


def of_run(rank: int, graph: Graph, run: Run, visits: Mapping[int, Visit]) -> RankReading:
    """The reading of a session or a trace at its position. `visits`: by node, those that are done."""
    done = sorted(
        (state.order, number)
        for number, state in enumerate(run.nodes)
        if state.state == "done" and state.order is not None
    )
    arrived = {number: run.nodes[number].grad_norm for _, number in done}
    seconds = {number: visits[number].seconds for number in arrived if number in visits}
    return RankReading(rank, graph, arrived, seconds)


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

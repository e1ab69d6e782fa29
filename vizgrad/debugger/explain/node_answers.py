"""Why one node of a session is as it is: what a person asks who looks at its picture."""

from __future__ import annotations

import linecache
from dataclasses import replace
from typing import Any, NamedTuple

from vizgrad.core.errors import Explanation
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.graph_base import GraphBase
from vizgrad.debugger.explain import stepped_gradients
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.evidence import Question
from vizgrad.debugger.explain.from_records import RecordedNode
from vizgrad.debugger.explain.from_session import SessionNode, link, readable
from vizgrad.debugger.explain.stepped import Stepped
from vizgrad.debugger.explain.watch_block import known
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.session.session_reader import Look, SessionClosed


class Told(NamedTuple):
    """`nodes` are the numbers of what is in the chain, None where no node stands for it; `position` is how
    many steps are done behind the one where it happened.
    """

    explanation: Explanation
    nodes: tuple[int | None, ...] = ()
    position: int | None = None
    check: str = ""


def why_node(look: Look, number: int) -> Told:
    """IndexError for what is no number of a node, SessionClosed where nothing is left to be read."""
    if not isinstance(look, Live):
        raise SessionClosed(
            "this session is closed and its steps are released: debug the loss again"
        )
    if not 0 <= number < len(look.source):
        raise IndexError(f"there is no node {number}: the graph has {len(look.source)}")
    source = readable(look)
    return _by_records(look, number) if source is None else _by_steps(look, source, number)


def question_of(look: Live, number: int) -> Question:
    """The question is of the banner where the session has stopped at this node, else of the node."""
    name = look.source.label(number) or look.source.name(number)
    stopped = look.stopped
    birth = None if stopped is None else stopped.birth
    if stopped is None or stopped.node != number or birth is None:
        return Question("node", name)
    return Question("banner", name, birth.edge)


def _by_steps(look: Live, source: GraphBase[Any], number: int) -> Told:
    reader = source.reader
    leaves = source.nodes[look.source.inner :]
    evidence = SessionNode(
        look, source, number, known(reader.variable(leaves[0])) if leaves else None
    )
    found = diagnose(question_of(look, number), evidence)
    nodes = _nodes(look, source, found)
    if nodes and (seen := nodes[0]) is not None and seen < look.source.inner:
        found = replace(found, path=(link(source, seen), *found.path[1:]))
    position = _position(evidence.stepped(), evidence.key(), found)
    return Told(explain(found, linecache), nodes, position, _check(source.describe(number)))


def _position(run: Stepped, key: int, found: Cause) -> int | None:
    """Behind how many steps the run first made what is explained."""
    visit = run.visits.get(key)
    if visit is None or found.kind == "healthy":
        return None
    step = run.steps.get(key)
    made = visit.incoming < float("inf") and any(
        not each.size < float("inf") or (each.size == 0.0 < visit.incoming) for each in visit.out
    )
    if made or (step is not None and step.error):
        return run.position(key)
    born = stepped_gradients.birth_key(run, key)
    if born is not None:
        return run.position(born)
    last = found.path[-1].node if found.path else None
    return None if last is None else run.position(last)


def _nodes(look: Live, source: GraphBase[Any], found: Cause) -> tuple[int | None, ...]:
    reader, inner = source.reader, look.source.inner
    numbers = {reader.key(node): nr for nr, node in enumerate(source.nodes[:inner])}
    leaves = {source.label(nr): nr for nr in range(inner, len(source.nodes))}
    return tuple(
        leaves.get(each.text.removesuffix(".grad")) if each.node is None else numbers.get(each.node)
        for each in found.path
    )


def _check(node: model.Node) -> str:
    """A session keeps no example that a Function could be run on again: how a person does it."""
    if node.kind != "function":
        return ""
    name = node.name.removesuffix("Backward")
    return (
        f"%vizgrad check {name} ..., with inputs of yours, examines the Function: a run keeps none."
    )


def _by_records(look: Live, number: int) -> Told:
    """The explanation for another engine, from the records of its steps."""
    evidence = RecordedNode(look, number)
    found = diagnose(question_of(look, number), evidence)
    recorded = evidence.recorded()
    if recorded is None:
        return Told(explain(found, linecache))
    return Told(
        explain(found, linecache), (recorded.node,) if found.path else (), recorded.position
    )

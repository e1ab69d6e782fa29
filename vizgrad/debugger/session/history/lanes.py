"""Lanes beside the graph: what ran within a node that is gone into, and the graph that create_graph=True
makes.

A lane is made of records alone (`StepRecord.made`, `CodeStep.made`), so a trace from a file has it as a live
session has. It is drawn like a graph, downwards as it ran: edges lead from what gave a value to what used it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Recording
from vizgrad.debugger.engines.api.protocols import Step

#: The title of the lane that create_graph=True makes.
SECOND = "second order"
#: And of what checkpoints compute again.
AGAIN = "recomputation"
#: Of a longer lane the latest are shown.
MOST_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Lane:
    """What was made, in order: `at[i]` says after how many steps number `i` is there (within a node: of
    `Within.made`), `left_out` how many earlier ones are not told. `node` is the node that is gone into; None:
    it is the graph of second order, or what checkpoints have computed again. `graph` is what is drawn of it.
    """

    node: int | None
    made: tuple[model.Made, ...]
    at: tuple[int, ...]
    graph: model.Graph
    left_out: int = 0


def lane_within(node: int, code: Sequence[model.CodeStep], title: str) -> Lane | None:
    """Of a node; None where nothing ran in it that is known of."""
    made = [one for line in code for one in line.made]
    if not made:
        return None
    backwards = [
        (first, last, "backward")
        for visit, first, last in _stretches(one.kind == "visit" for one in made)
        if visit
    ]
    return _lane(node, made, range(1, len(made) + 1), backwards, title)


def lane_of(
    steps: Sequence[Step | model.StepRecord], name: Callable[[int], str], title: str = ""
) -> Lane | None:
    """What the steps have recorded: of second order, or computed again; `name` says what a node is called."""
    made: list[model.Made] = []
    at: list[int] = []
    visits: list[tuple[int, int, str]] = []
    for index, step in enumerate(steps):
        own = _made_by(step)
        if own:
            node = step.visit.node if isinstance(step, model.StepRecord) else step.node
            visits.append((len(made), len(made) + len(own), name(node)))
            made += own
            at += [index + 1] * len(own)
    own = SECOND if any(one.kind == "recorded" for one in made) else AGAIN
    return _lane(None, made, at, visits, title or own) if made else None


def _made_by(step: Step | model.StepRecord) -> tuple[model.Made, ...]:
    if isinstance(step, model.StepRecord | Recording):
        return step.made
    return step.record.made


def _stretches(marks: Iterable[bool]) -> Iterable[tuple[bool, int, int]]:
    """(mark, first, behind the last) of equal marks in a row."""
    at = 0
    for mark, same in groupby(marks):
        first, at = at, at + sum(1 for _ in same)
        yield mark, first, at


def _lane(
    node: int | None,
    made: Sequence[model.Made],
    at: Sequence[int],
    stretches: Iterable[tuple[int, int, str]],
    title: str,
) -> Lane:
    first = max(len(made) - MOST_SHOWN, 0)
    shown = made[first:]
    uses: list[list[int]] = [[] for _ in shown]
    for number, one in enumerate(shown):
        for giver in one.inputs:
            if giver >= first:
                uses[giver - first].append(number)
    groups: list[model.Group] = []
    for start, behind, name in stretches:
        begin, end = max(start - first, 0), behind - first
        if end - begin > 1:
            groups.append(model.Group(len(groups), None, "scope", name, begin, end))
    nodes = tuple(
        _node(number, one, used) for number, (one, used) in enumerate(zip(shown, uses, strict=True))
    )
    graph = model.Graph(nodes, (), title=title, truncated=first, groups=tuple(groups))
    return Lane(node, tuple(shown), tuple(at[first:]), graph, first)


def _node(number: int, made: model.Made, uses: Sequence[int]) -> model.Node:
    return model.Node(
        id=number,
        name=title_of(made),
        kind="root" if made.kind == "input" else "op",
        sequence_nr=number,
        topological_nr=0,
        edges=tuple(model.Edge(use) for use in uses),
        outputs=() if made.output is None else (made.output,),
    )


def title_of(made: model.Made) -> str:
    """As a person reads it: ``square = mul``, ``AccumulateGrad w``."""
    name, label = made.name, made.label
    if made.kind == "input":
        return f"saved {label}".rstrip() if name == "saved" else label or name
    if not label:
        return name
    return f"{name} {label}" if made.kind == "visit" else f"{label} = {name}"

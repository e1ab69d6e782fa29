"""Lanes beside the graph: what ran within a node that is gone into, and the graph that create_graph=True
makes.

A lane is made of records alone (`StepRecord.made`, `CodeStep.made`), so a trace from a file has it as a live
session has. It is drawn like a graph, downwards as it ran: edges lead from what gave a value to what used it.

Going through the visit of one node: stage by stage, and line by line where it ran code of a person's.

A node runs as a whole. Gone into, its effects are undone but those of the stages that are shown as done, and
redone one after another: a step back within a step, with the same checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from vizgrad.debugger import model
from vizgrad.debugger.engines.api.abilities import Recording, Staged
from vizgrad.debugger.engines.api.protocols import Effect, Step

#: The title of the lane that create_graph=True makes.
SECOND = "second order"
#: And of what checkpoints compute again.
AGAIN = "recomputation"
#: A longer lane shows its latest nodes.
MOST_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Lane:
    """The created nodes, in order: `at[i]` says after how many steps number `i` is there (within a node: of
    `Within.made`), `left_out` how many earlier ones are not told. `node` is the node that is gone into; None:
    it is the graph of second order, or what checkpoints have computed again. `graph` is what is drawn of it.
    """

    node: int | None
    made: tuple[model.Made, ...]
    at: tuple[int, ...]
    graph: model.Graph
    left_out: int = 0


def lane_within(node: int, code: Sequence[model.CodeStep], title: str) -> Lane | None:
    """The lane of a node; None where no known code ran in it."""
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
    """The nodes that the steps have recorded: of second order, or computed again; `name` is the name of
    a node.
    """
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


# Going through the visit of one node: stage by stage, and line by line where it ran code of a person's.

#: Stages of a leaf that come behind its storing.
_BEHIND_STORE = ("post_accumulate", "posthooks")


def stages_of(
    stages: Sequence[model.StageRecord], stored: tuple[str, str] | None
) -> list[model.StageRecord]:
    """Those of a visit; what a leaf does with its gradient, and why (`stored`), is its formula."""
    found = [*stages]
    if stored is not None:
        at = next((i for i, s in enumerate(found) if s.stage in _BEHIND_STORE), len(found))
        found.insert(at, model.StageRecord("formula", f"{stored[0]}: {stored[1]}"))
    return found


class Mark(NamedTuple):
    """A place within a visit: so many stages are done, so many lines, and so much of what these made."""

    stages: int
    lines: int
    made: int
    #: Within a line: behind a node that a backward of the line's own has run.
    fine: bool = False


class Visiting:
    """A visit that is gone through. Its first mark is behind the first line or stage, the last at the end."""

    def __init__(self, step: Step) -> None:
        if not isinstance(step, Staged):
            raise ValueError(
                "here a node is one step: only vizgrad's own engine runs it by stages, or by lines"
            )
        self._staged: Sequence[tuple[model.StageRecord, Sequence[Effect]]] = step.staged
        self.node = step.node
        self.code = step.code
        self.marks: list[Mark] = []
        lines = made = 0
        for number in range(len(self._staged)):
            while lines < len(self.code) and self.code[lines].stage <= number:
                for one in self.code[lines].made:
                    made += 1
                    if one.kind == "visit":
                        self.marks.append(Mark(number, lines, made, fine=True))
                lines += 1
                self.marks.append(Mark(number, lines, made))
            self.marks.append(Mark(number + 1, lines, made))

    def effects(self, first: int, last: int) -> list[Effect]:
        """The changes of the stages between two marks (0: before the first mark)."""
        done = [self.marks[at - 1].stages if at else 0 for at in (first, last)]
        return [effect for _, effects in self._staged[done[0] : done[1]] for effect in effects]

    def told(self, at: int) -> model.Within:
        mark = self.marks[at - 1]
        stages = tuple(stage for stage, _ in self._staged)
        return model.Within(self.node, mark.stages, stages, mark.lines, self.code, mark.made)

    def beside(self, at: int, way: int, *, fine: bool) -> int:
        """The mark after `at`, or with way -1 before it; over what a line's own backward runs, unless `fine`
        or where it is in there. 0: before the first.
        """
        fine = fine or (way < 0 and at > 0 and self.marks[at - 1].fine)
        at += way
        while not fine and 0 < at <= len(self.marks) and self.marks[at - 1].fine:
            at += way
        return at

    def behind_code(self, at: int) -> int:
        """The mark behind the line whose own backward `at` is in; else behind the stage whose lines it is
        among; the last one where it is among none.
        """
        stage, lines, _, fine = self.marks[at - 1]
        if fine:
            return self.beside(at, 1, fine=False)
        if not lines or self.code[lines - 1].stage < stage:
            return len(self.marks)
        return next(
            (n for n, mark in enumerate(self.marks, 1) if n > at and mark.stages > stage),
            len(self.marks),
        )

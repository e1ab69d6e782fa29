"""The code within the visit of a node: lines of the user, and operations, which make a lane beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from vizgrad.core.errors import Place
from vizgrad.debugger.model.arrays import TensorSummary
from vizgrad.debugger.model.nodes import OutputMeta

MadeKind = Literal["operation", "visit", "recorded", "recomputed", "input"]


@dataclass(frozen=True, slots=True)
class Made:
    """One thing of a lane: what ran while a node was visited, in the order in which it ran.

    - "operation": one that a line of a person's called. "visit": a node that a backward within the visit
      ran. "recorded": one that create_graph=True recorded, a node of the graph of second order.
    - "recomputed": what a checkpoint computed again, because a node read a value that it had let go of.
    - "input": a value from outside, before what uses it; `node` is the node of the graph that it is of, if
      it is of one.

    `inputs` are the numbers of those in the lane that its inputs come from. `value` is what it gave (of a
    visit what arrived there), None where that is not known; `output` what it gives. `label` is the name that
    a person gave to it.
    """

    name: str
    kind: MadeKind = "operation"
    inputs: tuple[int, ...] = ()
    value: TensorSummary | None = None
    output: OutputMeta | None = None
    label: str = ""
    node: int | None = None


@dataclass(frozen=True, slots=True)
class BoundValue:
    """The variables that a line has assigned."""

    name: str
    value: TensorSummary


@dataclass(frozen=True, slots=True)
class CodeStep:
    """A line of a person's that a node has run, in stage number `stage` of its visit: a hook's or a custom
    Function's. `values` are the tensors that it gave a name to, `made` what ran since the line before: the
    lane within the node is that of all its lines, one after another.
    """

    stage: int
    place: Place
    values: tuple[BoundValue, ...] = ()
    made: tuple[Made, ...] = ()

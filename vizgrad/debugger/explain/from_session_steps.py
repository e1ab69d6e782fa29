"""The steps of a session as a backward that was listened to: so `why` answers while one is open."""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vizgrad.core.arrays.magnitude import born, size, zero_share, zero_where_odd, zeros_in
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.captured_value import CapturedArray
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph
from vizgrad.debugger.engines.vizgrad.nonfinite_origin import birth_of, saved_before
from vizgrad.debugger.engines.vizgrad.step import EngineStep
from vizgrad.debugger.session.history.history import History
from vizgrad.debugger.watch.backwards import Delivered, Odd, Run, Visit, key_of
from vizgrad.debugger.watch.grad_history import Gradients
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.untracked_memory import Memory
from vizgrad.debugger.watch.vizgrad_tensors import OWN

#: Of a longer run the last steps are gone through.
MOST = 500_000


class Stepped(Run):
    """The steps that a session has done, up to where it stands. `numbers` are those of its nodes by key."""

    def __init__(self, source: EngineGraph, history: History, noting: Noting | None) -> None:
        super().__init__(Memory(), Gradients(OWN))
        self.source = source
        #: The key of a node -> its number in the session, and the step that ran it.
        self.numbers: dict[int, int] = {}
        self.steps: dict[int, EngineStep] = {}
        for step in history.steps[max(history.position - MOST, 0) : history.position]:
            if isinstance(step, EngineStep):
                self._went(step)
        self.ended = self.clock if history.at_end else 0
        self.roots = () if noting is None else tuple(_roots(source, noting))

    def _went(self, step: EngineStep) -> None:
        node = self.source.nodes[step.node]
        key = key_of(node)
        self.numbers[key], self.steps[key] = step.node, step
        visit = self.visits[key] = Visit(key, node.name(), node.code, node.lasti, _largest(step))
        if isinstance(node, AccumulateGrad):
            self.leaves.add(id(node.variable))
        for out in step.routed:
            if out.routed is None or out.target is None:
                continue
            target = self.source.nodes[out.target]
            delivered = Delivered(key_of(target), out.edge, _size(out.routed))
            self.numbers.setdefault(delivered.target, out.target)
            visit.deliver(*delivered)
            if delivered.size == 0.0:
                if visit.incoming > 0.0:
                    self.kills.append(self._odd(step, node, visit, out.edge, out.routed))
            elif not delivered.size < _INF and visit.incoming < _INF:
                self.births.append(self._odd(step, node, visit, out.edge, out.routed))

    def _odd(
        self, step: EngineStep, node: Node, visit: Visit, edge: int, routed: CapturedArray
    ) -> Odd:
        """See `backwards.Watching`, which notes the same while a backward runs."""
        array = routed.array
        came = [held.array for held in step.incoming if held is not None]
        saved: dict[str, tuple[int, int, bool]] = {}
        operand = None
        for name, form in saved_before(step, node).items():
            found = getattr(bare(form), "_array", None)
            if found is not None and found.dtype.kind in "fiubV":
                saved[name] = (*zero_share(found), zeros_in(found))
                operand = found if operand is None or name != "result" else operand
        masked = False
        places: Any = []
        if array is not None:
            masked = len(came) == 1 and came[0] is not None and zero_where_odd(came[0], array)
            places = born(array, operand) if array.size else []
        return Odd(visit, edge, masked, saved, places)

    def birth(self, key: int) -> model.Birth | None:
        """What the step that ran the node made of finite gradients that is not finite."""
        step = self.steps.get(key)
        if step is None or not self.visits[key].incoming < _INF:
            return None
        source = self.source
        return birth_of(step, source.nodes[step.node], source.ids.get, source.values_before)

    def following(self, key: int) -> list[int]:
        """The nodes to which the step that ran this one delivered."""
        visit = self.visits.get(key)
        return [] if visit is None else [delivered.target for delivered in visit.out]

    def key_at(self, number: int) -> int:
        return key_of(self.source.nodes[number])

    def position(self, key: int) -> int | None:
        """How many steps are done behind the one that ran the node; None if none has."""
        step = self.steps.get(key)
        return None if step is None else step.index + 1


_INF = float("inf")


def _size(held: CapturedArray) -> float:
    """As `magnitude.size`; of what was let go of as its summary tells."""
    if held.array is not None:
        return size(held.array)
    summary = held.summary
    if summary.nans:
        return float("nan")
    if summary.infs:
        return _INF
    return summary.norm or max(abs(summary.min or 0.0), abs(summary.max or 0.0))


def _largest(step: EngineStep) -> float:
    sizes = [_size(held) for held in step.incoming if held is not None]
    odd = [each for each in sizes if each != each]
    return odd[0] if odd else max(sizes, default=0.0)


def _roots(source: EngineGraph, noting: Noting) -> Iterator[Note]:
    """What a watch has noted of the tensors that the backward starts from, if it has."""
    wanted = {source.nodes[node].sequence_nr for node, _ in source.roots}
    for note in noting.notes.all():
        if note.node in wanted and note.op != "grad":
            yield note

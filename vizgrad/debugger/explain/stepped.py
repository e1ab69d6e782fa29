"""The steps of a session as a backward that was listened to: so `why` answers while one is open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vizgrad.core.arrays.magnitude import size
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.graph_base import GraphBase
from vizgrad.debugger.engines.common.new_values import CapturedValue
from vizgrad.debugger.engines.common.nonfinite_origin import birth_of
from vizgrad.debugger.engines.common.recorded_step import RecordedStep
from vizgrad.debugger.session.history.history import History
from vizgrad.debugger.watch.backwards import Delivered, Odd, Run, Visit, odd
from vizgrad.debugger.watch.grad_history import Gradients
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.untracked_memory import Memory
from vizgrad.debugger.watch.vizgrad_tensors import OWN

#: In a longer run only the last steps are searched.
MOST = 500_000


class Stepped(Run):
    """The steps that a session has done, up to where it stands. `numbers` are those of its nodes by key."""

    def __init__(self, source: GraphBase[Any], history: History, noting: Noting | None) -> None:
        super().__init__(Memory(), Gradients(OWN))
        self.source, self.reader = source, source.reader
        #: The key of a node -> its number in the session, and the step that ran it.
        self.numbers: dict[int, int] = {}
        self.steps: dict[int, RecordedStep[Any]] = {}
        for step in history.steps[max(history.position - MOST, 0) : history.position]:
            if isinstance(step, RecordedStep):
                self._went(step)
        self.ended = self.clock if history.at_end else 0
        self.roots = () if noting is None else tuple(roots_in(source, noting))

    def _went(self, step: RecordedStep[Any]) -> None:
        reader, nodes = self.reader, self.source.nodes
        node = nodes[step.node]
        key = reader.key(node)
        self.numbers[key], self.steps[key] = step.node, step
        code, lasti = reader.site(node) or (None, 0)
        visit = self.visits[key] = Visit(key, reader.name(node), code, lasti, self._largest(step))
        variable = reader.variable(node)
        if variable is not None:
            self.leaves.add(id(variable))
        for out in step.routed:
            if out.routed is None or out.target is None:
                continue
            delivered = Delivered(self.key_at(out.target), out.edge, self._size(out.routed))
            self.numbers.setdefault(delivered.target, out.target)
            visit.deliver(*delivered)
            if delivered.size == 0.0:
                if visit.incoming > 0.0:
                    self.kills.append(self._odd(step, node, visit, out.edge, out.routed))
            elif not delivered.size < _INF and visit.incoming < _INF:
                self.births.append(self._odd(step, node, visit, out.edge, out.routed))

    def _size(self, held: CapturedValue) -> float:
        """As `magnitude.size`; of what was let go of as its summary tells."""
        array = self.reader.array(held.array)
        if array is not None:
            return size(array)
        summary = held.summary
        if summary.nans:
            return float("nan")
        if summary.infs:
            return _INF
        return summary.norm or max(abs(summary.min or 0.0), abs(summary.max or 0.0))

    def _largest(self, step: RecordedStep[Any]) -> float:
        sizes = [self._size(held) for held in step.incoming if held is not None]
        odd = [each for each in sizes if each != each]
        return odd[0] if odd else max(sizes, default=0.0)

    def _odd(
        self, step: RecordedStep[Any], node: Any, visit: Visit, edge: int, routed: CapturedValue
    ) -> Odd:
        """See `backwards.Watching`, which notes the same while a backward runs."""
        array = self.reader.array(routed.array)
        if array is None:
            return Odd(visit, edge, False, {}, [], {})
        came = [self.reader.array(held.array) for held in step.incoming if held is not None]
        saved = self.reader.saved(node).items()
        known = {name: found for name, found in saved if found is not None}
        return odd(visit, edge, came[0] if len(came) == 1 else None, array, known)

    def birth(self, key: int) -> model.Birth | None:
        """The non-finite gradients that the step of the node made from finite ones."""
        step = self.steps.get(key)
        if step is None or not self.visits[key].incoming < _INF:
            return None
        source = self.source
        return birth_of(step, source.nodes[step.node], source.ids.get, self.reader)

    def following(self, key: int) -> list[int]:
        """The nodes to which the step that ran this one delivered."""
        visit = self.visits.get(key)
        return [] if visit is None else [delivered.target for delivered in visit.out]

    def key_at(self, number: int) -> int:
        return self.reader.key(self.source.nodes[number])

    def name(self, key: int) -> str:
        """The name of the node with this key: of a leaf the one that a person gave its tensor."""
        number = self.numbers[key]
        return self.source.label(number) or self.reader.name(self.source.nodes[number])

    def position(self, key: int) -> int | None:
        """How many steps are done behind the one that ran the node; None if none has."""
        step = self.steps.get(key)
        return None if step is None else step.index + 1


_INF = float("inf")


def roots_in(source: GraphBase[Any], noting: Noting) -> Iterator[Note]:
    """The notes of a watch on the tensors that the backward of a graph starts from, if there are any."""
    wanted = {source.reader.key(source.nodes[node]) for node, _ in source.roots}
    for note in noting.notes.all():
        if note.node in wanted and note.op != "grad":
            yield note

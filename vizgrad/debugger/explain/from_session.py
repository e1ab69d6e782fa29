"""`why` while a session is open: what its graph keeps and its steps did is known, though nobody listened.

The answer agrees with what a session says where it stops
(`vizgrad.debugger.session.breakpoints.stop_reason`): both ask `birth_of`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.magnitude import finite, size
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import Link, place_of
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.engines.common.graph_base import GraphBase
from vizgrad.debugger.engines.common.new_values import CapturedValue
from vizgrad.debugger.engines.common.nonfinite_origin import birth_of, made_by
from vizgrad.debugger.engines.common.recorded_step import RecordedStep
from vizgrad.debugger.explain import answers, arithmetic, from_records, nonfinite
from vizgrad.debugger.explain.answers import odd_gradient, of_run
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.graph_values import of_origin
from vizgrad.debugger.explain.wording import A_LEAF, number, raw
from vizgrad.debugger.session.history.history import History
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.watch.backwards import Delivered, Odd, Run, Visit, odd
from vizgrad.debugger.watch.grad_history import Gradients
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.tensor_adapter import Look
from vizgrad.debugger.watch.untracked_memory import Memory
from vizgrad.debugger.watch.vizgrad_tensors import OWN

# --- from session steps ----------------------------------------------------------------------------------
# The steps of a session as a backward that was listened to: so `why` answers while one is open.


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
        self.roots = () if noting is None else tuple(self._roots(noting))

    def _roots(self, noting: Noting) -> Iterator[Note]:
        """The notes of a watch on the tensors that the backward starts from, if there are any."""
        wanted = {self.key_at(node) for node, _ in self.source.roots}
        for note in noting.notes.all():
            if note.node in wanted and note.op != "grad":
                yield note

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

    def position(self, key: int) -> int | None:
        """How many steps are done behind the one that ran the node; None if none has."""
        step = self.steps.get(key)
        return None if step is None else step.index + 1


_INF = float("inf")


# --- from session ----------------------------------------------------------------------------------------


def opened() -> Iterator[tuple[Live, GraphBase[Any]]]:
    """The open sessions that stand still and whose nodes can be read, the newest first."""
    for _, look in from_records.opened():
        source: Any = look.source
        if isinstance(source, GraphBase):
            yield look, source


def run_that_filled(look: Look, tensor: Any, noting: Noting | None) -> tuple[Stepped, int] | None:
    """The steps of the session that has stored what the `.grad` of a leaf holds now, and the leaf's key."""
    grad = look.grad(tensor) if tensor.is_leaf else None
    if grad is None:
        return None
    for live, source in opened():
        leaf = live.source.number(tensor)
        step: Any = None if leaf is None else from_records.step_of(live, leaf)
        done = None if step is None else getattr(step, "accumulated", None)
        if done is None or done.after is None:
            continue
        reader = source.reader
        after, now = reader.array(done.after.array), reader.array(grad)
        if after is not None and now is not None and _equal(after, now):
            return Stepped(source, live.history, noting), -id(tensor)
    return None


def _equal(array: Any, now: Any) -> bool:
    if array is now:
        return True
    if is_sparse(array) or is_sparse(now) or array.shape != now.shape or array.dtype != now.dtype:
        return False
    return bool(xp.array_equal(array, now, equal_nan=True))


def of_value(look: Look, tensor: Any, name: str) -> Cause | None:
    """A value that is not finite, by what its graph had saved before the run of a session let go of it."""
    node = look.node(tensor)
    if node is None:
        return None
    for _, source in opened():
        if node in source.ids:
            origin = made_by(node, source.reader)
            return None if origin is None else from_forward(source, source.ids[node], origin, name)
    return None


def from_forward(
    source: GraphBase[Any], seen: int, origin: Any, name: str, met: Phrase = NOTHING
) -> Cause:
    """An operation of the forward pass made it: from node `seen`, forward values lead there."""
    goal = source.ids.get(origin)
    leaf = "" if goal is None else source.label(goal)
    found = of_origin(origin, name, source.reader, met, leaf or A_LEAF)
    numbers = [] if goal is None else answers.way(seen, goal, lambda n: _known(source.targets(n)))
    return replace(found, path=tuple(link(source, n) for n in numbers))


def _known(targets: Any) -> list[int]:
    return [target for target in targets if target is not None]


def link(source: GraphBase[Any], nr: int) -> Link:
    reader, node = source.reader, source.nodes[nr]
    leaf = reader.variable(node) is not None
    text = (source.label(nr) or "a leaf") if leaf else reader.name(node)
    return Link(text, place_of(reader.site(node)), None if leaf else reader.key(node))


# --- gradients -------------------------------------------------------------------------------------------


def of_gradient(
    run: Stepped, key: int, name: str, *, size: float | None = None, at: int | None = None
) -> Cause | None:
    """The cause of a gradient that went into the node with this key: None if it has no fault. `size` is
    that of one of several that met there, or has not been taken yet; `at` the node that made it.
    """
    visit = run.visits.get(key)
    if size is None:
        if visit is None:
            return None
        size = visit.incoming
    if size < float("inf"):
        return of_run(run, key, name, size)
    birth_key, birth = _birth(run, key, at)
    if birth is None:
        return odd_gradient(run, key, name, at=at) or _not_told(run, key, name)
    way = answers.way(birth_key, key, run.following)
    node, reader = run.source.nodes[birth.node], run.reader
    if birth.hook:
        found = cause(
            "hook-effect", "hook-made", None, birth.hook,
            hook=birth.hook, node=reader.name(node), at=reader.site(node), name=name,
        )  # fmt: skip
        return replace(found, path=answers.links(run, reversed(way), name))
    if birth.forward:
        return _forward(run, birth_key, birth, way, name, key)
    found = odd_gradient(run, key, name, at=at)
    if found is None:
        found = _added(reader.name(node), reader.site(node), name)
    return found if found.path else replace(found, path=answers.links(run, reversed(way), name))


def _not_told(run: Stepped, key: int, name: str) -> Cause:
    """The backward was given it, or what made it is not kept."""
    step = run.steps.get(key)
    came = [] if step is None else [held.summary for held in step.incoming if held is not None]
    odd = next((summary for summary in came if summary.nans or summary.infs), None)
    if odd is not None:
        return from_records.came_in(odd, name)
    return cause("nonfinite-backward", "not-told-by-steps", None, name, name=name)


def birth_key(run: Stepped, key: int) -> int | None:
    """The node that made what is not finite and came to `key`; None if nothing did."""
    found, birth = _birth(run, key)
    return None if birth is None else found


def has_odd(arrays: Iterable[Any]) -> bool:
    """Is one of some saved values not finite?"""
    return any(a is not None and a.dtype.kind in "fcV" and not finite(a) for a in arrays)


def _birth(run: Stepped, key: int, at: int | None = None) -> tuple[int, model.Birth | None]:
    """The first node on a way to `key` that made what is not finite of what was, or `key` itself. `at`: that
    node, where it is known.
    """
    for each in run.visits if at is None else (at,):
        birth = run.birth(each)
        if birth is not None and answers.way(each, key, run.following):
            return each, birth
    return 0, None


def _forward(
    run: Stepped, key: int, birth: model.Birth, way: list[int], name: str, goal: int
) -> Cause:
    """A saved value of node `key` was not finite already: where that came from, as far as it is known."""
    source, reader = run.source, run.reader
    node = source.nodes[birth.node]
    here = answers.links(run, reversed(way), name)
    met = Phrase(
        "met", node=reader.name(node), at=reader.site(node), where=_operands(birth), name=name
    )
    for root in run.roots:  # a watch has noted more
        if not root.finite and (found := odd_gradient(run, goal, name, at=key)) is not None:
            return found
    if birth.born is None:
        found = cause("nonfinite-forward", "forward-value", None, name, met=met)
        return replace(found, path=here)
    origin = source.nodes[birth.born]
    found = from_forward(source, birth.node, origin, name, met)
    odd = next((each for each in run.births if each.visit.key == key), None)
    if odd is not None and odd.masked and nonfinite.behind_a_mask(run, key):
        numbers = arithmetic.of_derivative(odd) or Phrase("but-zero-times-inf")
        facts = {**found.facts, "x": raw(found.tensor or reader.name(origin)), "numbers": numbers}
        found = replace(
            found, kind="nonfinite-masked", case=f"{found.case}-masked", fix="masked", facts=facts
        )
    return replace(found, path=(*here, *found.path[1:]))


def _operands(birth: model.Birth) -> Phrase:
    """The saved values that say why, as their node calls them."""
    if not birth.operands:
        return NOTHING
    values = " and ".join(f"{each.name} is {number(each.value)}" for each in birth.operands)
    return Phrase("where-values", values=values)


def _added(node: str, site: Site | None, name: str) -> Cause:
    return cause("ill-scaled", "sum-overflowed", site, node, node=node, name=name)

"""`why` while a session is open: what its graph keeps and its steps did is known, though nobody listened.

The answer agrees with what a session says where it stops
(`vizgrad.debugger.session.breakpoints.stop_reason`): both ask `birth_of`.
"""

# Underscored slots of a tensor are hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.magnitude import finite, size
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import Link, place_of
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph
from vizgrad.debugger.engines.vizgrad.nonfinite_origin import birth_of, made_by, saved_before
from vizgrad.debugger.engines.vizgrad.step import EngineStep
from vizgrad.debugger.engines.vizgrad.summary import CapturedArray
from vizgrad.debugger.explain import answers, arithmetic, from_records, nonfinite
from vizgrad.debugger.explain.answers import odd_gradient, of_run
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.kept_graphs import of_origin
from vizgrad.debugger.explain.wording import A_LEAF, number, raw
from vizgrad.debugger.session.history.history import History
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.watch.backwards import Delivered, Odd, Run, Visit, key_of, odd
from vizgrad.debugger.watch.grad_history import Gradients
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.untracked_memory import Memory
from vizgrad.debugger.watch.vizgrad_tensors import OWN

# --- from session steps ----------------------------------------------------------------------------------
# The steps of a session as a backward that was listened to: so `why` answers while one is open.


#: In a longer run only the last steps are searched.
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
        saved = {
            name: found
            for name, form in saved_before(step, node).items()
            if (found := getattr(bare(form), "_array", None)) is not None
        }
        if array is None:
            return Odd(visit, edge, False, {}, [], {})
        return odd(visit, edge, came[0] if len(came) == 1 else None, array, saved)

    def birth(self, key: int) -> model.Birth | None:
        """The non-finite gradients that the step of the node made from finite ones."""
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
    """The notes of a watch on the tensors that the backward starts from, if there are any."""
    wanted = {source.nodes[node].sequence_nr for node, _ in source.roots}
    for note in noting.notes.all():
        if note.node in wanted and note.op != "grad":
            yield note


# --- from session ----------------------------------------------------------------------------------------


def opened() -> Iterator[tuple[Live, EngineGraph]]:
    """The open sessions of this engine that stand still, the newest first."""
    for _, look in from_records.opened():
        if isinstance(look.source, EngineGraph):
            yield look, look.source


def _leaf(source: EngineGraph, tensor: Any) -> int | None:
    """The number of the node that fills the `.grad` of a leaf."""
    for nr in range(source.inner, len(source.nodes)):
        if getattr(source.nodes[nr], "variable", None) is tensor:
            return nr
    return None


def run_that_filled(tensor: Any, noting: Noting | None) -> tuple[Stepped, int] | None:
    """The steps of the session that has stored what the `.grad` of a leaf holds now, and the leaf's key."""
    if not tensor.is_leaf or tensor._grad is None:
        return None
    for look, source in opened():
        leaf = _leaf(source, tensor)
        step = None if leaf is None else source.step_of(leaf)
        if step is None or step.index >= look.position or step.accumulated is None:
            continue
        after = step.accumulated.after
        if after is not None and after.array is not None and _equal(after.array, tensor._grad):
            return Stepped(source, look.history, noting), -id(tensor)
    return None


def _equal(array: Any, grad: Tensor) -> bool:
    now = grad._array
    if array is now:
        return True
    if is_sparse(array) or is_sparse(now) or array.shape != now.shape or array.dtype != now.dtype:
        return False
    return bool(xp.array_equal(array, now, equal_nan=True))


def of_value(tensor: Any, name: str, noting: Noting | None) -> Cause | None:
    """A value that is not finite, by what its graph had saved before the run of a session let go of it."""
    edge = tensor._edge if isinstance(tensor, Tensor) else None
    node = getattr(edge, "node", edge)
    if not isinstance(node, Node) or isinstance(node, AccumulateGrad):
        return None
    for _, source in opened():
        if node in source.ids:
            origin = made_by(node, source.values_before(node), source.values_before)
            return None if origin is None else from_forward(source, source.ids[node], origin, name)
    return None


def from_forward(
    source: EngineGraph, seen: int, origin: Node, name: str, met: Phrase = NOTHING
) -> Cause:
    """An operation of the forward pass made it: from node `seen`, forward values lead there."""
    goal = source.ids.get(origin)
    leaf = "" if goal is None else source.label(goal)
    found = of_origin(origin, name, source.values_before, met, leaf or A_LEAF)
    numbers = [] if goal is None else answers.way(seen, goal, lambda n: _known(source.targets(n)))
    return replace(found, path=tuple(link(source, n) for n in numbers))


def _known(targets: Any) -> list[int]:
    return [target for target in targets if target is not None]


def link(source: EngineGraph, nr: int) -> Link:
    node = source.nodes[nr]
    leaf = isinstance(node, AccumulateGrad)
    text = (source.label(nr) or "a leaf") if leaf else node.name()
    return Link(text, place_of(node.site), None if leaf else node.sequence_nr)


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
        return odd_gradient(run, key, name, at=at) or _not_told(name)
    way = answers.way(birth_key, key, run.following)
    node = run.source.nodes[birth.node]
    if birth.hook:
        found = cause(
            "hook-effect", "hook-made", None, birth.hook,
            hook=birth.hook, node=node.name(), at=node.site, name=name,
        )  # fmt: skip
        return replace(found, path=answers.links(run, reversed(way), name))
    if birth.forward:
        return _forward(run, birth_key, birth, way, name)
    found = odd_gradient(run, key, name, at=at)
    if found is None:
        found = _added(node, name)
    return found if found.path else replace(found, path=answers.links(run, reversed(way), name))


def _not_told(name: str) -> Cause:
    """The backward was given it, or what made it is not kept."""
    return cause("nonfinite-backward", "not-told-by-steps", None, name, name=name)


def birth_key(run: Stepped, key: int) -> int | None:
    """The node that made what is not finite and came to `key`; None if nothing did."""
    found, birth = _birth(run, key)
    return None if birth is None else found


def has_odd(values: Any) -> bool:
    """Is one of some saved values not finite?"""
    arrays = (getattr(bare(value), "_array", None) for value in values.values())
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


def _forward(run: Stepped, key: int, birth: model.Birth, way: list[int], name: str) -> Cause:
    """A saved value was not finite already: where that came from, as far as it is known."""
    source, node = run.source, run.source.nodes[birth.node]
    here = answers.links(run, reversed(way), name)
    met = Phrase("met", node=node.name(), at=node.site, where=_operands(birth), name=name)
    for root in run.roots:  # a watch has noted more
        if not root.finite and (found := odd_gradient(run, key, name)) is not None:
            return found
    if birth.born is None:
        found = cause("nonfinite-forward", "forward-value", None, name, met=met)
        return replace(found, path=here)
    origin = source.nodes[birth.born]
    found = from_forward(source, birth.node, origin, name, met)
    odd = next((each for each in run.births if each.visit.key == key), None)
    if odd is not None and odd.masked and nonfinite.behind_a_mask(run, key):
        numbers = arithmetic.of_derivative(odd) or Phrase("but-zero-times-inf")
        facts = {**found.facts, "x": raw(found.tensor or origin.name()), "numbers": numbers}
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


def _added(node: Node, name: str) -> Cause:
    site = node.site
    return cause("ill-scaled", "sum-overflowed", site, node.name(), node=node.name(), name=name)

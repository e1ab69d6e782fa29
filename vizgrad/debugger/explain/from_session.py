"""`why` while a session is open: what its graph keeps and its steps did is known, though nobody listened.

The answer agrees with what a session says where it stops
(`vizgrad.debugger.session.breakpoints.stop_reason`): both ask `birth_of`.
"""

# What a tensor keeps in underscored slots is hidden from its users, not from the debugger.
# pyright: reportPrivateUsage=false

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.magnitude import finite
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import Link, place_of
from vizgrad.core.graph.accumulate import AccumulateGrad
from vizgrad.core.graph.node import Node
from vizgrad.core.graph.saved import bare
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger import model
from vizgrad.debugger.engines.vizgrad.graph_source import EngineGraph
from vizgrad.debugger.engines.vizgrad.nonfinite_origin import made_by
from vizgrad.debugger.explain import chains, nonfinite, pending_gradients
from vizgrad.debugger.explain.answers import odd_gradient, of_run
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.from_graph import of_origin
from vizgrad.debugger.explain.from_session_steps import Stepped
from vizgrad.debugger.explain.wording import number, raw
from vizgrad.debugger.session.open_session import Live
from vizgrad.debugger.watch.note_recorder import Noting


def opened() -> Iterator[tuple[Live, EngineGraph]]:
    """The open sessions of this engine that stand still, the newest first."""
    for _, look in pending_gradients.opened():
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
    found = of_origin(origin, name, source.values_before, met)
    goal = source.ids.get(origin)
    numbers = [] if goal is None else chains.way(seen, goal, lambda n: _known(source.targets(n)))
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
    """Of a gradient that went into the node with this key: None if there is nothing odd about it. `size` is
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
    way = chains.way(birth_key, key, run.following)
    node = run.source.nodes[birth.node]
    if birth.hook:
        found = cause(
            "hook-effect", "hook-made", None, birth.hook,
            hook=birth.hook, node=node.name(), at=node.site, name=name,
        )  # fmt: skip
        return replace(found, path=chains.links(run, reversed(way), name))
    if birth.forward:
        return _forward(run, birth_key, birth, way, name)
    found = odd_gradient(run, key, name, at=at)
    if found is None:
        found = _added(node, name)
    return found if found.path else replace(found, path=chains.links(run, reversed(way), name))


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
        if birth is not None and chains.way(each, key, run.following):
            return each, birth
    return 0, None


def _forward(run: Stepped, key: int, birth: model.Birth, way: list[int], name: str) -> Cause:
    """A saved value was not finite already: where that came from, as far as it is known."""
    source, node = run.source, run.source.nodes[birth.node]
    here = chains.links(run, reversed(way), name)
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
        facts = {**found.facts, "x": raw(found.tensor or origin.name())}
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

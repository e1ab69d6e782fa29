"""Why a gradient is as it is, by the steps of a session.

The answer agrees with what a session says where it stops
(`vizgrad.debugger.session.breakpoints.stop_reason`): both ask `birth_of`.
"""

from __future__ import annotations

from dataclasses import replace

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger import model
from vizgrad.debugger.explain import answers, arithmetic, nonfinite
from vizgrad.debugger.explain.answers import odd_gradient, of_run
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.from_session import origin_in
from vizgrad.debugger.explain.graph_values import of_origin
from vizgrad.debugger.explain.stepped import Stepped
from vizgrad.debugger.explain.unexplained import came_in
from vizgrad.debugger.explain.wording import number, raw


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
        return came_in(odd, name)
    return cause("nonfinite-backward", "not-told-by-steps", None, name, name=name)


def birth_key(run: Stepped, key: int) -> int | None:
    """The node that made what is not finite and came to `key`; None if nothing did."""
    found, birth = _birth(run, key)
    return None if birth is None else found


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
    found = of_origin(origin_in(source, birth.node, origin), name, met)
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

"""Parameters that are not trained as meant: without a gradient, an optimizer, or in steps too long."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.debugger.explain import missing_gradients
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.wording import leaf_name
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.optimizer_steps import Parameter

#: So many steps have to be seen before anything is said.
_STEPS = 2
#: So many gradients have to have been added up.
_KEPT = 3
#: So many steps have to have been too long.
_LONG = 3


def without_gradient(noting: Noting) -> Iterator[Cause]:
    """An optimizer steps, and one of its parameters has never had a gradient."""
    known = list(noting.training.parameters.values())
    trained = {each.optimizer for each in known if each.without < each.steps}
    for each in known:
        leaf = each.leaf
        if each.steps < _STEPS or each.without < each.steps or leaf.run is not None:
            continue
        if each.optimizer not in trained or not each.wanted:
            continue
        used = bool(leaf.uses)
        if not used and not _stands_alone(known):
            continue
        found = missing_gradients.of_leaf(noting, leaf, leaf.note, leaf_name(noting, leaf))
        if found:
            yield found
            return


def steps_in_vain(noting: Noting) -> Iterator[Cause]:
    """No step of an optimizer has found a gradient, and the way to one of its parameters was cut."""
    for steps in list(noting.training.optimizers.values()):
        if steps.useful or not steps.in_vain:
            continue
        for leaf in steps.leaves:
            name = leaf_name(noting, leaf)
            found = missing_gradients.of_leaf(noting, leaf, leaf.note, name)
            if found and found.case not in ("used-in-vain", "not-used"):
                count = len(steps.leaves)
                whom = Phrase(
                    "any-of" if count > 1 else "the-one", count=count, optimizer=steps.title
                )
                yield cause(
                    found.kind, "steps-in-vain", found.site, found.tensor,
                    stepped=steps.site, whom=whom, why=found,
                )  # fmt: skip
                return


def _stands_alone(known: list[Parameter]) -> bool:
    """Is there one alone that nothing used? Else a branch of a model may wait for its turn."""
    return sum(each.without == each.steps for each in known) == 1


def without_optimizer(noting: Noting) -> Iterator[Cause]:
    """A leaf gets gradient upon gradient, and no step and no line ever uses them."""
    known = [each.leaf for each in noting.training.parameters.values()]
    if not known:
        return
    plain = any(leaf.plain for leaf in known)
    layers = {_layer(noting, leaf) for leaf in known} - {""}
    for leaf in noting.gradients.all():
        if leaf.kept < _KEPT or leaf in known or leaf.looked_at or leaf.written:
            continue
        if not (plain if leaf.plain else _layer(noting, leaf) in layers):
            continue
        name = leaf_name(noting, leaf)
        site = next(iter(leaf.uses.values()), None)
        yield cause(
            "not-optimized", "not-optimized", site, name,
            name=name, used=NOTHING if site is None else Phrase("used-on", at=site), count=leaf.kept,
        )  # fmt: skip
        return


def _layer(noting: Noting, leaf: Leaf) -> str:
    """`model.last` of `model.last.bias`."""
    return leaf_name(noting, leaf).rpartition(".")[0]


def long_steps(noting: Noting) -> Iterator[Cause]:
    """Steps change most of a parameter, again and again, and the loss grows."""
    losses = [each for each in noting.training.losses.values() if each[2] > _STEPS]
    if not losses or not all(last > 2 * abs(first) for first, last, _ in losses):
        return
    found = [
        each
        for each in noting.training.parameters.values()
        if each.long >= _LONG and each.long * 2 >= each.steps - 1
    ]
    for each in sorted(found, key=lambda one: -one.worst)[:1]:
        name = leaf_name(noting, each.leaf)
        first, last, _ = losses[0]
        yield cause(
            "step-too-large", "step-too-large", each.site, name,
            name=name, long=each.long, steps=each.steps, worst=float(each.worst), first=float(first),
            last=float(last), optimizer=each.optimizer,
        )  # fmt: skip

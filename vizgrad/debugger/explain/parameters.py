"""Parameters that are not trained as meant: without a gradient, an optimizer, or in steps too long."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import missing_gradients
from vizgrad.debugger.explain.wording import code, leaf_name, line, number, said
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.optimizer_steps import Parameter

#: So many steps have to be seen before anything is said.
_STEPS = 2
#: So many gradients have to have been added up.
_KEPT = 3
#: So many steps have to have been too long.
_LONG = 3


def without_gradient(noting: Noting) -> Iterator[Explanation]:
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


def _stands_alone(known: list[Parameter]) -> bool:
    """Is there one alone that nothing used? Else a branch of a model may wait for its turn."""
    return sum(each.without == each.steps for each in known) == 1


def without_optimizer(noting: Noting) -> Iterator[Explanation]:
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
        used = f", which is used on {line(site)}," if site is not None else ""
        yield said(
            "not-optimized", site, name,
            f"{code(name)}{used} has got a gradient in {leaf.kept} backwards, and no optimizer knows it: "
            "it never changes, and its gradients add up unused.",
            f"give {code(name)} to the optimizer, too; or say that it is fixed: {name}.requires_grad_(False)",
        )  # fmt: skip
        return


def _layer(noting: Noting, leaf: Leaf) -> str:
    """`model.last` of `model.last.bias`."""
    return leaf_name(noting, leaf).rpartition(".")[0]


def long_steps(noting: Noting) -> Iterator[Explanation]:
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
        yield said(
            "step-too-large", each.site, name,
            f"{each.long} of {each.steps} steps on {line(each.site)} changed most of {code(name)}, the worst "
            f"by {number(each.worst)} times its size; the loss went from {number(first)} to "
            f"{number(last)}.",
            f"lower the learning rate of {each.optimizer}, by ten at first, or clip the gradients "
            "(clip_grad_norm_) before the step",
        )  # fmt: skip

"""Faults of a training loop: gradients, parameters, steps and modes of layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from typing import Any

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain import missing_gradients
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.nonfinite import of_value
from vizgrad.debugger.explain.tensor_cause import cause_of
from vizgrad.debugger.explain.wording import THE_LOSS, leaf_name, name_of, operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.stepped_parameter import Long, Parameter
from vizgrad.debugger.watch.training import Call, Steps

# --- accumulated gradients -------------------------------------------------------------------------------
# Gradients that a step used twice, and steps with what is not finite.


def accumulated(noting: Noting) -> Iterator[Cause]:
    for leaf in noting.gradients.all():
        for run, stepped in leaf.reported[:1]:
            name = leaf_name(noting, leaf)
            clocks = tuple(each.clock for each, _ in leaf.reported)
            yield cause(
                "grad-accumulated", "grad-accumulated", run.site, name,
                clocks=clocks, name=name, stepped=stepped,
            )  # fmt: skip


def nonfinite(noting: Noting) -> Iterator[Cause]:
    """The first explanation of a leaf whose gradient, or value, is not finite at the end."""
    by_operand: Cause | None = None  # an operand came so: a parameter that did is told before it
    for leaf, tensor, is_cleared in _not_finite(noting):
        if not is_cleared and _is_scaled(leaf):
            continue  # a GradScaler looks for overflow, and skips the step
        explained = cause_of(noting, tensor, leaf_name(noting, leaf))
        if explained and (diverged := _diverged(noting, explained)):
            yield diverged
            return
        is_given = explained.case == "given-not-finite"
        if is_given and is_cleared and _had_finite_gradient(leaf):
            continue  # an infinite parameter may be meant so
        if is_given and id(tensor) in noting.training.parameters:
            yield replace(explained, case="parameter-given")
            return
        if explained and explained.culprit is not None:
            site = explained.site
            clocks = noting.odd_at.get(site, []) if isinstance(site, Site) else []
            explained = replace(explained, clocks=tuple(clocks))
            if explained.case != "operand-given":
                yield explained
                return
            by_operand = by_operand or explained
    if by_operand is not None:
        yield by_operand


def _not_finite(noting: Noting) -> Iterator[tuple[Leaf, Any, bool]]:
    """Leaves whose gradient is not finite, with False. With True those whose value is not finite though the
    gradient is: it was cleared.
    """
    leaves = [
        (leaf, tensor) for leaf in noting.gradients.all() if (tensor := leaf.tensor()) is not None
    ]
    grads = [noting.look.grad(tensor) for _, tensor in leaves]
    of_runs = [tensor for leaf, tensor in leaves if leaf.run is not None]
    present = [grad for grad in grads if grad is not None]
    known = iter(noting.finite([*present, *of_runs]))  # at once: a device is waited for
    finite = [grad is None or next(known) for grad in grads]
    values = [leaf.run is None or next(known) for leaf, _ in leaves]
    for (leaf, tensor), is_finite, has_value in zip(leaves, finite, values, strict=True):
        if not (is_finite and has_value):
            yield leaf, tensor, is_finite


def _had_finite_gradient(leaf: Leaf) -> bool:
    """Was the gradient finite that the last backward brought, as far as is known?"""
    visit = None if leaf.run is None else leaf.run.visits.get(-leaf.key)
    return visit is None or visit.incoming < float("inf")


def _is_scaled(leaf: Leaf) -> bool:
    """Has a GradScaler multiplied the loss that its gradient is of?"""
    roots = () if leaf.run is None else leaf.run.roots
    return any(".scale(" in source_expressions.text_of(root.site) for root in roots)


def nonfinite_losses(noting: Noting) -> Iterator[Cause]:
    """Losses that are NaN, of which all gradients are finite: the part that is NaN takes no gradient. Also
    losses that are infinite as they overflowed in float16: others may be so on purpose.

    A loss that a GradScaler multiplied is passed over.
    """
    for run in noting.runs:
        (root, *others) = run.roots or (None,)
        if root is None or others or root.finite or root.scaled or run.kind != "backward":
            continue
        if run.births or not run.visits or run.loss is None:
            continue
        found = of_value(root, name_of(root, THE_LOSS))
        said = found is not None and (isnan(run.loss) or found.case == "beyond-half")
        if said and found is not None and found.culprit is not None:
            yield replace(found, clocks=(run.clock,))


# --- parameters ------------------------------------------------------------------------------------------
# Parameters that are not trained as meant: without a gradient, an optimizer, or in steps too long.


#: So many steps have to be seen before anything is said.
_STEPS = 2
#: So many steps with gradients have to have come before, and so many without since.
_STEPS_BEFORE, _STEPS_SINCE = 3, 3
#: So many gradients have to have been added up.
_KEPT = 3
#: So many steps have to have been too long; one, if it changed a parameter by so many times its size.
_LONG, _WILD = 3, 1e3


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


def asked_in_vain(noting: Noting) -> Iterator[Cause]:
    """A program without an optimizer asks a leaf for its gradient after backwards, and has never got one: the
    way to it was cut. A leaf that no loss was computed from may belong to another loss.
    """
    if noting.training.steps:
        return
    for leaf in noting.gradients.all():
        tensor = leaf.tensor()
        if leaf.asked_in_vain < _STEPS or leaf.run is not None:
            continue
        if tensor is None or not tensor.requires_grad or noting.look.grad(tensor) is not None:
            continue
        found = missing_gradients.of_leaf(noting, leaf, leaf.note, leaf_name(noting, leaf))
        if found and found.case not in ("used-in-vain", "not-used"):
            yield found
            return


def steps_in_vain(noting: Noting) -> Iterator[Cause]:
    """Steps of an optimizer find no gradient, and the way to one of its parameters was cut: in all rounds, or
    from one on; or no step found one, as gradients were cleared before or no backward reached its parameters.
    """
    for steps in noting.training.steps:
        if not steps.in_vain:
            continue
        never = not steps.useful and steps.in_vain >= _STEPS
        if never and (found := _without_any(noting, steps)):
            yield found
            return
        for leaf in steps.leaves:
            name = leaf_name(noting, leaf)
            if steps.useful:
                found = _cut_later(noting, steps, leaf, name)
            else:
                found = missing_gradients.of_leaf(noting, leaf, leaf.note, name)
            if found and found.case not in ("used-in-vain", "not-used"):
                count = len(steps.leaves)
                whom = Phrase(
                    "any-of" if count > 1 else "the-one", count=count, optimizer=steps.title
                )
                other = None if steps.useful else _used_before(noting, steps)
                if other is not None and found.case == "detached":
                    yield cause(
                        "unused", "no-loss-of-its-own", steps.site, steps.title,
                        clocks=tuple(steps.vain_at[-steps.gap :]), after=True, stepped=steps.site,
                        whom=whom, because=found, cut=found.facts["cut"], other=other.title,
                        optimizer=steps.title,
                    )  # fmt: skip
                    return
                yield cause(
                    found.kind, "steps-in-vain", found.site, found.tensor,
                    clocks=tuple(steps.vain_at[-steps.gap :]), after=True,
                    stepped=steps.site, whom=whom, why=found,
                )  # fmt: skip
                return


def _used_before(noting: Noting, steps: Steps) -> Steps | None:
    """The optimizer that used the gradients of the backward before the last step of this one: the loss was
    meant for that, and its cut may be right.
    """
    if len(steps.vain_at) < steps.in_vain:
        return None  # the last is not known
    last = steps.vain_at[-1]
    runs = [run for run in noting.runs if run.kind == "backward" and run.clock < last]
    others = (each for each in noting.training.steps if each is not steps)
    return next((each for each in others if runs and runs[-1].clock < each.useful_at < last), None)


def _without_any(noting: Noting, steps: Steps) -> Cause | None:
    """Several steps, of which no way that was cut is to blame."""
    facts: dict[str, Any] = {
        "count": steps.in_vain, "optimizer": steps.title, "stepped": steps.site,
    }  # fmt: skip
    if not any(run.kind == "backward" for run in noting.runs):
        return cause("unused", "never-backward", steps.site, steps.title, **facts)
    other = _has_the_same(noting, steps)
    if other is not None:
        return cause(
            "not-optimized", "steps-of-another", steps.site, steps.title,
            other=other.title, at=other.at, **facts,
        )  # fmt: skip
    if any(leaf.run is not None for leaf in steps.leaves):
        return cause("not-optimized", "cleared-before-step", steps.site, steps.title, **facts)
    if any(leaf.uses for leaf in steps.leaves):
        return None
    name = source_expressions.text_of(steps.site).partition(".step(")[0]
    made = source_expressions.assignment_of(name, steps.site)
    if made is None:
        return None
    return cause("unused", "other-parameters", made, name, name=name, **facts)


def _has_the_same(noting: Noting, steps: Steps) -> Steps | None:
    """An optimizer that has all parameters of this one, and whose steps found gradients of them."""
    leaves = set(map(id, steps.leaves))
    for each in noting.training.steps:
        if each is not steps and each.useful and leaves <= set(map(id, each.leaves)):
            return each
    return None


def _cut_later(noting: Noting, steps: Steps, leaf: Leaf, name: str) -> Cause | None:
    """Each step found gradients for a while, none has since, and the last backward has the way to a leaf cut.

    An optimizer that waits for its turn is no such case: its steps without a gradient are between others, or
    the gradients of the last backward were those that another optimizer used.
    """
    if steps.useful < _STEPS_BEFORE or steps.gap < max(_STEPS_SINCE, 2 * steps.longest_gap):
        return None
    if len(steps.vain_at) < steps.in_vain:
        return None  # the latest are not known
    since, last = steps.vain_at[-steps.gap], steps.vain_at[-1]
    runs = [run for run in noting.runs if run.kind == "backward" and run.clock < last]
    if not runs or runs[-1].clock < since or leaf.note is None:
        return None
    if any(each.useful_at > runs[-1].clock for each in noting.training.steps if each is not steps):
        return None
    for root in runs[-1].roots:
        found = missing_gradients.of_way(root, leaf.note, name)
        if found is not None:
            return found
    return None


def _stands_alone(known: list[Parameter]) -> bool:
    """Is there one alone that nothing used? Else a branch of a model may wait for its turn."""
    return sum(each.without == each.steps for each in known) == 1


def without_optimizer(noting: Noting) -> Iterator[Cause]:
    """A leaf accumulates gradients, and no step and no line ever uses them."""
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
    if not losses or not all(_has_grown(first, last) for first, last, _ in losses):
        return
    found = [
        each
        for each in noting.training.parameters.values()
        if each.long >= _LONG and each.long * 2 >= each.finite - 1
    ]
    for each in sorted(found, key=lambda one: -one.worst)[:1]:
        yield _step_of(noting, each)


def exploding_step(noting: Noting) -> Iterator[Cause]:
    """A single step blew parameters up: the losses after it are of another order than those before."""
    if next(long_steps(noting), None) is not None:
        return  # it is one of many
    for wild in noting.training.wild.all:
        line = wild.grown()
        if line is None:
            continue
        name, own = leaf_name(noting, wild.known.leaf), wild.own.get(line)
        yield cause(
            "step-too-large", "step-exploded", wild.site, name,
            fix="batch-of-step" if wild.by_its_batch(line) else "shorter-step",
            clocks=(wild.clock,), after=True, name=name, worst=wild.times, first=wild.before[line],
            own=NOTHING if own is None else Phrase("loss-in-round", loss=own), last=wild.after[line],
            optimizer=wild.known.optimizer, longest=_longest(wild.long), group=_group(wild.long),
        )  # fmt: skip
        return


def _step_of(noting: Noting, each: Parameter) -> Cause:
    """The longest step of a parameter."""
    name = leaf_name(noting, each.leaf)
    losses = [each for each in noting.training.losses.values() if each[2] > 1]
    first, last, _ = losses[0] if losses else (float("nan"), float("nan"), 0)
    return cause(
        "step-too-large", "step-too-large", each.site, name,
        name=name, long=each.long, steps=each.finite, worst=float(each.worst), first=float(first),
        last=float(last), optimizer=each.optimizer, longest=_longest(each.longest),
        group=_group(each.longest),
    )  # fmt: skip


def _has_grown(first: float, last: float) -> bool:
    """Also to what is not finite."""
    return abs(first) < float("inf") and not last <= 2 * abs(first)


def _longest(long: Long | None) -> Phrase:
    if long is None:
        return NOTHING
    rate = NOTHING if long.rate is None else Phrase("with-rate", rate=long.rate)
    return Phrase("longest-step", number=long.step, rate=rate)


def _group(long: Long | None) -> Phrase:
    if long is None or long.groups < 2:
        return NOTHING
    return Phrase("for-group", group=long.group, groups=long.groups)


def _diverged(noting: Noting, odd: Cause) -> Cause | None:
    """Steps that were too long, where they made a product overflow, or a parameter infinite; one that changed
    a parameter beyond all measure, whatever was computed after it.
    """
    born = min((clock for clocks in noting.odd_at.values() for clock in clocks), default=0)
    known = noting.training.parameters.values()
    before = [each for each in known if 0 < each.long_at < born]
    if odd.case in ("product-overflowed", "step-diverged") and before:
        return next(long_steps(noting), None)
    wild = [each for each in before if each.worst >= _WILD]
    return _step_of(noting, max(wild, key=lambda each: each.worst)) if wild else None


# --- module modes ----------------------------------------------------------------------------------------
# Layers that ran in the mode that was not meant: dropout and batch norm.


def modes(noting: Noting) -> Iterator[Cause]:
    calls = list(noting.layers.calls)
    if not calls or not noting.steps:
        return
    into_losses: set[int] = set()
    for run in noting.runs:
        for root in run.roots:
            if id(root) not in into_losses:
                into_losses |= {id(note) for note in root.ancestors()}
    trained = [c for c in calls if c.grad and c.training and _is_in(c, into_losses)]
    by_layer: dict[int, Call] = {}
    for call in trained:
        by_layer.setdefault(call.layer, call)
    if not by_layer:
        return
    yield from _never_back(noting, calls, by_layer, into_losses)
    yield from _evaluated(noting, calls, by_layer, into_losses)


def _is_in(call: Call, notes: set[int]) -> bool:
    return call.made is not None and id(call.made) in notes


def _never_back(
    noting: Noting, calls: list[Call], trained: dict[int, Call], into_losses: set[int]
) -> Iterator[Cause]:
    """Trained, switched to evaluation, and trained on."""
    for call in calls:
        first = trained.get(call.layer)
        if first is None or call.training or not call.grad or not call.alike:
            continue
        # a step before, and one behind: it was trained in both modes
        if not first.steps < call.steps < noting.steps or not _is_in(call, into_losses):
            continue
        if any(c.layer == call.layer and c.training and c.steps > call.steps for c in calls):
            continue  # the program switches between the two on purpose
        site = _switch(noting, call)
        if site is None:
            continue
        name = source_expressions.variable(site) or call.title
        yield cause(
            "module-mode", "left-in-evaluation", site, name,
            name=name, layer=call.name, called=call.site,
        )  # fmt: skip
        return


def _switch(noting: Noting, call: Call) -> Site | None:
    for module, mode, site in reversed(noting.layers.switches):
        if module == call.whole:
            return None if mode else site
    return None


def _evaluated(
    noting: Noting, calls: list[Call], trained: dict[int, Call], into_losses: set[int]
) -> Iterator[Cause]:
    """Evaluated without gradients, and its results taken out, while dropout was active."""
    taken: set[int] = set()
    for leak in noting.leaks:
        if leak.note is not None and not leak.note.requires and id(leak.note) not in taken:
            taken |= {id(note) for note in leak.note.ancestors()}
    seen: dict[tuple[int, int], list[Call]] = {}
    for call in calls:
        if call.grad or not call.training or call.layer not in trained or call.made is None:
            continue
        if _is_in(call, into_losses) or id(call.made) not in taken or call.site is None:
            continue
        if call.steps <= trained[call.layer].steps:
            continue
        seen.setdefault((call.layer, id(_source(call.given))), []).append(call)
    for found in seen.values():
        steps = [call.steps for call in found]
        if len(set(steps)) < len(steps):
            continue  # several runs on one input, without a step between: samples are wanted
        call = found[0]
        name = _callee(call) or call.title
        yield cause(
            "module-mode", "evaluated-in-training", call.site, name,
            name=name, call=operation(call.site, name), layer=call.name,
            does=Phrase("drops" if "Dropout" in call.name else "normalises"),
        )  # fmt: skip
        return


def _source(note: Note | None) -> Note | None:
    """The inputs of the model, as far as first operands tell."""
    for _ in range(64):
        if note is None or not note.parents:
            return note
        note = note.parents[0]
    return note


def _callee(call: Call) -> str:
    """`model` of `model(x)`."""
    text = source_expressions.text_of(call.site)
    name = text.partition("(")[0]
    return name if name.replace(".", "").isidentifier() else ""

"""Faults of optimizers and parameters: held by none, in shared memory, in a wrong order, frozen and moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from vizgrad.core.errors import Place, place_at
from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain import training_faults
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.wording import Words, call_of, leaf_name
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.grad_history import Leaf, Shared
from vizgrad.debugger.watch.note_recorder import Noting

#: So many backwards have to have brought a gradient that nobody uses, and so many steps been seen.
_RECEIVED, _STEPS, _UNUSED = 3, 2, 3
#: So many steps without a rate are no beginning of a warm-up.
_STILL = 5


def of_parameter(noting: Noting, tensor: Any) -> Iterator[Cause]:
    """The faults that are told of one parameter."""
    leaf = noting.gradients.known(tensor)
    if leaf is None:
        return
    name = leaf_name(noting, leaf)
    steps = training_faults.long_steps, training_faults.exploding_step
    finders = unheld, shared, unused_in_replicas, frozen_yet_moved, *steps
    for find in finders:
        yield from (found for found in find(noting) if found.tensor == name)


# --- held by no optimizer --------------------------------------------------------------------------------


def unheld(noting: Noting) -> Iterator[Cause]:
    """Parameters that were to be trained, and that no optimizer has.

    A part of a model may be left out on purpose. It cannot have been meant where the optimizer was given all
    parameters of the model, and this one came later; or where a module of which the optimizer has others
    holds it in a way that hides it from `parameters()`.
    """
    held = {id(each.leaf) for each in noting.training.parameters.values()}
    useful = [each for each in noting.training.steps if each.useful >= _STEPS]
    if not useful:
        return
    candidates = [leaf for leaf in noting.gradients.all() if _is_left(noting, leaf, held)]
    if not candidates:
        return
    known = {name: leaf for leaf in candidates if "." in (name := leaf_name(noting, leaf))}
    theirs = [leaf_name(noting, leaf) for steps in useful for leaf in steps.leaves]
    for name, leaf in known.items():
        module = _hidden_from(name, leaf, theirs)
        if module:
            used = next(iter(leaf.uses.values()), None)
            attribute = name.removeprefix(f"{module}.").partition("[")[0]
            kind = Phrase("plain-tensor" if leaf.plain else "in-a-plain-container")
            fix = "register-tensor" if leaf.plain else "register-modules"
            yield cause(
                "not-optimized", "not-registered", _attribute_set(attribute, used) or used, name, fix=fix,
                name=name, module=module, what=kind, count=leaf.received,
            )  # fmt: skip
            return
    for steps in useful:
        made = _made_on(steps.at)
        for root in () if made is None else made[1]:
            missing = [name for name in known if name.startswith(f"{root}.")]
            if missing and made is not None:
                yield cause(
                    "not-optimized", "came-later", made[0], missing[0],
                    name=missing[0], others=_and_others(missing), model=root, optimizer=steps.title,
                    count=known[missing[0]].received,
                )  # fmt: skip
                return


def _is_left(noting: Noting, leaf: Leaf, held: set[int]) -> bool:
    tensor = leaf.tensor()  # or it is gone by now
    if id(leaf) in held or leaf.received < _RECEIVED:
        return False
    if tensor is not None and not tensor.requires_grad:
        return False
    return not (leaf.looked_at or leaf.written or leaf.used_by)


def _hidden_from(name: str, leaf: Leaf, theirs: list[str]) -> str:
    """`net` of `net.token`, a plain tensor, and of `net.rest[0].weight`, in a list; "" of all others."""
    module, _, last = name.partition("[")[0].rpartition(".")
    hidden = (leaf.plain and "[" not in name) or "[" in name[len(module) :]
    if not module or not last or not hidden:
        return ""
    root = module.partition(".")[0]
    return module if any(each.startswith(f"{root}.") for each in theirs) else ""


def _attribute_set(name: str, near: Site | None) -> Place | None:
    """The one line of the file of an instruction that sets an attribute of this name."""
    tree = None if near is None else source_expressions.tree_of(near.file)
    if near is None or tree is None:
        return None
    lines = [
        target.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute) and target.attr == name
    ]
    return place_at(near.code, lines[0]) if len(lines) == 1 else None


def _and_others(names: list[str]) -> Phrase:
    return Phrase("and-others", more=len(names) - 1) if len(names) > 1 else NOTHING


def _made_on(stepped: Site | None) -> tuple[Place, list[str]] | None:
    """Where the optimizer that steps there was made, if its file tells, and the models of which it was given
    all parameters, as they are written.
    """
    text = source_expressions.text_of(stepped)
    name = text.partition(".step(")[0]
    tree = None if stepped is None else source_expressions.tree_of(stepped.file)
    if stepped is None or tree is None or name == text:
        return None
    made = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets)
    ]
    lines = [line for _, _, line in stepped.code.co_lines() if line]
    near = [node for node in made if min(lines) <= node.lineno <= max(lines)]
    made = near or made
    if len(made) != 1:
        return None
    calls = [node for node in ast.walk(made[0].value) if isinstance(node, ast.Call)]
    partial = (ast.ListComp, ast.GeneratorExp, ast.Lambda, ast.IfExp)
    if any(
        isinstance(node, partial) and "requires_grad" not in ast.unparse(node)
        for node in ast.walk(made[0].value)
    ):
        return None  # some of them were chosen
    models = [
        ast.unparse(node.func.value)
        for node in calls
        if isinstance(node.func, ast.Attribute) and node.func.attr == "parameters" and not node.args
    ]
    return place_at(stepped.code, made[0].lineno), models


# --- gradients that no step uses ---------------------------------------------------------------------------


def never_used(noting: Noting) -> Iterator[Cause]:
    """A line runs backward again and again, and no step uses any of the gradients that it brings."""
    by_line: dict[Site, list[Run]] = {}
    for run in noting.runs:
        if run.kind == "backward" and run.site is not None and run.leaves:
            by_line.setdefault(run.site, []).append(run)
    if not any(sum(run.used for run in runs) >= _UNUSED for runs in by_line.values()):
        return
    if next(training_faults.steps_in_vain(noting), None) is not None:
        return  # they are why
    known = {leaf.key: leaf for leaf in noting.gradients.all()}
    for site, runs in by_line.items():
        if len(runs) < _UNUSED or any(run.used for run in runs):
            continue
        leaves = [leaf for key, leaf in known.items() if key in runs[-1].leaves]
        if not leaves or any(leaf.looked_at or leaf.written for leaf in leaves):
            continue
        names = [leaf_name(noting, leaf) for leaf in leaves]
        yield cause(
            "not-optimized", "no-step-uses", site, names[0], clocks=tuple(run.clock for run in runs),
            call=call_of(site, "backward"), count=len(runs), name=names[0], others=_and_others(names),
        )  # fmt: skip
        return


def unused_in_replicas(noting: Noting) -> Iterator[Cause]:
    """Parameters that are replicated over processes got no gradient, and the others wait for it."""
    for replicated in noting.replicated.values():
        missing = [leaf for leaf in replicated.leaves if not leaf.received]
        if missing and len(missing) < len(replicated.leaves):
            names = [leaf_name(noting, leaf) for leaf in missing]
            yield cause(
                "unused", "unused-in-replicas", replicated.site, names[0],
                name=names[0], others=_and_others(names),
            )  # fmt: skip


# --- steps that change nothing ----------------------------------------------------------------------------


def never_steps(noting: Noting) -> Iterator[Cause]:
    """Backwards bring gradients, an optimizer clears them again and again, and no step was called.

    Who reads or changes gradients, or has a GradScaler, which leaves steps out, may have meant it.
    """
    if noting.training.steps or noting.scaling.used:
        return
    if any(leaf.looked_at or leaf.written for leaf in noting.gradients.all()):
        return
    for clears in noting.training.clears:
        if clears.stepped or clears.count < _UNUSED:
            continue
        name = leaf_name(noting, clears.leaves[0])
        named = _named_without_a_call(clears.site)
        yield cause(
            "not-optimized", "never-steps", clears.site if named is None else named, name,
            optimizer=clears.title, cleared=clears.site, count=clears.count,
            named=NOTHING if named is None else Phrase("named-without-a-call", at=named),
        )  # fmt: skip
        return


def _named_without_a_call(near: Site | None) -> Place | None:
    """The one line of the code of an instruction that is `optimizer.step`, without parentheses."""
    tree = None if near is None else source_expressions.tree_of(near.file)
    if near is None or tree is None:
        return None
    own = {line for _, _, line in near.code.co_lines() if line}
    lines = [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "step"
        and node.lineno in own
    ]
    return place_at(near.code, lines[0]) if len(lines) == 1 else None


def without_a_rate(noting: Noting) -> Iterator[Cause]:
    """All steps of an optimizer that found a gradient had a learning rate of 0."""
    for steps in noting.training.steps:
        if steps.still >= _STILL and steps.still == steps.useful:
            yield cause(
                "not-optimized", "without-a-rate", steps.at, leaf_name(noting, steps.leaves[0]),
                optimizer=steps.title, count=steps.still, stepped=steps.at,
            )  # fmt: skip


# --- memory ----------------------------------------------------------------------------------------------


def shared(noting: Noting) -> Iterator[Cause]:
    """Two parameters in the same memory: both trained, or the one written from the other."""
    for pair in noting.gradients.shared:
        if not pair.late and not (pair.one.received and pair.other.received):
            continue
        one, other = (leaf_name(noting, leaf) for leaf in (pair.one, pair.other))
        yield _of_pair(pair, one, other)


def _of_pair(pair: Shared, one: str, other: str) -> Cause:
    if pair.late:
        return cause(
            "shared-memory", "written-from-itself", pair.site, one,
            clocks=(pair.clock,), after=True, name=one, other=other,
        )  # fmt: skip
    since = NOTHING if pair.site is None else Phrase("since-line", at=pair.site)
    return cause(
        "shared-memory", "shared-parameters", pair.site, other, name=one, other=other, since=since,
    )  # fmt: skip


# --- scaler, clipping and step -----------------------------------------------------------------------------


def order(noting: Noting) -> Iterator[Cause]:
    """Gradients were clipped or used while a GradScaler had them multiplied, or clipped too late."""
    for fault in noting.scaling.faults:
        yield cause(
            "step-order", _CASES[fault.case], fault.site, source_expressions.variable(fault.site),
            clocks=(fault.clock,), after=True,
            call=call_of(fault.site, "the call"), scale=Words(f"{fault.scale:g}"),
            limit=Words(f"{fault.limit:g}"), effective=fault.limit / fault.scale,
            optimizer=Words(fault.title), other=fault.other,
            later=NOTHING if fault.other is None else Phrase("unscaled-later", at=fault.other),
        )  # fmt: skip


#: Fault -> the row of sentences on it.
_CASES = {
    "clip": "clipped-while-scaled",
    "late clip": "clipped-after-step",
    "empty clip": "clipped-nothing",
    "step": "stepped-while-scaled",
    "scaled step": "stepped-without-scale",
}

# --- frozen ----------------------------------------------------------------------------------------------


def frozen_yet_moved(noting: Noting) -> Iterator[Cause]:
    """A parameter does not require grad, and steps go on to change it by the gradient that it had."""
    for each in noting.training.parameters.values():
        if each.frozen < _STEPS or each.wanted or each.frozen_at is None:
            continue
        name = leaf_name(noting, each.leaf)
        yield cause(
            "step-order", "frozen-yet-moved", each.frozen_at, name,
            name=name, count=each.frozen, stepped=each.site, optimizer=each.optimizer,
        )  # fmt: skip
        return

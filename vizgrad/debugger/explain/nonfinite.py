"""NaN and Inf: where the first one was born, forwards or backwards, and of what."""

from __future__ import annotations

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import products
from vizgrad.debugger.explain.advice import backward_fix, forward_fix
from vizgrad.debugger.explain.wording import (
    call,
    code,
    code_or_input,
    line,
    number,
    operand_of,
    operation,
    said,
)
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Odd, Run, Visit
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.notes import Note

#: So many steps are gone back through.
_STEPS = 128


def of_value(note: Note, name: str, steps: int = 0) -> Explanation | None:
    """Why a value is not finite; None if it is. `steps`: how many backwards led here."""
    if note.finite or steps > _STEPS:
        return None
    birth = note.born or note
    if birth.op == "step":
        return _of_step(birth, name, steps)
    if isinstance(birth.detail, Run):
        return _of_grad(birth.detail, name, steps)
    if isinstance(birth.detail, Leaf):
        run = birth.run
        return None if run is None else _of_grad(run, name, steps, -birth.detail.key)
    shown = operand_of(birth)
    if not birth.parents:
        tensor = source_expressions.assigned(birth.site) or name
        return said(
            "nonfinite-forward",
            birth.site,
            tensor,
            f"{code(tensor)} holds values that are not finite from the start ({line(birth.site)}). "
            f"{_passed_on(note, birth, tensor, name)}".strip(),
            "clean the data first: look for missing values with isfinite(), and replace or drop them",
        )
    places, nan = birth.detail or ([], False)
    product = products.of(birth, places[0][2] if places else None, nan)
    if product is not None:
        story = f"{product.story}. {_passed_on(note, birth, '', name)}".strip()
        return said("nonfinite-forward", birth.site, product.culprit, story, product.fix)
    what = "NaN" if nan else "an infinite value"
    story = f"{call(birth)} made {what} on {line(birth.site)}"
    if places:
        index, value, given = places[0]
        at = f" at {list(index)}" if index else ""
        story += f": {number(value)}{at}"
        if given is not None:
            story += f", where {code(shown)} is {number(given, birth.op.strip('_'))}"
    story = f"{story}. {_passed_on(note, birth, '', name)}".strip()
    given = places[0][2] if places else None
    return said("nonfinite-forward", birth.site, shown, story, forward_fix(birth, shown, given))


def _of_grad(run: Run, name: str, steps: int, key: int | None = None) -> Explanation | None:
    """What a backward gave a leaf, or a call of grad returned, was not finite."""
    for root in run.roots:
        if not root.finite:
            return of_value(root, name, steps + 1)
    if key is None and run.births:
        key = _target(run.births[0])
    return None if key is None else of_gradient(run, key, name)


def _of_step(birth: Note, name: str, steps: int) -> Explanation:
    """An optimizer made a parameter infinite: by its gradient, or by too long a step."""
    tensor = birth.tensor()
    if isinstance(birth.detail, Run):
        for (
            root
        ) in birth.detail.roots:  # already the loss was not finite: an older birth is the cause
            if not root.finite and (root.born or root) is not birth:
                found = of_value(root, name, steps + 1)
                if found is not None:
                    return found
    if isinstance(birth.detail, Run) and tensor is not None:
        found = of_gradient(birth.detail, -id(tensor), name)
        if found is not None:
            return found
    return said(
        "nonfinite-forward",
        birth.site,
        name,
        f"The step on {line(birth.site)} made a parameter infinite, and from there it came into "
        f"{code(name)}: the "
        "training diverged.",
        "lower the learning rate, or clip the gradients (clip_grad_norm_) before the step",
    )


def _passed_on(note: Note, birth: Note, told: str, name: str) -> str:
    """`told`: of what the story has spoken."""
    if note is birth or told == name:
        return f"That is {code(name)}." if name and told != name else ""
    return f"From there it came into {code(name)}." if name else "From there it came here."


def of_gradient(run: Run, key: int, name: str, at: int | None = None) -> Explanation | None:
    """Why the gradient that arrived at a node is not finite; None if the run does not tell. `at`: the node
    that made it so, where that is known.
    """
    birth = first_birth(run, key, at)
    if birth is None:
        return None
    visit = birth.visit
    inherited = _operand_birth(run, visit.key)
    masked = birth.masked and behind_a_mask(run, visit.key)
    overflow = not masked and visit.incoming > 1e18
    kind = "nonfinite-masked" if masked else "ill-scaled" if overflow else "nonfinite-backward"
    if inherited is not None and masked:
        shown = operand_of(inherited)
        return said(
            kind,
            inherited.site,
            shown,
            f"{call(inherited)} on {line(inherited.site)} is infinite in the branch that is masked out on "
            f"{line(visit.site)}, and in its derivative 0 * inf is NaN. It came into the gradient "
            f"of {code(name)}.",
            backward_fix(visit, shown, kind),
        )
    shown = _operand(visit)
    story = f"The derivative of {operation(visit.site, visit.name)} on {line(visit.site)}"
    if overflow:
        story += f" overflowed: gradients had grown to {number(visit.incoming)} there"
    else:
        value = birth.places[0] if birth.places else None
        story += " is not finite"
        if value is not None and value[2] is not None:
            of_result = set(birth.saved) == {"result"}  # it saved no operand
            met = code_or_input(shown)
            if of_result and not (visit.name.startswith("Sqrt") and value[2] == 0.0):
                met = "the result"  # that of a root is 0 where its operand is
            story += f" where {met} is {number(value[2])}"
        if masked:
            story += "; the branch is masked out, but 0 * inf is NaN"
        elif birth.masked:
            story += "; the gradient that arrived there is 0, and 0 * inf is NaN"
    story += f". It came into the gradient of {code(name)}."
    return said(kind, visit.site, shown, story, backward_fix(visit, shown, kind))


def _operand(visit: Visit) -> str:
    """What the operation of a node was applied to, as written, if that is short."""
    return source_expressions.operand(visit.site, visit.name) or visit.name


def _operand_birth(run: Run, key: int) -> Note | None:
    """Where an operand of a node became infinite, if one is."""
    for root in run.roots:
        for note in root.tracked():
            if note.node == key:
                odd = [parent.born for parent in note.parents if parent.born is not None]
                return odd[0] if odd else None
    return None


def first_birth(run: Run, key: int, at: int | None = None) -> Odd | None:
    """The first node on a way to `key` that made what is not finite, or what node `at` made."""
    for birth in run.births:
        if at in (None, birth.visit.key) and reaches(run, _target(birth), key):
            return birth
    return None


def _target(birth: Odd) -> int:
    return next(d.target for d in birth.visit.out if d.edge == birth.edge)


def reaches(run: Run, start: int, key: int) -> bool:
    """Do gradients go from node `start` to node `key`?"""
    seen, todo = {start}, [start]
    for each in todo:
        if each == key:
            return True
        visit = run.visits.get(each)
        for delivered in visit.out if visit is not None else ():
            if delivered.target not in seen:
                seen.add(delivered.target)
                todo.append(delivered.target)
    return False


_MASKS = ("Where", "MaskedFill", "MaskedScatter", "MaskedSelect", "Index", "Gather", "Select", "Slice", "Mul",
          "Clamp", "Maximum", "Minimum", "Max", "Min", "Nansum", "NanToNum", "Nanmean")  # fmt: skip


def behind_a_mask(run: Run, key: int) -> bool:
    """Has a mask stood between the loss and the node? A factor that is zero everywhere is none."""
    zero = {kill.visit.key for kill in run.kills if kill.visit.name.startswith("Mul")}
    for visit in run.visits.values():
        if visit.key not in zero and visit.name.startswith(_MASKS) and reaches(run, visit.key, key):
            return True
    return False

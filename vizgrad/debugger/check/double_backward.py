"""Double backward: is the derivative of backward that of what it returns?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from vizgrad.autograd.running import grad
from vizgrad.core.arrays import xp
from vizgrad.core.errors import Explanation, Place
from vizgrad.core.function.custom.once import DelayedError
from vizgrad.core.tensor.tensor import Tensor, new_tensor
from vizgrad.debugger.check.backwards import given
from vizgrad.debugger.check.examination import (
    Entry,
    Examination,
    agreeing,
    at,
    entries,
    fault_of,
    number,
)
from vizgrad.debugger.check.example import Call, Trail, node_of, same
from vizgrad.debugger.engines.api.abilities import Capability

NAME = "double backward"
#: How far the second place is, at which is looked which values move along.
_NEARBY = 1e-4
_WITH = (
    " with differentiable operations on ctx.saved_tensors (no detach, item, numpy, no_grad), or put "
    "@once_differentiable above backward."
)


def examine(examination: Examination) -> Capability:
    example = examination.example
    if not any(g is not None for g in examination.gradients):
        return Capability(NAME, "untested", "backward gives no gradient")
    if not examination.repeatable:
        return Capability(NAME, "untested", "what it computes is not repeatable")
    if not examination.precise:
        return Capability(NAME, "untested", "it computes in less than double precision")
    directions = [None if g is None else example.random_like(g) for g in examination.gradients]
    try:
        found = _analytical(examination, directions)
    except _RefusedError:
        return Capability(NAME, "untested", "raises an error: @once_differentiable")
    except Exception as error:  # noqa: BLE001  a person's code
        told = fault_of(
            example, error, f"With create_graph=True {example.title}.backward",
            "use operations of vizgrad there, or put @once_differentiable above backward",
        )  # fmt: skip
        told = Explanation("second-order-cut", told.culprit, told.tensor, told.fix, told.story)
        return Capability(NAME, "failed", "raises an error", (told,), aloud=True)

    arrays = [*examination.arrays, *examination.given]
    which = [*examination.which, *range(len(examination.arrays), len(arrays))]

    def value(moved: Sequence[Any]) -> float | None:
        return _first(examination, moved, directions)

    compared = list(entries(value, arrays, found, which))
    wrong = [e for e in compared if e.wrong]
    if not wrong:
        return Capability(NAME, "proven", agreeing(len(compared)))
    return Capability(NAME, "failed", "", (_cut(examination, wrong),))


class _RefusedError(Exception):
    """`once_differentiable` says that there is no second derivative."""


def _analytical(examination: Examination, directions: list[Any]) -> list[Any]:
    """Derivatives of <direction, gradients> by inputs and incoming gradients; None where there is none."""
    call, _ = examination.example.run(examination.arrays)
    weights = [w.requires_grad_() for w in given(examination)]
    first = call.gradients(weights, create_graph=True)
    if any(g is not None and isinstance(node_of(g), DelayedError) for g in first):
        raise _RefusedError
    chosen = [directions[n] for n in examination.which]
    pairs = [
        (g, d) for g, d in zip(first, chosen, strict=True) if g is not None and g.requires_grad
    ]
    targets = [*call.wanted(), *weights]
    if not pairs:
        return [None] * (len(examination.arrays) + len(weights))
    found = grad(
        [g for g, _ in pairs], targets, [new_tensor(xp.asarray(d)) for _, d in pairs], allow_unused=True
    )  # fmt: skip
    count = len(call.wanted())
    return [
        *examination.full(found[:count]),
        *(None if g is None else g._array for g in found[count:]),
    ]


def _first(examination: Examination, arrays: Sequence[Any], directions: list[Any]) -> float | None:
    """<direction, gradients> at other arrays."""
    count = len(examination.arrays)
    try:
        call, _ = examination.example.run(arrays[:count])
        found = call.gradients([new_tensor(w.copy()) for w in arrays[count:]])
    except Exception:  # noqa: BLE001  a place where it has no value
        return None
    total = 0.0
    for nr, gradient in zip(examination.which, found, strict=True):
        if gradient is not None and directions[nr] is not None:
            total += float((directions[nr].conj() * gradient._array).real.sum())
    return total


# --- where it is cut -------------------------------------------------------------------------------------


def _cut(examination: Examination, wrong: list[Entry]) -> Explanation:
    example = examination.example
    worst = max(wrong, key=lambda e: abs(e.given - e.found))
    count = len(examination.arrays)
    name = example.name(worst.array) if worst.array < count else "grad"
    place, tensor, how, fix = _blamed(examination)
    return Explanation(
        "second-order-cut",
        place,
        tensor or name,
        fix,
        f"The second derivative of {example.title} is incomplete: by {at(name, worst.at)} it is "
        f"{number(worst.given)} along a random direction, and differences of backward give "
        f"{number(worst.found)}. {how}",
    )


class Blame(NamedTuple):
    place: Place | None
    name: str
    #: The fault there.
    how: str
    fix: str


def _blamed(examination: Examination) -> Blame:
    """A saved intermediate first, then a line of backward."""
    example = examination.example
    here, at_here = _traced(examination, 0.0)
    there, at_there = _traced(examination, _NEARBY)
    (call, trail), (other, _) = here, there
    for nr, saved in enumerate(call.ctx._fn_saved or ()):
        moves = _moves(saved, other.ctx._fn_saved[nr])
        if call.ctx._fn_origins[nr] is None and moves and not saved.requires_grad:
            name = trail.saved_names[nr] if nr < len(trail.saved_names) else ""
            return _saved(examination, trail.saved, name, saved._array)
    for attribute, (place, name) in trail.kept.items():
        mine, theirs = call.ctx.__dict__.get(attribute), other.ctx.__dict__.get(attribute)
        if _moves(mine, theirs) and not (isinstance(mine, Tensor) and mine.requires_grad):
            return _saved(examination, place, name, getattr(mine, "_array", mine))
    codes = {c for n, c in example.codes.items() if n.startswith(("backward", "vjp"))}
    for mine, theirs in zip(at_here.lines, at_there.lines, strict=False):
        if mine.code not in codes or mine.number != theirs.number:
            continue
        for name, seen in mine.made.items():
            kept = theirs.made.get(name)
            if kept is not None and not seen.recorded and not same(seen.value, kept.value):
                named = "" if name.startswith("(") else name
                said = f"`{named}`" if named else "its result"
                how = f"Line {mine.place.line} makes {said} without history: then it is a constant."
                return Blame(mine.place, named, how, f"Compute it there{_WITH}")
    return Blame(example.returning(), "", "", f"Compute what backward returns{_WITH}")


def _saved(examination: Examination, place: Place | None, name: str, array: Any) -> Blame:
    said = f"`{name}`" if name else "a value"
    for nr, other in enumerate(examination.arrays):
        if hasattr(array, "shape") and same(array, other):
            own = examination.example.name(nr)
            how = f"Backward reads a copy of `{own}` that has no history."
            return Blame(
                place, name, how, f"Save the input `{own}` itself: ctx.save_for_backward({own})."
            )
    how = f"{said} was computed inside forward, where nothing is recorded: then it is a constant."
    fix = f"Save the inputs alone and compute {said} again in backward, or return it as an output, too."
    return Blame(place, name, how, fix)


def _traced(examination: Examination, by: float) -> tuple[tuple[Call, Trail], Trail]:
    """A run with create_graph, its context as forward left it, and the lines of backward."""
    example = examination.example
    arrays = [
        a + by * xp.ones_like(a) if n in examination.which else a
        for n, a in enumerate(examination.arrays)
    ]
    call, forward = example.run(arrays, trace=True)
    assert forward is not None
    trail = Trail(example.codes.values())
    weights = [w.requires_grad_() for w in given(examination)]
    with trail:
        call.gradients(weights, create_graph=True)
    return (call, forward), trail


def _moves(one: Any, other: Any) -> bool:
    """Is it another value at another place?"""
    if isinstance(one, (tuple, list)) and isinstance(other, (tuple, list)):
        return any(map(_moves, one, other))
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return not same(one._array, other._array)
    if isinstance(one, (float, complex, xp.ndarray)):
        return not same(one, other)
    return False

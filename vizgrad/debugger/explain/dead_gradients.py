"""Parameters that an optimizer steps while each backward brings them a gradient of zeros.

One backward says little: behind a last layer, an adapter or a gate that begins at zero the first gradients
are zero, and a batch may have nothing to learn from. So backwards count that have steps between them. All
is read from the sizes that a watch notes of each backward anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from vizgrad.debugger.explain.cause import Cause, Phrase, cause
from vizgrad.debugger.explain.gradient_size import (
    hook_above,
    is_residual,
    is_zero,
    of_zero,
    zero_factor,
    zeros_above,
)
from vizgrad.debugger.explain.nonfinite import STEPS
from vizgrad.debugger.explain.wording import leaf_name, operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Odd, Run, Visit
from vizgrad.debugger.watch.grad_history import Leaf
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note

#: So many backwards in a row have to have brought zeros: to all parameters, or to some of them. An adapter on
#: a layer that begins at zero has its first gradient that is not zero in the third.
_TO_ALL, _TO_SOME = 3, 5
#: Parameters that are asked why, of one block.
_ASKED = 64
#: Nodes that are saturated, or never have another derivative. Others make zeros for good reasons: of a mask,
#: of an expert that no token went to, of a sequence of one.
_SATURATED = (
    "Clamp", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "Relu", "Sigmoid", "Softshrink", "Tanh",
    "Threshold", *STEPS,
)  # fmt: skip
#: These count as saturated only where the whole loss comes through them.
_CHOOSING = ("Maximum", "Minimum", "Softmax")
#: Products whose derivative by the one operand is the other.
_PRODUCTS = ("Addmm", "Baddbmm", "Bmm", "Convolution", "Linear", "Matmul", "Mm", "Mul", "Mv")


class _Dead(NamedTuple):
    """The backwards in a row, up to its last one, that brought zeros to a leaf; and did some of them bring
    anything else to another one?
    """

    leaf: Leaf
    runs: list[Run]
    others: bool


def all_zero(noting: Noting) -> Iterator[Cause]:
    """A finding for each line that made the zeros."""
    runs = [run for run in noting.runs if run.kind == "backward" and run.leaves]
    alive = {id(run): _brings_something(run) for run in runs}
    found = [dead for leaf in noting.gradients.all() if (dead := _dead(noting, leaf, runs, alive))]
    told: dict[object, tuple[Cause, list[_Dead]]] = {}
    for dead in islice(found, _ASKED):
        because = _why(noting, dead)
        if because is not None and because.site is not None:
            told.setdefault(because.site, (because, []))[1].append(dead)
    for because, those in told.values():
        yield _worded(noting, because, those)


def _brings_something(run: Run) -> bool:
    """Did any leaf get a gradient that is not zero?"""
    return any(
        (visit := run.visits.get(-key)) is None or visit.incoming != 0.0 for key in run.leaves
    )


def _dead(noting: Noting, leaf: Leaf, runs: list[Run], alive: dict[int, bool]) -> _Dead | None:
    tensor = leaf.tensor()
    if leaf.run is None or (tensor is not None and not tensor.requires_grad):
        return None
    held = noting.gradients.optimized.get(leaf.key)
    by_hand = held is None or held() is not tensor
    if by_hand and leaf.stepped_at is None and leaf.used_by is None:
        return None
    zeros: list[Run] = []
    for run in reversed(runs):
        visit = run.visits.get(-leaf.key)
        if leaf.key not in run.leaves or visit is None:
            continue
        if visit.incoming != 0.0:
            break
        zeros.append(run)
        if len(zeros) == leaf.received:
            break  # it was another tensor's before
    others = any(alive[id(run)] for run in zeros)
    # a step lies between two: gradients of several may be added up for one
    apart = len(zeros) if by_hand else len({run.steps for run in zeros})
    return _Dead(leaf, zeros, others) if apart >= (_TO_SOME if others else _TO_ALL) else None


def _why(noting: Noting, dead: _Dead) -> Cause | None:
    """None where the zeros may be right."""
    run, first = dead.runs[0], dead.runs[-1]
    if run.changed and hook_above(run, -dead.leaf.key) is not None:
        return None  # someone wanted it so
    kills, _ = zeros_above(run, -dead.leaf.key)
    if kills and not dead.others and all(is_residual(kill.visit) for kill in kills):
        return _no_difference(noting, dead, kills[0])
    if not kills or not all(_is_dead(run, kill, first, whole=not dead.others) for kill in kills):
        return None
    return of_zero(run, kills[0], leaf_name(noting, dead.leaf))


def _no_difference(noting: Noting, dead: _Dead, kill: Odd) -> Cause | None:
    """The difference that a loss measures is zero everywhere, and was so in the first backward, as it is that
    of a result and itself. A loss that has come to its minimum compares a result with data.
    """
    run = dead.runs[0]
    for root in run.roots:
        key = None if root.site is None else (id(root.site[0]), root.site[1])
        first, last, _ = (
            (1.0, 1.0, 0) if key is None else noting.training.losses.get(key, (1.0, 1.0, 0))
        )
        if first != 0.0 or last != 0.0:
            return None
    note = _note_around(run, kill.visit)
    while note is not None and len(note.parents) == 1:
        note = note.parents[0]
    if note is None or len(note.parents) != 2 or not _are_one(*note.parents):
        return None  # it may be at its minimum
    same = note.parents[0] is note.parents[1]
    site = kill.visit.site
    return cause(
        "zero-derivative", "no-difference", site, source_expressions.assigned(site) or kill.visit.name,
        call=operation(site, kill.visit.name), how=Phrase("with-itself" if same else "of-equals"),
    )  # fmt: skip


def _are_one(one: Note, other: Note) -> bool:
    """Is the one a copy, without its history, of a result that the other is or was computed from? Data that a
    model gives back, as an autoencoder does, is no such result.
    """
    first, second = _source(one), _source(other)
    if not (first.requires and second.requires):
        return False
    return first is second or first in second.ancestors() or second in first.ancestors()


def _source(note: Note) -> Note:
    while note.op in _COPYING and note.parents:
        note = note.parents[0]
    return note


#: Operations that give the same values.
_COPYING = frozenset({"clone", "contiguous", "data", "detach", "reshape", "view"})


def _is_dead(run: Run, kill: Odd, first: Run, *, whole: bool) -> bool:
    """Does the node make zeros whatever comes to it, and will it go on so?"""
    name = kill.visit.name
    if name.startswith(_SATURATED):
        # a single number may be held at its limit, as a temperature is
        return whole or all(size != 1 for _, size, _ in kill.saved.values())
    if whole and name.startswith(_CHOOSING):
        return True
    if not name.startswith(_PRODUCTS):
        return False
    if sum(delivered.size == 0.0 for delivered in kill.visit.out) > 1:
        return True  # each operand is zero, and keeps the other so
    return name.startswith("Mul") and _factor_stays(run, kill, first, whole=whole)


def _factor_stays(run: Run, kill: Odd, first: Run, *, whole: bool) -> bool:
    """Is the factor that is zero the same tensor all the time, which gets no gradient? A plain number may be
    the weight of a term that is to come later: it is none where it makes the whole loss zero.
    """
    note, before = _note_of(run, kill.visit.key), None
    if note is None:
        return whole and is_zero(zero_factor(run, kill))
    if len(note.parents) == 1:
        return whole
    factors = [parent for parent in note.parents if not parent.requires]
    for each in first.roots:
        before = next(
            (one for one in each.tracked() if one.site == note.site and one.op == note.op), before
        )
    return (
        len(factors) == 1
        and before is not None
        and any(factors[0] is one for one in before.parents)
    )


def _note_of(run: Run, key: int) -> Note | None:
    notes = (note for root in run.roots for note in root.tracked())
    return next((note for note in notes if note.node == key), None)


def _note_around(run: Run, visit: Visit) -> Note | None:
    """The note of the operation that recorded a node, which may be one of several that it recorded."""
    notes = [note for root in run.roots for note in root.tracked() if note.site == visit.site]
    later = [note for note in notes if note.node is not None and note.node >= visit.key]
    return min(later, key=lambda note: note.node or 0, default=None)


def _worded(noting: Noting, because: Cause, those: list[_Dead]) -> Cause:
    last = max((dead.runs[0] for dead in those), key=lambda run: run.clock)
    count = min(len(dead.runs) for dead in those)
    every = len(last.leaves)
    row = "all-of-them" if not any(dead.others for dead in those) else "some-of-them"
    whom = Phrase(row, count=len(those), every=every)
    made = cause(
        because.kind, "zero-for-long", because.site, because.tensor,
        because=because, count=count, whom=whom,
        clocks=tuple(run.clock for dead in those[:1] for run in reversed(dead.runs)) if
        len(noting.runs) < (noting.runs.maxlen or 0) else (),
    )  # fmt: skip
    return replace(made, operand=because.operand)

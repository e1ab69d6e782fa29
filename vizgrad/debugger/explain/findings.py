"""All silent problems of a block, worst first: what makes results wrong, then what only costs."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator
from dataclasses import replace

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import (
    dead_gradients,
    function_faults,
    kept_graphs,
    loss_faults,
    optimizer_faults,
    training_faults,
)
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.diagnose import diagnose
from vizgrad.debugger.explain.evidence import Question
from vizgrad.debugger.explain.from_watch import BlockReader
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.watch.note_recorder import Noting

Find = Callable[[Noting], Iterator[Cause]]

#: In the order in which they are told.
_FINDERS: tuple[Find, ...] = (
    function_faults.untracked_writes,
    training_faults.nonfinite,
    training_faults.nonfinite_losses,
    loss_faults.suspects_of_losses,
    loss_faults.constant_terms,
    training_faults.accumulated,
    function_faults.custom_functions,
    function_faults.threads,
    function_faults.not_repeatable,
    optimizer_faults.order,
    optimizer_faults.unused_in_replicas,
    optimizer_faults.shared,
    training_faults.steps_in_vain,
    optimizer_faults.frozen_yet_moved,
    training_faults.without_gradient,
    training_faults.asked_in_vain,
    training_faults.exploding_step,
    dead_gradients.all_zero,
    training_faults.long_steps,
    training_faults.modes,
    optimizer_faults.unheld,
    training_faults.without_optimizer,
    optimizer_faults.never_used,
    optimizer_faults.never_steps,
    optimizer_faults.without_a_rate,
    function_faults.hooks,
    kept_graphs.carried,
    kept_graphs.cycles,
    kept_graphs.lists,
)
#: One of a kind at one line is enough; all together this many.
_MOST = 50


def all_of(noting: Noting) -> list[Explanation]:
    """The faults of a watched block, in words."""
    evidence = BlockReader(noting)
    return [explain(diagnose(question, evidence), linecache) for question in questions(noting)]


def questions(noting: Noting) -> list[Question]:
    """One for each finding: why was this seen?"""
    found: dict[tuple[str, object], Cause] = {}
    for find in _FINDERS:
        for cause in noting.guarded(list, find(noting)) or ():
            where = cause.culprit
            key = (cause.kind, cause.tensor if where is None else (where.file, where.line))
            known = found.get(key)
            if known is not None:  # it happened again
                if known.clocks and known.after == cause.after:
                    found[key] = replace(known, clocks=(*known.clocks, *cause.clocks))
            elif cause and len(found) < _MOST:
                found[key] = cause
    exploded = [each.clocks[0] for each in found.values() if each.case == "step-exploded"]
    explained = {where for kind, where in found if kind == "wrong-call"}
    return [
        Question("finding", cause.tensor, seen=cause)
        for (kind, where), cause in found.items()
        if not (kind == "nonfinite-forward" and where in explained)  # the wrong call is why
        and not (exploded and _began_after(exploded[0], cause))
    ]


def _began_after(step: int, zeros: Cause) -> bool:
    """Have gradients been zero only since a step that blew parameters up? Then that step is why."""
    return zeros.case == "zero-for-long" and bool(zeros.clocks) and min(zeros.clocks) > step

"""All silent problems of a block, worst first: what makes results wrong, then what only costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from vizgrad.core.errors import Explanation
from vizgrad.debugger.explain import function_faults, kept_graphs, loss_faults, training_faults
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase
from vizgrad.debugger.explain.wording import explain
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.rounds import Rounds

Find = Callable[[Noting], Iterator[Cause]]

#: In the order in which they are told.
_FINDERS: tuple[Find, ...] = (
    function_faults.untracked_writes,
    training_faults.nonfinite,
    loss_faults.suspects_of_losses,
    loss_faults.constant_terms,
    training_faults.accumulated,
    function_faults.custom_functions,
    function_faults.threads,
    function_faults.not_repeatable,
    training_faults.steps_in_vain,
    training_faults.without_gradient,
    training_faults.long_steps,
    training_faults.modes,
    training_faults.without_optimizer,
    function_faults.hooks,
    kept_graphs.carried,
    kept_graphs.cycles,
    kept_graphs.lists,
)
#: One of a kind at one line is enough; all together this many.
_MOST = 50


def all_of(noting: Noting) -> list[Explanation]:
    """The faults of a watched block, in words."""
    return [explain(cause) for cause in causes(noting)]


def causes(noting: Noting) -> list[Cause]:
    found: dict[object, Cause] = {}
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
    return [_in_rounds(noting.rounds, cause) for cause in found.values()]


def _in_rounds(rounds: Rounds, cause: Cause) -> Cause:
    """With the rounds in which it happened."""
    known = {rounds.index(clock, after=cause.after) for clock in cause.clocks}
    indices = sorted(index for index in known if index is not None)
    if not indices:
        return cause
    first, last = indices[0], indices[-1]
    when = _one(rounds, first)
    if len(indices) > 1:
        when = _several(rounds, first, last, len(indices))
    number = rounds.number(first)
    return replace(cause, when=when if len(rounds) > 1 else NOTHING, backward=number)


def _several(rounds: Rounds, first: int, last: int, count: int) -> Phrase:
    begins, ends = rounds.rounds(first), rounds.rounds(last)
    if len(begins) == len(ends) == 1 and begins[0].title == ends[0].title:
        number = ends[0].number
        return Phrase("rounds-of-one", first=_one(rounds, first), last=number, count=count)
    return Phrase("rounds", first=_one(rounds, first), last=_one(rounds, last), count=count)


def _one(rounds: Rounds, index: int) -> Phrase:
    known = rounds.rounds(index)
    if not known:
        return Phrase("backward-number", number=rounds.number(index))
    inner = Phrase("round", number=known[0].number, title=known[0].title)
    if len(known) == 1:
        return inner
    outer = Phrase("round", number=known[1].number, title=known[1].title)
    return Phrase("round-within", inner=inner, outer=outer)

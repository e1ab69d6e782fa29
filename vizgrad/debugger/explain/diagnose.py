"""From a question and what is known to its cause: plain data, without a word of it."""

from __future__ import annotations

from dataclasses import replace

from vizgrad.debugger import model
from vizgrad.debugger.explain import (
    graph_values,
    missing_gradients,
    stepped_gradients,
    unexplained,
    watched_errors,
)
from vizgrad.debugger.explain.answers import odd_gradient, odd_value, of_run
from vizgrad.debugger.explain.cause import HEALTHY, NOTHING, Cause, Phrase, cause, given
from vizgrad.debugger.explain.evidence import Evidence, Facts, Question, Raised
from vizgrad.debugger.explain.stepped import Stepped
from vizgrad.debugger.explain.wording import name_of
from vizgrad.debugger.watch.backwards import Delivered, Visit
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.rounds import Rounds

_INF = float("inf")


def diagnose(question: Question, evidence: Evidence) -> Cause:
    """HEALTHY, or a cause that is false, where there is nothing to explain."""
    if question.about in ("node", "banner"):
        return _of_node(question, evidence)
    if question.about == "error":
        return _of_raised(question, evidence)
    if question.about == "finding":
        return _of_finding(question, evidence)
    facts = evidence.facts()
    if facts is None:  # it stands for others
        return HEALTHY
    found = None
    if question.about != "gradient":
        found = _of_value(question, evidence, facts) or unexplained.of_value(facts, question.name)
    if found is None and question.about != "value":
        found = _of_gradient(question, evidence, facts)
        if not found:  # what is not finite is never called healthy
            more = unexplained.of_gradient(
                facts, question.name, evidence.leaf(), evidence.listened()
            )
            found = more or found
    return HEALTHY if found is None else found


def _of_raised(question: Question, evidence: Evidence) -> Cause:
    """An error in a watched block: as a watch tells it, else as it says itself."""
    if question.told is None:
        return HEALTHY
    found = watched_errors.of_error(question.told, question.text, evidence)
    return given(question.told) if found is None else found


# --- a tensor --------------------------------------------------------------------------------------------


def _of_value(question: Question, evidence: Evidence, facts: Facts) -> Cause | None:
    if facts.value.finite:
        return None
    name, note = question.name, evidence.note()
    if note is not None and _wrote(note):
        return odd_value(note, name or name_of(note))
    stored = evidence.stored_by()
    if stored is not None:
        return odd_gradient(stored.run, stored.key, name, evidence.noting())
    if note is not None:
        return odd_value(note, name or name_of(note))
    origin = evidence.origin()
    return None if origin is None else graph_values.of_value(origin, name)


def _of_gradient(question: Question, evidence: Evidence, facts: Facts) -> Cause | None:
    name, grad = question.name, facts.grad
    if grad is None:
        waiting = evidence.waiting()
        if waiting is not None:
            return unexplained.of_waiting(waiting, name)
        found = missing_gradients.of_gradient(evidence, facts, name)
        unknown = evidence.noting() is None and facts.leaf and facts.requires_grad
        return unexplained.of_no_gradient(name) if found is None and unknown else found
    note = None if grad.finite else evidence.note_of_grad()
    if note is not None and _wrote(note):
        return odd_value(note, f"{name}.grad" if name else name_of(note))
    brought = evidence.brought_by()
    if brought is None:
        recorded = evidence.recorded()
        return None if recorded is None else unexplained.of_records(recorded, name)
    if isinstance(brought.run, Stepped):
        return stepped_gradients.of_gradient(brought.run, brought.key, name)
    return of_run(brought.run, brought.key, name, grad.size, evidence.noting())


def _wrote(note: Note) -> bool:
    """Was what is not finite written to a gradient, by an operation that is known, after it was stored?"""
    return not note.finite and note.op not in ("given", "gradient", "grad", "step")


# --- a node ----------------------------------------------------------------------------------------------


def _of_node(question: Question, evidence: Evidence) -> Cause:
    name, run = question.name, evidence.stepped()
    if run is None:
        recorded, waiting = evidence.recorded(), evidence.waiting()
        if recorded is not None:
            return unexplained.of_records(recorded, name)
        return _healthy(Phrase("all-finite"), name) if waiting is None else _waits(evidence, name)
    raised = evidence.raised()
    if raised is not None:
        return replace(_of_error(raised, evidence, name), path=evidence.link())
    visit = run.visits.get(evidence.key())
    if visit is None:
        return _not_run(evidence, name)
    for delivered in _made(visit, question.edge):
        target = run.name(delivered.target)
        found = stepped_gradients.of_gradient(
            run, delivered.target, target, size=delivered.size, at=visit.key
        )
        if found is not None:
            return found
    found = stepped_gradients.of_gradient(run, visit.key, name)
    if found is not None:
        return found
    size = visit.incoming
    came = Phrase("is-of-size", size=float(size)) if size else Phrase("is-zero")
    return _healthy(came, name)


def _made(visit: Visit, edge: int | None) -> list[Delivered]:
    """The gradients that a node made itself of a finite one: that of the edge in question first, then what
    is not finite, then what is 0 and was not.
    """
    if not visit.incoming < _INF:
        return []
    made = sorted(visit.out, key=lambda each: (each.edge != edge, each.size < _INF))
    return [each for each in made if not each.size < _INF or (each.size == 0.0 < visit.incoming)]


def _of_error(raised: Raised, evidence: Evidence, name: str) -> Cause:
    if raised.told is not None:
        return given(raised.told)
    return cause(
        "internal", "raised", None, name,
        node=evidence.kind(), error=raised.kind, message=raised.text,
    )  # fmt: skip


def _not_run(evidence: Evidence, name: str) -> Cause:
    stale = evidence.stale()
    if stale is not None:
        return replace(_stale(evidence.kind(), stale), path=evidence.link())
    origin = evidence.origin()
    if origin is not None:
        return graph_values.of_origin(origin, name)
    if evidence.skipped():
        return _healthy(Phrase("skipped"), name)
    if evidence.waiting() is not None:
        return _waits(evidence, name)
    return _healthy(Phrase("not-run"), name)


def _waits(evidence: Evidence, name: str) -> Cause:
    waiting = evidence.waiting()
    return HEALTHY if waiting is None else unexplained.of_waiting(waiting, name)


def _healthy(what: Phrase, name: str) -> Cause:
    return cause("healthy", "node-healthy", None, name, what=what)


def _stale(node: str, saved: model.Saved) -> Cause:
    """It will raise: said before it does."""
    write = saved.culprit
    name = saved.name if write is None or not write.alias else write.alias
    return cause(
        "saved-overwritten", "saved-overwritten", None if write is None else write.place, name,
        node=node, saved=saved.name, before=saved.version_saved, now=saved.version_now,
        by=None if write is None else Phrase("write", op=write.op, at=write.place),
    )  # fmt: skip


# --- a finding ------------------------------------------------------------------------------------------


def _of_finding(question: Question, evidence: Evidence) -> Cause:
    """The cause that a finder saw, with the rounds of the loop in which it did."""
    noting, seen = evidence.noting(), question.seen
    if seen is None or noting is None:
        return seen or HEALTHY
    return _in_rounds(noting.rounds, seen)


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

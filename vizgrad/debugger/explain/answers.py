"""The fault of a gradient or a value, and the shortest way from there to its origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from vizgrad.core.errors import Link, Place, place_of
from vizgrad.debugger.explain import gradient_size, hook_faults, nonfinite
from vizgrad.debugger.explain.cause import Cause
from vizgrad.debugger.explain.wording import THE_LOSS, is_node, name_of
from vizgrad.debugger.watch.backwards import Odd, Run, Visit
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note

# --- chains ----------------------------------------------------------------------------------------------
# The way from what was seen to what it comes from, the shortest there is.


def way(start: int, goal: int, following: Callable[[int], Iterable[int]]) -> list[int]:
    """Numbers from `start` to `goal`, each following the one before; empty if none leads there."""
    before: dict[int, int] = {start: start}
    todo = [start]
    for each in todo:
        if each == goal:
            break
        for after in following(each):
            if after not in before:
                before[after] = each
                todo.append(after)
    if goal not in before:
        return []
    found = [goal]
    while found[-1] != start:
        found.append(before[found[-1]])
    found.reverse()
    return found


def of_value(note: Note, found: Cause, name: str) -> tuple[Link, ...]:
    """From a value to the first on the way to it that the explanation is about."""
    notes: dict[int, Note] = {}
    goal: int | None = None
    for each in note.ancestors():
        notes[id(each)] = each
        if each is note.born or (goal is None and _is_at(each, found.culprit)):
            goal = id(each)
        if each is note.born:
            break
    if goal is None:
        return ()
    keys = way(id(note), goal, lambda key: _parents(notes, key))
    said: list[Link] = []
    taker: Note | None = None
    for key in keys:
        each, called = notes[key], name if key == id(note) else ""
        if taker is not None and each.site is None:
            called = nonfinite.taken_as(each, taker)
        taker, link = each, _of_note(each, called)
        if not said or (said[-1].text, said[-1].place) != (link.text, link.place):
            said.append(link)  # several operations of one expression are one thing to a person
    return tuple(said)


def _parents(notes: dict[int, Note], key: int) -> Iterable[int]:
    return [id(parent) for parent in notes[key].parents if id(parent) in notes]


def _of_note(note: Note, name: str) -> Link:
    return Link(name or name_of(note), place_of(note.site), note.node)


def of_gradient(
    run: Run, key: int, found: Cause, name: str, birth: Visit | None = None
) -> tuple[Link, ...]:
    """From a gradient to the node of the run that the explanation is about: `birth`, at its line."""
    return links(run, keys_of_gradient(run, key, found, birth), name)


def keys_of_gradient(run: Run, key: int, found: Cause, birth: Visit | None = None) -> list[int]:
    """The numbers of the nodes on the way, the symptom first; empty where it is not known."""
    odd = [each.visit for each in (*run.births, *run.kills)]
    first = () if birth is None else (birth,)
    for visit in (*first, *odd, *run.visits.values()):
        if _is_at(visit, found.culprit):
            keys = way(visit.key, key, lambda each: _targets(run, each))
            if keys:
                return keys[::-1]
    return []


def links(run: Run, keys: Iterable[int], name: str) -> tuple[Link, ...]:
    """`name` is what a person calls the tensor whose gradient is the first."""
    said: list[Link] = []
    for nr, key in enumerate(keys):
        visit = run.visits.get(key)
        text = f"{name}.grad" if nr == 0 and name else "" if visit is None else visit.name
        place = None if visit is None else place_of(visit.site)
        said.append(Link(text or "a node", place, key if key >= 0 else None))
    return tuple(said)


def _targets(run: Run, key: int) -> list[int]:
    visit = run.visits.get(key)
    return [] if visit is None else [delivered.target for delivered in visit.out]


def _is_at(what: Note | Visit, place: Place | None) -> bool:
    """Is it of that line? Asked of many: the line alone first."""
    site = what.site
    if place is None or site is None or site.file != place.file:
        return False
    return place_of(site) == place


# --- answers ---------------------------------------------------------------------------------------------
# The fault of a gradient that a run made, or of a value, and the way to its origin.


def of_run(
    run: Run, key: int, name: str, size: float, noting: Noting | None = None
) -> Cause | None:
    """The cause of a gradient of this size in a run."""
    if not size < float("inf"):
        return odd_gradient(run, key, name, noting)
    found = (
        gradient_size.why_zero(run, key, name, noting)
        if size == 0.0
        else gradient_size.why_scaled(run, key, name)
    )
    return _along(run, key, found, name)


def odd_value(note: Note, name: str) -> Cause | None:
    found = nonfinite.of_value(note, name)
    return found and replace(
        found, path=of_value(note, found, name), near=found.near or (note.born or note).near
    )


def odd_gradient(
    run: Run, key: int, name: str, noting: Noting | None = None, at: int | None = None
) -> Cause | None:
    """A gradient that is not finite: the forward pass made it so, or a derivative: that of node `at`, if that
    is known.
    """
    birth = nonfinite.first_birth(run, key, at)
    note = _of_forward(run, birth, asked=at is not None)
    if note is not None and (found := odd_value(note, _called(run, note))) is not None:
        return replace(found, path=(_asked_of(run, key, name), *found.path))
    earlier = () if noting is None else [each for each in reversed(noting.runs) if each is not run]
    for each in (run, *earlier):  # or what an earlier backward left there
        found = nonfinite.of_gradient(each, key, name, at)
        if found is not None:
            birth = nonfinite.first_birth(each, key, at)
            return _along(each, key, found, name, None if birth is None else birth.visit)
        found = hook_faults.nonfinite(each, key, name, noting)
        if found is not None:
            return found
    return None


def _asked_of(run: Run, key: int, name: str) -> Link:
    """The node that was asked about, or the gradient of a tensor."""
    if key >= 0 and is_node(name):
        visit = run.visits.get(key)
        return Link(name, None if visit is None else place_of(visit.site), key)
    return Link(f"{name}.grad" if name else ".grad")


def _called(run: Run, note: Note) -> str:
    if note in run.roots:
        return name_of(note, THE_LOSS)
    return name_of(note, "" if note.site is not None else _taken_as(run.roots, note))


def _taken_as(roots: Iterable[Note], note: Note) -> str:
    """The name of a value that came from outside, where an operation took it."""
    takers = (each for root in roots for each in root.ancestors() if note in each.parents)
    taker = next(takers, None)
    return "" if taker is None else nonfinite.taken_as(note, taker)


def _of_forward(run: Run, birth: Odd | None, *, asked: bool) -> Note | None:
    """The value that was not finite before this backward, and made the gradient so; None if none did.
    `asked`: the question is of the derivative of `birth` itself, and not of the result of its operation.

    Another value that is not finite, in another branch of the loss, is another bug.
    """
    odd = [root for root in run.roots if not root.finite]
    if birth is None or not odd:
        return odd[0] if odd else None
    note = nonfinite.note_of(run, birth.visit.key)
    if note is None:
        return odd[0]
    met = [each for each in note.parents if not each.finite]
    if not asked and not note.finite:
        met.append(note)
    begun = [each.born or each for each in met]
    same = (root for root in odd if (root.born or root) in begun)
    return next(same, met[0] if met else None)


def _along(
    run: Run, key: int, found: Cause | None, name: str, birth: Visit | None = None
) -> Cause | None:
    near = None if found is None or birth is None else run.near.get(birth.key)
    return found and replace(
        found, path=of_gradient(run, key, found, name, birth), near=found.near or near
    )

"""Why there is no gradient: where the way from the tensor to the loss was cut."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import NOTHING, Cause, Phrase, cause
from vizgrad.debugger.explain.evidence import Evidence, Facts
from vizgrad.debugger.explain.number_flow import flows
from vizgrad.debugger.explain.wording import (
    AN_OPERAND,
    IT,
    ITSELF,
    RESULT_OF_LINE,
    THE_LOSS,
    THE_PARAMETER,
    THE_VALUE,
    Words,
    call,
    call_of,
    name_of,
    operand_of,
)
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.backwards import Run
from vizgrad.debugger.watch.grad_history import Leaf, Switched
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import MOST, Event, Note

#: They give places.
_CHOOSING = ("arg", "sort", "topk", "max", "min", "nonzero", "searchsorted", "bucketize")


def of_gradient(evidence: Evidence, facts: Facts, name: str) -> Cause | None:
    """There is no `.grad`: why; None if that is as it should be, or not known."""
    noting, note, leaf = evidence.noting(), evidence.note(), evidence.leaf()
    if not facts.requires_grad:
        if facts.parameter:
            return _frozen(evidence, name)
        return None if note is None else of_cut(note, name)
    if not facts.leaf:
        return _not_a_leaf(noting, facts, note, name)
    if noting is None or (note is None and leaf is None):
        if noting is not None and any(run.kind == "backward" for run in noting.runs):
            return not_used(noting, None, name)
        return None
    return of_leaf(noting, leaf, note, name) or _of_losses(evidence.losses() or (), note, name)


def _of_losses(losses: tuple[Note, ...], note: Note | None, name: str) -> Cause | None:
    """The way to one of these was cut: what does not lead there at all may belong to another loss."""
    if note is None:
        return None
    found = (of_way(root, note, name) for root in losses)
    return next((each for each in found if each is not None), None)


def _frozen(evidence: Evidence, name: str) -> Cause:
    """A parameter that wants no gradient, which is no fault: where that was said, if it was heard."""
    at = evidence.frozen_at()
    return cause(
        "healthy", "frozen", at, name,
        name=name or THE_PARAMETER,
        since=NOTHING if at is None else Phrase("since-line", at=at),
    )  # fmt: skip


def too_late(noting: Noting, root: Note, name: str) -> Cause | None:
    """A loss has no history: does a tensor that it was computed from require grad only since then?"""
    for note in root.ancestors():
        for parent in note.parents:
            tensor = parent.tensor()
            if parent.requires or parent.parents or tensor is None:
                continue
            if tensor.is_leaf and tensor.requires_grad:
                shown = source_expressions.assigned(parent.site) or source_expressions.variable(
                    note.site
                )
                return _late(noting, tensor, note, shown, Phrase("no-history", name=name))
    return None


def _late(noting: Noting, leaf: Any, first: Note, name: str, ends: Phrase) -> Cause:
    """`first` was the first to be computed from a leaf, which required grad only later. Where that was within
    a model, the line to edit is the one that said so, if it was heard.
    """
    told = noting.gradients.switched_on(leaf)
    since = None if told is None or told.on < first.clock else told
    if since is not None and since.off and since.off < first.clock:
        return _off_meanwhile(noting, since, first, name, ends)
    at = None if since is None else since.site
    within = at is None or first.site is None or at.code is first.site.code
    return cause(
        "grad-mode", "requires-too-late", first.site if within else at, name,
        name=name or AN_OPERAND, call=call(first), ends=ends,
        later=NOTHING if at is None else Phrase("only-since", at=at), at=first.site,
    )  # fmt: skip


def _off_meanwhile(noting: Noting, since: Switched, first: Note, name: str, ends: Phrase) -> Cause:
    """Leaves did not require grad while a loss was computed, and do so before and after."""
    count = sum(
        each.off < first.clock < each.on and each.off_at == since.off_at
        for each in noting.gradients.all_switched_on()
    )
    return cause(
        "grad-mode", "off-meanwhile", since.off_at, name,
        count=count, ends=ends, off=since.off_at, on=since.site, call=call(first), at=first.site,
    )  # fmt: skip


def all_frozen(noting: Noting, root: Note, name: str) -> Cause | None:
    """A loss has no history: was it computed from parameters none of which requires grad?"""
    for since in noting.gradients.all_switched_on():
        if since.off and since.off < root.clock < since.on:
            return _off_meanwhile(noting, since, root, name, Phrase("no-history", name=name))
    frozen: dict[int, Site | None] = {}
    for note in root.ancestors():
        for parent in note.parents:
            tensor = parent.tensor()
            if type(tensor).__name__ == "Parameter" and not parent.parents:
                frozen[id(tensor)] = noting.gradients.frozen_at(tensor)
    if not frozen:
        return None
    at = next((site for site in reversed(frozen.values()) if site is not None), None)
    return cause(
        "cut-detach", "all-frozen", at, name,
        name=name, count=len(frozen), since=NOTHING if at is None else Phrase("since-line", at=at),
    )  # fmt: skip


def of_leaf(noting: Noting, leaf: Leaf | None, note: Note | None, name: str) -> Cause | None:
    """The same of a leaf of which something is known; `note` is that of its value."""
    runs = _runs_after_use(noting, leaf)
    if not runs or (leaf is not None and any(leaf.key in run.leaves for run in runs)):
        return None  # it had one, and was cleared
    for run in runs:
        for root in run.roots:
            found = _way(root, note) if note is not None else None
            if found is not None:
                cut = _cut_on(found, name)
                if cut is None and len(found) > 1 and not found[0].requires:
                    leaf_itself = note.tensor() if note is not None else None
                    ends = Phrase("way-ends", name=name)
                    cut = _late(noting, leaf_itself, found[1], name, ends)
                return cut or not_used(noting, leaf, name)
    within = _within_function(runs, leaf, name)
    if within is not None:
        return within
    for run in runs:
        for root in run.roots:
            explained = _through_numbers(noting, root, note, name)
            if explained is not None:
                return explained
    return not_used(noting, leaf, name)


def _within_function(runs: list[Run], leaf: Leaf | None, name: str) -> Cause | None:
    """Was a leaf used first by the code of a custom Function, whose operand it is not?"""
    if leaf is None or not leaf.used_at:
        return None
    for run in runs:
        for root in run.roots:
            for note in root.ancestors():
                if note.began and note.began < leaf.used_at <= note.clock:
                    case = "no-operand" if note.requires else "unrecorded-function"
                    return cause(
                        "cut-detach", case, note.site, name, name=name, call=call(note),
                        ends=Phrase("way-ends", name=name),
                    )  # fmt: skip
    return None


def _runs_after_use(noting: Noting, leaf: Leaf | None) -> list[Run]:
    """Backwards that might have reached a leaf, the last first: none if it was used only later."""
    runs = [run for run in reversed(noting.runs) if run.kind == "backward" and run.roots]
    used_at = 0 if leaf is None else leaf.used_at
    return runs if any(run.clock > used_at for run in runs) else []


def of_cut(note: Note, name: str) -> Cause | None:
    """A tensor does not require grad: where its history was lost; None if it never had one."""
    for each in note.ancestors():
        if each.cut and each.cut != "create_graph":
            return _cut(each, name, from_loss=True)
    return None


def of_way(root: Note, goal: Note, name: str) -> Cause | None:
    """The way from `goal` to `root` was cut: where; None if there is none, or no cut on it."""
    way = _way(root, goal)
    return None if way is None else _cut_on(way, name)


def _way(root: Note, goal: Note) -> list[Note] | None:
    """Notes from `goal` to `root`, one made of the other; the way with the fewest cuts."""
    child: dict[int, Note | None] = {id(root): None}
    late: list[Note] = []
    todo = [root]
    while todo or late:
        if not todo:
            todo, late = late, []
        note = todo.pop(0)
        if note is goal:
            way = [note]
            following = child[id(note)]
            while following is not None:
                way.append(following)
                following = child[id(following)]
            return way
        if len(child) > MOST:
            return None
        for parent in note.parents:
            if id(parent) not in child:
                child[id(parent)] = note
                (late if _ends(parent, note) else todo).append(parent)
    return None


def _cut_on(way: list[Note], name: str) -> Cause | None:
    for before, after in pairwise(way):
        if _ends(before, after):
            return _cut(after, name)
    return None


def _ends(before: Note, after: Note) -> bool:
    """Had the operand a history, and its result has none, or begins another, as a new leaf?"""
    return before.requires and (not after.requires or bool(after.cut))


def _cut(note: Note, name: str, *, from_loss: bool = False) -> Cause:
    """One cut, seen from a leaf that misses its gradient, or from a loss without history."""
    site = note.site
    shown = source_expressions.variable(site) or name_of(note, name)
    ends = Phrase("no-history" if from_loss else "way-ends", name=name)
    op = note.op.strip("_")
    if note.cut == "dtype":
        chosen = note.op.startswith(_CHOOSING)
        return cause(
            "cut-dtype", "choice" if chosen else "not-differentiable", site, name_of(note, shown),
            call=call(note), ends=ends, op=note.op, type=_type(note), dtype=_dtype(note),
        )  # fmt: skip
    if note.cut in ("no_grad", "inference"):
        if note.cut == "no_grad" and source_expressions.alone(note.off):
            return cause(
                "grad-mode", "switched-off", note.off, name,
                call=call(note), ends=ends, off=note.off, at=site,
            )  # fmt: skip
        mode = "no_grad" if note.cut == "no_grad" else "inference_mode"
        if note.called_off is not None:
            found = cause(
                "grad-mode", "module-without-grad", note.called_off, name,
                call=call_of(note.called_off, "a module"), within=call(note), made=site, ends=ends, mode=mode,
            )  # fmt: skip
        else:
            found = cause(
                "grad-mode", "grad-mode", site, name, call=call(note), ends=ends, mode=mode
            )
        return replace(found, near=note.near)
    if note.cut == "create_graph":
        return cause("second-order-cut", "gradient-without-history", site, name_of(note, shown))
    if note.requires:
        inner = source_expressions.variable(site)
        values = Phrase("values-of", name=inner) if inner else Phrase("values")
        return cause(
            "cut-detach", "new-leaf", site, shown,
            call=call(note), ends=ends, values=values, itself=inner or ITSELF,
        )  # fmt: skip
    if note.cut == "copied":
        of = source_expressions.arguments(site)
        one = len(note.parents) == 1 and len(of) >= 1 and of[-1].isidentifier()
        return cause(
            "cut-detach", "copied", site, shown,
            fix="copied-one" if one else "copied-several",
            call=call(note), ends=ends, of=of[-1] if one else "",
        )  # fmt: skip
    if note.cut == "step":
        return cause("cut-detach", "no-derivative", site, shown, call=call(note), ends=ends, op=op)
    word = "detach()" if note.cut == "detach" else ".data"
    return cause("cut-detach", "detached", site, shown, call=call(note), ends=ends, cut=word)


def _type(note: Note) -> Phrase:
    return Phrase("booleans" if note.dtype.kind == "b" else "integers")


def _dtype(note: Note) -> Phrase:
    return Phrase("bool-dtype" if note.dtype.kind == "b" else "integer-dtype")


def _not_a_leaf(noting: Noting | None, facts: Facts, note: Note | None, name: str) -> Cause | None:
    if facts.retains_grad and noting is not None:
        return None
    if noting is not None:
        runs = [run for run in noting.runs if run.kind == "backward"]
        if not runs or (note is not None and any(note in run.roots for run in runs)):
            return None
    made = facts.made
    if made is None:
        return None
    site = made.site
    if note is None and facts.single:  # of a loss its value is meant
        shown = NOTHING if facts.number is None else Phrase("value", value=facts.number)
        return cause("healthy", "result-finite", None, "", shown=name or THE_VALUE, value=shown)
    mine = name or source_expressions.assigned(site)
    text = source_expressions.text_of(site)
    return cause(
        "not-a-leaf", "not-a-leaf", site, mine,
        shown=mine or IT, it=mine or Words("it"), mine=mine or "the tensor",
        call=text if text and len(text) <= 60 else Words(made.name),
    )  # fmt: skip


def _through_numbers(noting: Noting, root: Note, goal: Note | None, name: str) -> Cause | None:
    """The way led through Python numbers or numpy."""
    if goal is None:
        return None
    made = _made_of_numbers(root)
    for leak in reversed(noting.leaks):
        if leak.note is None:
            continue
        way = _way(leak.note, goal)
        if way is None:
            continue
        for note in made:
            if note.clock > leak.clock and flows(leak.site, note.site):
                if (cut := _cut_on(way, name)) is not None and cut.kind != "cut-detach":
                    return cut
                return _by_numbers(leak, leak.note, note, name)
    return None


def _made_of_numbers(root: Note) -> list[Note]:
    """The first that went on with numbers comes first: those after it may have numbers of their own."""
    return sorted((note for note in root.ancestors() if note.constant), key=lambda note: note.clock)


def of_numbers(noting: Noting, root: Note, name: str) -> Cause | None:
    """A loss has no history: was it made of numbers that came out of tensors with one?"""
    made = _made_of_numbers(root)
    for leak in reversed(noting.leaks):
        if leak.note is None or not any(note.requires for note in leak.note.ancestors()):
            continue
        for note in made:
            if note.clock > leak.clock and flows(leak.site, note.site):
                found = None if leak.note.requires else of_cut(leak.note, name)
                return found or _by_numbers(leak, leak.note, note, name, from_loss=True)
    return None


def _by_numbers(
    leak: Event, source: Note, note: Note, name: str, *, from_loss: bool = False
) -> Cause:
    if source.site is None:
        shown = operand_of(source, name)
    elif source_expressions.statement_of(source.site) == source_expressions.statement_of(leak.site):
        # the statement's name is that of the numbers
        shown = source_expressions.operand(leak.site) or source.op
    else:
        shown = name_of(source)
    return cause(
        "cut-detach", "numbers", leak.site, shown,
        by=f"{leak.op.strip('_')}()", source=shown, call=call(note), again=note.site,
        ends=Phrase("no-history" if from_loss else "way-ends", name=name),
    )  # fmt: skip


def not_used(noting: Noting, leaf: Leaf | None, name: str) -> Cause:
    sites = list(leaf.uses.values()) if leaf is not None else []
    roots = [root for run in noting.runs for root in run.roots]
    loss = name_of(roots[-1], THE_LOSS) if roots else THE_LOSS
    if not sites:
        return cause("unused", "not-used", None, name, name=name, loss=loss)
    result = source_expressions.assigned(sites[-1])
    return cause(
        "unused", "used-in-vain", sites[-1], name,
        name=name, loss=loss, feed=result or RESULT_OF_LINE,
        result=Phrase("result-called", result=result) if result else NOTHING,
    )  # fmt: skip

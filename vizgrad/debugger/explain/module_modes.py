"""Layers that ran in the mode that was not meant: dropout and batch norm."""

from __future__ import annotations

from collections.abc import Iterator

from vizgrad.core.tensor.source_location import Site
from vizgrad.debugger.explain.cause import Cause, Phrase, cause
from vizgrad.debugger.explain.wording import operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.layer_modes import Call
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note


def find(noting: Noting) -> Iterator[Cause]:
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
            continue  # somebody switches between the two on purpose
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
    """What a person gave to the model, as far as first operands tell."""
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

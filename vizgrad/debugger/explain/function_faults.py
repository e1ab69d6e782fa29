"""Faults of custom Functions, hooks, writes past the version counter, and checkpointed functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from vizgrad.core.tensor.source_location import written_name
from vizgrad.debugger.explain.cause import Cause, Phrase, cause
from vizgrad.debugger.explain.wording import A_WRITE, THE_TENSOR, line_place, operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.functions import Difference, kept_at
from vizgrad.debugger.watch.note_recorder import Event, Noting
from vizgrad.debugger.watch.untracked_memory import HiddenWrite

# --- custom functions ------------------------------------------------------------------------------------
# Faults of custom Functions within a watch that show without examples: `vizgrad.check` finds the rest.


def custom_functions(noting: Noting) -> Iterator[Cause]:
    for kind, cls, name, site in noting.habits.functions:
        if kind == "reference-cycle":
            place, value = kept_at(cls, name)
            yield cause(
                kind, "ctx-holds-its-output", place, value or name,
                function=cls.__name__, attribute=name, name=value or name,
            )  # fmt: skip
        else:
            value = written_name(site)
            yield cause(kind, "dirty-input", site, value, function=cls.__name__, name=value)


def threads(noting: Noting) -> Iterator[Cause]:
    """Grad mode belongs to a thread."""
    for site in noting.habits.strays[:1]:
        yield cause("grad-mode", "other-thread", site, "")


# --- hook effects ----------------------------------------------------------------------------------------
# Hooks that were shown, or made, another gradient than meant.


def hooks(noting: Noting) -> Iterator[Cause]:
    for event in noting.hooks:
        found = _rewritten(noting, event) or _cycle(event)
        if found is not None:
            yield found
    for run in noting.runs:
        for site, name in run.edited:
            yield cause(
                "hook-effect", "hook-edits", site, name or "grad", clocks=noting.clocks_of(run)
            )


def _rewritten(noting: Noting, event: Event) -> Cause | None:
    """The tensor was written in place after the hook was registered on its old value, and the hook ran."""
    note, written = event.note, event.rewritten
    if note is None or note.node is None or written is None:
        return None
    if not any(note.node in run.visits for run in noting.runs):
        return None  # it was never called
    name = source_expressions.variable(event.site) or THE_TENSOR
    return cause(
        "hook-effect", "hook-before-write", event.site, name,
        name=name, written=written, write=operation(written, A_WRITE),
    )  # fmt: skip


def _cycle(event: Event) -> Cause | None:
    """The hook holds the tensor that holds the hook."""
    if event.note is None or event.note.node is None or not event.held:
        return None
    name = source_expressions.variable(event.site) or THE_TENSOR
    return cause("reference-cycle", "hook-holds-its-tensor", event.site, name, name=name)


# --- untracked writes ------------------------------------------------------------------------------------
# Writes past the version counter to what a backward then read.


#: They make a tensor over memory that is not vizgrad's: their operand is no tensor.
_OF_FOREIGN = ("from_numpy", "as_tensor", "asarray", "frombuffer", "from_dlpack")


def untracked_writes(noting: Noting) -> Iterator[Cause]:
    for run in noting.runs:
        for visit, _, write in run.hidden:
            reader = Phrase("reader", call=operation(visit.site, visit.name), at=visit.site)
            yield replace(_of_write(write, reader), clocks=noting.clocks_of(run))


def _of_write(write: HiddenWrite, reader: Phrase) -> Cause:
    if write.through == "assigned":
        name = source_expressions.assigned(write.site).removesuffix(".data") or "x"
        return cause("hidden-write", "data-replaced", write.site, name, name=name, reader=reader)
    if write.through == "data":
        target = written_name(write.site).removesuffix(".data")
        name = target or source_expressions.variable(write.lent_at)
        return cause(
            "hidden-write", "written-through-data", write.site, name, name=name, reader=reader
        )
    lent = write.lent_at
    name = source_expressions.variable(lent) or source_expressions.assigned(lent) or "x"
    place = line_place(write.line)
    where = Phrase("after-line", at=lent) if place is None else Phrase("on-line", at=place)
    foreign = source_expressions.called(lent) in _OF_FOREIGN
    return cause(
        "hidden-write", "written-by-numpy", place, name,
        fix="copy-foreign" if foreign else "copy-own", name=name, lent=lent, where=where, reader=reader,
    )  # fmt: skip


# --- not repeatable --------------------------------------------------------------------------------------
# Functions whose second run, within a backward, computed something else than the first.


#: Beginnings of names of operations that draw.
_DRAWING = ("rand", "dropout", "bernoulli", "normal", "multinomial")


def not_repeatable(noting: Noting) -> Iterator[Cause]:
    yield from map(of_difference, noting.repeats.differences[:3])


def of_difference(difference: Difference) -> Cause:
    result = difference.result
    site = result.site
    name = source_expressions.assigned(site) or source_expressions.variable(site) or result.op
    text = source_expressions.text_of(site) or result.op
    where = site or difference.function
    if not difference.computed:
        case, fix = "other-operations", ""
    else:
        case = "other-result"
        fix = "random-state" if result.op.startswith(_DRAWING) else "arguments-alone"
    return cause("not-repeatable", case, where, name, fix=fix, call=text, op=result.op, at=site)

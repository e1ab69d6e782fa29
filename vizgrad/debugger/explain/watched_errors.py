"""Facts that a watch adds to an error besides the place where it was raised."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vizgrad.core.errors import Explanation, is_library
from vizgrad.debugger.engines.common.variable_names import names_around
from vizgrad.debugger.explain import function_faults, loss_faults, missing_gradients
from vizgrad.debugger.explain.cause import Cause, cause
from vizgrad.debugger.explain.evidence import Evidence
from vizgrad.debugger.explain.wording import AN_OPERATION, THE_LOSS, name_of, operation
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.note_recorder import Noting
from vizgrad.debugger.watch.notes import Note
from vizgrad.debugger.watch.tensor_adapter import Look, tensors_in


def of_error(told: Explanation, text: str, evidence: Evidence) -> Cause | None:
    """The cause of an error with this text, where a watch knows more of it than it says itself (`told`)."""
    noting = evidence.noting()
    return None if noting is None else _Error(noting).better(told, evidence.handed(), text)


class _Error:
    def __init__(self, noting: Noting) -> None:
        self._noting = noting

    def better(self, known: Explanation, args: tuple[Any, ...], error: str) -> Cause | None:
        look = self._noting.look
        roots = [self._noting.note_of(each) for each in tensors_in(args, look)]
        if known.kind == "cut-detach" and roots:
            return self._cut(roots[0])
        if known.kind == "graph-freed" and roots:
            return self._freed(known, roots)
        if known.kind == "unused" and len(args) > 1:
            return self._unused(error, *args[:2])
        if known.kind == "not-repeatable" and (parted := self._noting.repeats.differences):
            return function_faults.of_difference(parted[-1])
        if known.kind == "saved-overwritten":
            return self._stepped(known, roots)
        if known.kind == "grad-mode":
            return self._inference(roots)
        return None

    def _unused(self, error: str, outputs: Any, inputs: Any) -> Cause | None:
        """Which of the inputs of `grad` was it, and where was it used last?"""
        number = error.partition("(input ")[2].partition(")")[0]
        wanted = [inputs] if self._noting.look.knows(inputs) else list(inputs)
        made = [self._noting.note_of(each) for each in tensors_in((outputs,), self._noting.look)]
        if number.isdigit():
            wanted = wanted[int(number) :]
        else:  # not every engine says which
            used = {id(note) for root in made for note in root.tracked()}
            wanted = [each for each in wanted if id(self._noting.note_of(each)) not in used]
        if not wanted:
            return None
        tensor = wanted[0]
        note = self._noting.note_of(tensor)
        leaf = self._noting.gradients.known(tensor)
        for root in made:
            found = missing_gradients.of_way(root, note, name_of(note, f"input {number}".strip()))
            if found is not None:
                return found
        if leaf is None or not leaf.uses:
            return None
        return missing_gradients.not_used(
            self._noting, leaf, name_of(note, f"input {number}".strip())
        )

    def _cut(self, root: Note) -> Cause | None:
        """The loss has no history: where was it lost?"""
        if root.requires:
            return None
        for note in root.ancestors():
            if note.op == "grad" and note.cut == "create_graph":
                return loss_faults.without_history(self._noting, note, root)
        name = name_of(root, THE_LOSS)
        return (
            missing_gradients.of_cut(root, name)
            or missing_gradients.of_numbers(self._noting, root, name)
            or missing_gradients.too_late(self._noting, root, name)
            or missing_gradients.all_frozen(self._noting, root, name)
        )

    def _freed(self, known: Explanation, roots: list[Note]) -> Cause | None:
        """Has this step gone on from a value of the step before?"""
        runs = [run for run in self._noting.runs if run.ended]
        if not runs:
            return None
        freed = runs[-1].ended
        for note in (each for root in roots for each in root.tracked()):
            if note.clock < freed:
                continue
            for parent in note.parents:
                if (
                    parent.requires
                    and parent.node is not None
                    and parent.clock < freed
                    and parent.site
                ):
                    now = self._noting.runs[-1]
                    again = now.ended > 0 or now.site is None or now.site == runs[-1].site
                    return _carried(parent, note, runs[-1].site, self._noting.look, again=again)
        return None

    def _stepped(self, known: Explanation, roots: list[Note]) -> Cause | None:
        """An optimizer wrote: the person's line is a call of step(), which cannot be written out of place."""
        place = known.culprit
        if place is None or ".step(" not in place.text:
            return None
        name, look = known.tensor, self._noting.look
        for note in (each for root in roots for each in root.tracked()):
            tensor = note.tensor()
            if note.node is None and tensor is not None and look.rewritten(tensor, note.clock):
                name = name_of(note, name)
                break
        return cause(
            "saved-overwritten", "step-overwrote", place, name,
            known=known.story.rpartition("; ")[0], name=name,
        )  # fmt: skip

    def _inference(self, roots: list[Note]) -> Cause | None:
        for note in (each for root in roots for each in root.ancestors()):
            tensor = note.tensor()
            if tensor is not None and tensor.is_inference() and note.site is not None:
                cut = next((each for each in note.ancestors() if each.cut == "inference"), note)
                called = cut.called_off  # by the user's own code, or by a library's
                site = note.site if called is None or is_library(called.file) else called
                name = source_expressions.variable(roots[0].site) or source_expressions.assigned(
                    note.site
                )
                found = cause(
                    "grad-mode", "inference-tensor", site, name,
                    call=operation(site, AN_OPERATION),
                )  # fmt: skip
                return replace(found, near=cut.near)
        return None


def _carried(old: Note, new: Note, earlier: Any, look: Look, *, again: bool) -> Cause:
    """`again`: is it the same line that called backward before, as in a loop?"""
    before, after = source_expressions.assigned(old.site), source_expressions.assigned(new.site)
    same = old.site == new.site or before == after
    name = before or source_expressions.variable(new.site) or old.op
    if not same and not again and earlier is not None:
        return cause(
            "graph-freed", "released-too-early", earlier, name,
            name=name, made=old.site, again=new.site,
        )  # fmt: skip
    several = _holds_several(name, look)
    return cause(
        "history-kept" if same else "graph-freed", "carried-over" if same else "used-after-release",
        old.site, name, fix="cut-each-of-several" if several else "",
        name=name, freed=earlier, again=new.site,
    )  # fmt: skip


def _holds_several(name: str, look: Look) -> bool:
    """Is the variable a list or a tuple of tensors, as far as it is known now?"""
    return any(each.startswith(f"{name}[") for each in names_around(kinds=look.kinds).values())

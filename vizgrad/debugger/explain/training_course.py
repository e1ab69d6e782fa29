"""`watch.history`: the course of a training, as data that prints and draws itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from vizgrad.core.errors import Explanation
from vizgrad.core.upcalls import UPCALLS
from vizgrad.debugger.explain.kept_traces import KeptTraces
from vizgrad.debugger.model import Course, CourseMark
from vizgrad.debugger.watch.note_recorder import Noting


class TrainingCourse:
    """The norms of each layer over the steps of the optimizers: `data`, in columns."""

    def __init__(
        self,
        data: Course,
        *,
        cell: str | None = None,
        kept: KeptTraces | None = None,
        ended: bool = True,
    ) -> None:
        """`cell`: the id of the notebook cell in which its backwards are counted, "" if it is unknown; None
        if they are counted in none. `kept`: its backwards that are kept. Not `ended`: its block goes on.
        """
        self.data = data
        self.cell, self.kept, self.ended = cell, kept, ended

    def to_svg(self) -> str:
        """A standalone SVG file as text: curves for each layer, findings as marks."""
        return UPCALLS.course_drawn(self.data)[1]

    def __repr__(self) -> str:
        return UPCALLS.course_drawn(self.data)[0]

    def _repr_pretty_(self, printer: object, cycle: bool) -> None:
        printer.text(repr(self))  # type: ignore[attr-defined]  IPython's, which has no stub

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return UPCALLS.course_shown(self)


def course_of(notings: Sequence[Noting], found: Iterable[Explanation]) -> Course:
    """The course that the notes of all engines tell; `found`: the findings."""
    optimizers = [
        each.told(partial(_called, noting))
        for noting in notings
        for each in noting.training.norms.optimizers
    ]
    layers = {layer.name: None for one in optimizers for layer in one.layers}
    marks = [
        CourseMark(each.backward, each.heading, tuple(_named_in(each, layers)))
        for each in found
        if each.backward
    ]
    marks.sort(key=lambda mark: mark.backward)
    return Course(tuple(optimizers), tuple(marks))


def _named_in(found: Explanation, layers: Iterable[str]) -> Iterator[str]:
    """The layers that an explanation names, by themselves or by a parameter of theirs."""
    said = " ".join((found.tensor, found.story, *(link.text for link in found.chain)))
    said = re.sub(r"\[(\d+)\]", r".\1", said)  # of `net[1].weight` the layer is net.1
    for layer in layers:
        if re.search(rf"(?<![\w.]){re.escape(layer)}(?!\w)", said):
            yield layer


def _called(noting: Noting, key: int, number: int) -> str:
    """The user's name of a parameter, as it was when the block ended or an optimizer stepped."""
    known = noting.training.parameters.get(key)
    return noting.names.get(key, "") or (known and known.leaf.name) or f"parameter {number}"

"""The course of a training below its cell, drawn while the loop runs.

A watched block that steps an optimizer twice displays its curves, and replaces them as the loop goes on: as
data for the labextension (`extension/src/mime/course.ts`), where single steps can be read, as a picture and
as text. An update costs the loop what it takes to make; pauses between two are so long that it is little.

Above the curves is the place of the findings, which are known when the block has ended: what is wrong is read
first. They are a display of their own, so that each host shows both in the best form that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import count, pairwise
from math import isfinite, isnan
from time import perf_counter
from typing import Any
from weakref import ref

from vizgrad.debugger.drawing.overlay import explanations_html
from vizgrad.debugger.drawing.scene import Group, Scene, to_svg
from vizgrad.debugger.drawing.training_curves import (
    MOST_UNFOLDED,
    PLOTS,
    course_scene,
    course_text,
    layers_drawn,
    ratios,
)
from vizgrad.debugger.explain.kept_traces import KeptTraces
from vizgrad.debugger.explain.training_course import TrainingCourse
from vizgrad.debugger.explain.watch_block import Watch
from vizgrad.debugger.model import Course, LayerCourse, OptimizerCourse
from vizgrad.debugger.model.training import Column

MIME = "application/vnd.vizgrad.course+json"

#: Seconds between two updates, at least; and in parts of the time that the last one took: a loop is slowed
#: down by at most 2 %.
EVERY, PAUSES = 0.5, 50.0
#: In the place of the findings, as long as there are none.
RUNNING = "Watching: problems are listed here when the block ends."
#: Beside the curves of a block that goes on, where they were asked for: they do not follow it.
GOES_ON = (
    "As of now: the block goes on. Below the cell with vizgrad.watch() or %%vizgrad watch the curves grow "
    "while it runs."
)
#: Steps of an optimizer before anything is displayed: one alone is no course.
FIRST = 2
#: Steps of an optimizer that are drawn: a plot is 190 pixels wide.
MOST_POINTS = 128

#: (data by mime types, the id of the display, whether it replaces what was displayed there).
Display = Callable[[dict[str, Any], str, bool], None]
_numbers = count(1)


class LiveCourse:
    """The curves of one watch, which calls this when something has ended in its block."""

    def __init__(
        self,
        watch: Watch,
        cell: str,
        display: Display,
        *,
        live: bool = True,
        clock: Callable[[], float] = perf_counter,
        running: Callable[[], str] = str,
    ) -> None:
        """`cell`: the id of the cell that is run. Not `live`: displayed once, at the end. `running`: the run
        of a cell that is going on, "" where that is not known.
        """
        self._watch = ref(watch)
        self._running, self._run = running, running()
        self._cell, self._display, self._live, self._clock = cell, display, live, clock
        self._id = f"vizgrad-course-{next(_numbers)}-{id(self):x}"
        self._steps = 0
        self._shown = False
        self._next = 0.0

    def progress(self, noting: object, what: str, error: object = None) -> None:
        """A backward or a step of an optimizer has ended."""
        if what == "step":
            self._steps += 1
            if self._live and self._steps >= FIRST and self._clock() >= self._next:
                self._show()

    def ended(self) -> None:
        """The block has ended: now there are findings, too."""
        if self._steps >= FIRST:
            self._show(ended=True)

    def shows(self) -> bool:
        """Are the findings displayed already, in the run of the cell that is going on?"""
        return self._shown and bool(self._run) and self._running() == self._run

    def _show(self, *, ended: bool = False) -> None:
        watch = self._watch()
        if watch is None:
            return
        began = self._clock()
        if ended or not self._shown:
            told = _findings(watch) if ended else {"text/plain": RUNNING}
            self._display(told, f"{self._id}-findings", self._shown)
        data = course_bundle(watch.history.data, self._cell, watch.kept)
        self._display(data, self._id, self._shown)
        self._shown = True
        now = self._clock()
        self._next = now + max(EVERY, PAUSES * (now - began))


def _findings(watch: Watch) -> dict[str, Any]:
    found = watch.findings
    return {"text/plain": repr(found), "text/html": explanations_html(found)}


def still_bundle(course: TrainingCourse) -> dict[str, Any]:
    """A course as it is now, with all layers; where the block goes on it says where curves grow."""
    shown = course_bundle(course.data, course.cell or "", course.kept, folded=False)
    if course.cell is None:
        shown[MIME]["again"] = False
    if not course.ended:
        shown[MIME]["note"] = GOES_ON
    return shown


def course_bundle(
    course: Course, cell: str = "", kept: KeptTraces | None = None, *, folded: bool = True
) -> dict[str, Any]:
    """A course as mime types; `cell` is the id of the cell whose loop it is, `kept` its backwards that are
    kept. Not `folded`: with all layers from the first.
    """
    drawn = replace(course, optimizers=tuple(map(_thinned, course.optimizers)))
    scene = course_scene(drawn, folded=folded)
    many = folded and any(len(one.layers) > MOST_UNFOLDED for one in drawn.optimizers)
    unfolded = course_scene(drawn) if many else scene
    told: list[dict[str, Any]] = []
    places = zip(_places(scene, drawn, folded=folded), _places(unfolded, drawn), strict=True)
    for one, (here, all_) in zip(drawn.optimizers, places, strict=True):
        told.append(
            {
                "title": one.title,
                "total": one.total,
                "steps": one.steps,
                "backwards": one.backwards,
                "losses": list(map(_number, one.losses)),
                "layers": [
                    {**_layer(layer), "y": here.get(layer.name), "all": all_[layer.name]}
                    for layer in one.layers
                    if layer.name in all_
                ],
            }
        )
    data = {
        "cell": cell,
        "width": scene.width,
        "height": scene.height,
        # with the rows of all layers, where some are folded
        **(
            {"all": {"svg": to_svg(unfolded), "height": unfolded.height}}
            if unfolded.height > scene.height
            else {}
        ),
        "plots": [list(each) for each in PLOTS],
        "optimizers": told,
        "marks": [{"backward": mark.backward, "text": mark.text} for mark in drawn.marks],
        **({"kept": {"block": kept.id, "backwards": list(kept)}} if kept else {}),
    }
    return {MIME: data, "image/svg+xml": to_svg(scene), "text/plain": course_text(course)}


def _places(scene: Scene, course: Course, *, folded: bool = False) -> Iterator[dict[str, float]]:
    """The rows of each optimizer in a picture: name of a layer -> its upper edge."""
    rows = iter([g.y for g in scene.children if isinstance(g, Group) and g.role == "layer"])
    for one in course.optimizers:
        drawn = layers_drawn(one, course.marks, folded=folded)
        yield {layer.name: next(rows) for layer in drawn}


def _layer(layer: LayerCourse) -> dict[str, Any]:
    columns = layer.gradient, layer.weight, ratios(layer)
    return {"name": layer.name, "columns": [list(map(_number, c)) for c in columns]}


def _number(value: float | None) -> float | str | None:
    """As JSON: four digits, and words for numbers that it has none for."""
    if value is None or isfinite(value):
        return None if value is None else float(f"{value:.4g}")
    return "NaN" if isnan(value) else "Inf"


def _thinned(one: OptimizerCourse) -> OptimizerCourse:
    """At most `MOST_POINTS` steps: of those beside each other one that is not finite, else the first."""
    length = len(one.steps)
    if length <= MOST_POINTS:
        return one
    columns = [c for each in one.layers for c in (each.gradient, each.weight, each.update)]
    odd = {
        at for column in columns for at, v in enumerate(column) if v is not None and not isfinite(v)
    }
    ends = [number * length // MOST_POINTS for number in range(MOST_POINTS + 1)]
    kept = [
        next((at for at in range(first, end) if at in odd), first) for first, end in pairwise(ends)
    ]
    kept[-1] = length - 1 if kept[-1] not in odd else kept[-1]

    def only(column: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(column[at] for at in kept)

    def layer(each: LayerCourse) -> LayerCourse:
        columns: tuple[Column, ...] = each.gradient, each.weight, each.update
        gradient, weight, update = map(only, columns)
        return replace(each, gradient=gradient, weight=weight, update=update)

    return replace(
        one,
        steps=only(one.steps),
        backwards=only(one.backwards),
        losses=only(one.losses),
        layers=tuple(map(layer, one.layers)),
    )

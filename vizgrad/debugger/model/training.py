"""The course of a training: norms of each layer over the steps of its optimizers, in columns."""

from __future__ import annotations

from dataclasses import dataclass

#: A number that is not known: the layer was not in that step, or its values cannot be read.
Column = tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class LayerCourse:
    """The norms of all parameters of a layer together, a number for each entry of `OptimizerCourse.steps`.

    `gradient` is the one that the step used, `weight` from before the step, `update` the norm of the change.
    The update is exact for parameters of at most 64 elements, and of larger ones estimated from 64 that
    are spread evenly: `estimated` says so.
    """

    name: str
    gradient: tuple[float | None, ...]
    weight: tuple[float | None, ...]
    update: tuple[float | None, ...]
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class OptimizerCourse:
    """The steps of one optimizer that were measured: each `stride`-th of `total`.

    `steps` are their numbers, from 1, `backwards` the calls of backward before each, from 1 (0: none), as
    ``%%vizgrad debug --at`` counts them, and `losses` the value of the last one that was a number.
    """

    title: str
    total: int
    stride: int
    steps: tuple[int, ...]
    backwards: tuple[int, ...]
    losses: tuple[float | None, ...]
    layers: tuple[LayerCourse, ...]


@dataclass(frozen=True, slots=True)
class CourseMark:
    """A finding, at the backward where it came up first; `layers` are those that it names."""

    backward: int
    text: str
    layers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a training: of each optimizer in the order of their first steps, and what was found."""

    optimizers: tuple[OptimizerCourse, ...]
    marks: tuple[CourseMark, ...] = ()

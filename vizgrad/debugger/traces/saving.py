"""Writes traces: a file for vizgrad and JupyterLab, or a page for any browser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from vizgrad.inspection import model
from vizgrad.inspection.births import birth_in
from vizgrad.inspection.filing import File
from vizgrad.inspection.replay import checked, replace_fields, stepped
from vizgrad.inspection.traced import Traced
from vizgrad.traces import archive
from vizgrad.traces.drawn import view_of
from vizgrad.version import __version__
from vizgrad.widgets.filed import (
    TRACE_FORMAT,
    TRACE_VERSION,
    Filed,
    FiledBeside,
    FiledView,
    Manifest,
)

#: Numbers in histograms and heat maps of one file; steps beyond have none.
MOST_CLOSER = 200_000


@dataclass(frozen=True, slots=True)
class Parts:
    """All that goes into a file."""

    manifest: Manifest
    trace: model.Trace
    view: FiledView
    arrays: list[bytes]


def parts_of(trace: model.Trace, room: int, beside: tuple[FiledBeside, ...] = ()) -> Parts:
    """`room`: bytes of arrays. ValueError for a trace whose parts do not belong together."""
    births = tuple(filter(None, map(birth_in, trace.records)))
    arrays = _Arrays(room)
    if isinstance(trace, Traced):
        births = tuple(trace.births())
        for of, array in trace.arrays():
            arrays.add(of, array)
        trace = _closer(trace)
    elif isinstance(trace, FromFile):
        births = trace.births
        for of, array in trace.values.items():
            arrays.add(of, array)
        trace = replace_fields(trace)
    whole = stepped(trace)
    checked(whole)
    manifest = Manifest(
        TRACE_FORMAT,
        TRACE_VERSION,
        __version__,
        trace.title,
        len(trace.graph.nodes),
        len(trace.records),
        tuple(arrays.filed),
        arrays.left_out,
        births,
    )
    view = replace(view_of(trace, whole, births), beside=beside)
    return Parts(manifest, trace, view, arrays.files)


def save(
    trace: model.Trace, path: File, *, arrays: int, beside: tuple[FiledBeside, ...] = ()
) -> Path:
    """See `model.Trace.save`. `beside`: other runs that it is compared with."""
    parts = parts_of(trace, arrays, beside)
    with archive.replacing(path) as file:
        archive.write(file, parts.manifest, parts.trace, parts.view, parts.arrays)
    return Path(path)


class FromFile(model.Trace):
    """A trace that was read, with its gradients."""

    __slots__ = ("births", "values")

    births: tuple[model.Birth, ...]
    values: dict[model.ArrayName, Any]

    def __init__(
        self,
        trace: model.Trace,
        values: dict[model.ArrayName, Any],
        births: tuple[model.Birth, ...],
    ) -> None:
        super().__init__(
            trace.graph, trace.records, trace.events, trace.title, trace.version, trace.start
        )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "births", births)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, model.Trace) and replace_fields(self) == replace_fields(other)

    __hash__ = model.Trace.__hash__


def _closer(trace: Traced) -> model.Trace:
    """With histograms and heat maps, as far as there is room."""
    records: list[model.StepRecord] = []
    left = MOST_CLOSER
    for index, record in enumerate(trace.records):
        if left > 0:
            record = trace.closer(index)  # noqa: PLW2901  what is filed of it
            left -= sum(map(_numbers, _summaries(record.visit)))
        records.append(record)
    return replace_fields(trace, records=tuple(records))


def _summaries(visit: model.Visit) -> list[model.TensorSummary]:
    told = [*visit.incoming]
    for routed in visit.routed:
        told += [routed.computed, routed.routed]
    if visit.accumulate is not None:
        told += [visit.accumulate.before, visit.accumulate.after]
    return [summary for summary in told if summary is not None]


def _numbers(summary: model.TensorSummary) -> int:
    blocks = 0 if summary.heat is None else sum(map(len, summary.heat.values))
    return len(summary.histogram) + blocks


class _Arrays:
    """Gradients by name; what is the same memory is one file."""

    def __init__(self, room: int) -> None:
        self._left = room
        self._places: dict[object, int] = {}
        self._kept: list[Any] = []  # or their addresses might be those of others
        self.files: list[bytes] = []
        self.filed: list[Filed] = []
        self.left_out = 0

    def add(self, of: model.ArrayName, array: Any) -> None:
        key = _memory(array)
        place = self._places.get(key)
        if place is not None:
            known = self.filed[place]
            self.filed[place] = Filed(known.file, known.shape, known.dtype, (*known.of, of))
            return
        size = prod(array.shape) * array.dtype.itemsize
        if size > self._left or array.dtype.kind not in "biufc":
            self.left_out += 1
            return
        self._left -= size
        self._places[key] = len(self.files)
        self._kept.append(array)
        name = f"arrays/{len(self.files)}.npy"
        self.filed.append(Filed(name, tuple(array.shape), str(array.dtype), (of,)))
        self.files.append(archive.written(array))


def _memory(array: Any) -> object:
    """Where it is, and how it lies there."""
    try:
        data = array.__array_interface__["data"][0]
    except AttributeError:
        data = array.__cuda_array_interface__["data"][0]
    return data, array.shape, array.strides, str(array.dtype)

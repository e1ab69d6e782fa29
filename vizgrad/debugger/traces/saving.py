"""Writes traces: a file for vizgrad and JupyterLab, or a page for any browser."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod
from pathlib import Path
from typing import Any

from vizgrad.core.errors import warn_once
from vizgrad.debugger import model
from vizgrad.debugger.jupyter.widget.trace_contents import (
    MOST_IN_PAGE,
    TRACE_FORMAT,
    TRACE_VERSION,
    Filed,
    FiledArrays,
    FiledBeside,
    FiledView,
    Manifest,
)
from vizgrad.debugger.model.trace_files import File
from vizgrad.debugger.session.breakpoints.breakpoints import birth_in
from vizgrad.debugger.session.open_session import Traced
from vizgrad.debugger.session.replay import checked, replace_fields, stepped
from vizgrad.debugger.traces import archive
from vizgrad.debugger.traces.trace_drawings import view_of
from vizgrad.version import __version__

#: Numbers in histograms and heat maps of one file; steps beyond have none.
MOST_CLOSER = 200_000
#: Bytes of arrays in one file, beyond the first: a page reads it for any of them.
FILE = 4 << 20


@dataclass(frozen=True, slots=True)
class Parts:
    """All that goes into a file."""

    manifest: Manifest
    trace: model.Trace
    view: FiledView
    filed: FiledArrays
    arrays: dict[str, bytes]


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
        left_out=arrays.left_out,
        births=births,
    )
    view = replace(view_of(trace, whole, births), beside=beside)
    return Parts(manifest, trace, view, *arrays.told())


def save(
    trace: model.Trace, path: File, *, arrays: int, beside: tuple[FiledBeside, ...] = ()
) -> Path:
    """See `model.Trace.save`. `beside`: other runs that it is compared with."""
    parts = parts_of(trace, arrays, beside)
    nodes, steps = parts.manifest.nodes, parts.manifest.steps
    if nodes + steps > MOST_IN_PAGE:
        warn_once(
            f"a trace of {nodes:,} nodes and {steps:,} steps is too large for a page, which has room for "
            f"{MOST_IN_PAGE:,} together: vizgrad.load_trace reads it in Python, and JupyterLab does not open "
            "it. A run of fewer steps, or of a graph of fewer nodes, is smaller"
        )
    with archive.replacing(path) as file:
        archive.write(file, parts.manifest, parts.trace, parts.view, parts.filed, parts.arrays)
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
    """Gradients by name: what is the same memory is there once, and those of a shape and type share files."""

    def __init__(self, room: int) -> None:
        self._left = room
        #: By memory: the file, the place in it, and what is there.
        self._places: dict[object, tuple[int, int, list[model.ArrayName]]] = {}
        #: By shape and type: the file that has room for more, and its bytes.
        self._open: dict[object, tuple[int, int]] = {}
        self._files: list[list[Any]] = []  # kept, or their addresses might be those of others
        self.left_out = 0

    def add(self, of: model.ArrayName, array: Any) -> None:
        key = _memory(array)
        place = self._places.get(key)
        if place is not None:
            place[2].append(of)
            return
        size = prod(array.shape) * array.dtype.itemsize
        if size > self._left or array.dtype.kind not in "biufc":
            self.left_out += 1
            return
        self._left -= size
        file, held = self._open.get((array.shape, array.dtype), (-1, 0))
        if file < 0 or held + size > FILE:
            file, held = len(self._files), 0
            self._files.append([])
        self._open[array.shape, array.dtype] = file, held + size
        self._places[key] = file, len(self._files[file]), [of]
        self._files[file].append(array)

    def told(self) -> tuple[FiledArrays, dict[str, bytes]]:
        filed: list[Filed] = []
        for file, at, of in self._places.values():
            array = self._files[file][at]
            shape, dtype = tuple(array.shape), str(array.dtype)
            filed.append(Filed(_name(file), shape, dtype, tuple(of), at))
        files = {_name(file): archive.written(arrays) for file, arrays in enumerate(self._files)}
        return FiledArrays(tuple(filed)), files


def _name(file: int) -> str:
    return f"arrays/{file}.npy"


def _memory(array: Any) -> object:
    """Where it is, and how it lies there."""
    try:
        data = array.__array_interface__["data"][0]
    except AttributeError:
        data = array.__cuda_array_interface__["data"][0]
    return data, array.shape, array.strides, str(array.dtype)

"""Traces as files: saved, exported as a page of their own, loaded."""

from __future__ import annotations

import base64
import hashlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from html import escape
from math import inf, prod
from pathlib import Path
from typing import IO, Any, Protocol

from vizgrad.core.errors import warn_once
from vizgrad.debugger import model
from vizgrad.debugger.drawing.describe import plain
from vizgrad.debugger.jupyter.widget.showing import show
from vizgrad.debugger.jupyter.widget.static_files import STATIC
from vizgrad.debugger.jupyter.widget.trace_contents import (
    MOST_IN_PAGE,
    TRACE_FORMAT,
    TRACE_VERSION,
    Filed,
    FiledArrays,
    FiledBeside,
    Manifest,
)
from vizgrad.debugger.model.trace import File
from vizgrad.debugger.session.breakpoints.breakpoints import birth_in
from vizgrad.debugger.session.breakpoints.stop_reason import at_stop
from vizgrad.debugger.session.history.history import Between, History, Where
from vizgrad.debugger.session.open_session import Traced
from vizgrad.debugger.session.opening import Cell, Opening, seldom_collecting
from vizgrad.debugger.session.replay import (
    NodeRaised,
    TraceEnds,
    backward_of,
    checked,
    replace_fields,
    stepped,
)
from vizgrad.debugger.session.run_control import RunControl
from vizgrad.debugger.session.session import Session
from vizgrad.debugger.traces import archive
from vizgrad.debugger.traces.filed_view import view_of
from vizgrad.version import __version__

# --- saving ----------------------------------------------------------------------------------------------
# Writes traces: a file for vizgrad and JupyterLab, or a page for any browser.


@dataclass(frozen=True, slots=True)
class Room:
    """The room of a file, for what goes into it beside the graph, the steps and their norms."""

    #: Bytes of the whole file, and of its gradients.
    file: float
    arrays: float
    #: Numbers in histograms and heat maps; steps beyond have none.
    closer: int
    boxes: int


#: A file that can be sent by mail, and is written in about two seconds.
SMALL = Room(model.SMALL_FILE, inf, closer=40_000, boxes=1_000)
FULL = Room(inf, 64 << 20, closer=200_000, boxes=2_000)
#: Bytes of arrays in one file of the zip, beyond the first: a page reads it for any of them.
FILE = 4 << 20
#: Bytes that the zip spends on a file of its own, and on the name of an array; and on the manifest.
_OF_FILE, _OF_ARRAY, _OF_MANIFEST = 400, 16, 1_000


def save(
    trace: model.Trace,
    path: File,
    *,
    full: bool = False,
    arrays: int | None = None,
    beside: tuple[FiledBeside, ...] = (),
) -> Path:
    """See `model.Trace.save`. `beside`: other runs that it is compared with."""
    room = FULL if full else SMALL
    if arrays is not None:
        room = replace(room, file=inf, arrays=arrays)
    with seldom_collecting():
        return _save(trace, path, room, beside)


def _save(trace: model.Trace, path: File, room: Room, beside: tuple[FiledBeside, ...]) -> Path:
    """ValueError for a trace whose parts do not belong together."""
    births = tuple(filter(None, map(birth_in, trace.records)))
    known: list[tuple[model.ArrayName, Any]] = []
    if isinstance(trace, Traced):
        births = tuple(trace.births())
        known = list(trace.arrays())
        trace = _closer(trace, room.closer)
    elif isinstance(trace, FromFile):
        births = trace.births
        known = list(trace.values.items())
        trace = replace_fields(trace)
    whole = stepped(trace)
    checked(whole)
    view = replace(view_of(trace, whole, births, room.boxes), beside=beside)

    def values(taken: int) -> tuple[Manifest, FiledArrays, dict[str, bytes]]:
        """The gradients that fit beside the `taken` bytes of the trace and its view."""
        left = min(room.file - taken - _OF_MANIFEST, room.arrays)
        arrays = _Arrays(left, counts_all=room.file < inf)
        for of, array in _most_telling_first(known, births):
            arrays.add(of, array)
        nodes, steps = len(trace.graph.nodes), len(trace.records)
        manifest = Manifest(
            TRACE_FORMAT, TRACE_VERSION, __version__, trace.title, nodes, steps,
            left_out=arrays.left_out, births=births,
        )  # fmt: skip
        return manifest, *arrays.told()

    nodes, steps = len(trace.graph.nodes), len(trace.records)
    if nodes + steps > MOST_IN_PAGE:
        warn_once(
            f"a trace of {nodes:,} nodes and {steps:,} steps is too large for a page, which has room for "
            f"{MOST_IN_PAGE:,} together: vizgrad.load_trace reads it in Python, and JupyterLab does not open "
            "it. A run of fewer steps, or of a graph of fewer nodes, is smaller"
        )
    with archive.replacing(path) as file:
        archive.write(file, trace, view, values)
    return Path(path)


def _most_telling_first(
    arrays: list[tuple[model.ArrayName, Any]], births: tuple[model.Birth, ...]
) -> list[tuple[model.ArrayName, Any]]:
    """Those of nodes that made a NaN or an infinity, then the smallest: most of them have room."""
    faulty = {birth.node for birth in births}
    return sorted(arrays, key=lambda each: (each[0].node not in faulty, _size(each[1])))


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
        super().__init__(**{f.name: getattr(trace, f.name) for f in fields(model.Trace)})
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "births", births)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, model.Trace) and replace_fields(self) == replace_fields(other)

    __hash__ = model.Trace.__hash__


def _closer(trace: Traced, left: int) -> model.Trace:
    """With `left` numbers in histograms and heat maps, those of the earliest steps."""
    records: list[model.StepRecord] = []
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

    def __init__(self, room: float, *, counts_all: bool) -> None:
        """`room`: bytes, of elements alone or of all that the zip spends on them."""
        self._left = room
        self._of_array, self._of_file = (_OF_ARRAY, _OF_FILE) if counts_all else (0, 0)
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
        size = _size(array)
        file, held = self._open.get((array.shape, array.dtype), (-1, 0))
        if held + size > FILE:
            file = -1
        spent = size + self._of_array + (self._of_file if file < 0 else 0)
        if spent > self._left or array.dtype.kind not in "biufc":
            self.left_out += 1
            return
        self._left -= spent
        if file < 0:
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


def _size(array: Any) -> int:
    return prod(array.shape) * array.dtype.itemsize


def _name(file: int) -> str:
    return f"arrays/{file}.npy"


def _memory(array: Any) -> object:
    """Where it is, and how it lies there."""
    try:
        data = array.__array_interface__["data"][0]
    except AttributeError:
        data = array.__cuda_array_interface__["data"][0]
    return data, array.shape, array.strides, str(array.dtype)


# --- page ------------------------------------------------------------------------------------------------
# One HTML page that shows a trace in any browser, from a file or from a server: it asks nobody.
#
# The page holds the view's code, and the file of the trace in base64: no character of that can be markup.
# Its policy lets this code alone run, known by its hash, and nothing be loaded or sent, wherever it is
# served.


#: Bytes of gradients in a full page, where each takes a third more; and of what is around code and file.
ARRAYS_IN_PAGE, _AROUND = 8 << 20, 4_096

_STYLE = (
    "html,body{height:100%;margin:0}"
    "#vg-host{height:100vh;overflow:auto;font:14px system-ui,sans-serif}"
    "h1,h2{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}"
    ".vg-bad-file,noscript{margin:2em;display:block}"
)


def export(
    trace: model.Trace, path: File, *, full: bool = False, beside: tuple[FiledBeside, ...] = ()
) -> Path:
    """See `model.Trace.export`. FileNotFoundError where the front end was not built. `beside`: other runs
    that it is compared with.
    """
    if full:
        room = replace(FULL, arrays=ARRAYS_IN_PAGE)
    else:
        code = (STATIC / "trace.js").stat().st_size
        room = replace(SMALL, file=(SMALL.file - code - _AROUND) * 3 // 4)  # in base64
    with tempfile.TemporaryDirectory() as folder:
        file = _save(trace, Path(folder, "trace"), room, beside)
        text = page(file.read_bytes(), trace.title or "trace")
    with archive.replacing(path) as made:
        made.write_text(text, "utf-8")
    return Path(path)


def file_for_page(trace: model.Trace, most: int) -> bytes:
    """The file of a trace, of at most so many bytes, for a page that holds several."""
    with tempfile.TemporaryDirectory() as folder:
        return _save(trace, Path(folder, "trace"), replace(SMALL, file=most), ()).read_bytes()


def code_digest() -> str:
    """The digest of the code of a page, as its policy names it."""
    return base64.b64encode(hashlib.sha256(_code().encode()).digest()).decode()


def _code() -> str:
    return _harmless((STATIC / "trace.js").read_text("utf-8"))


def page_head(title: str, policy: str, style: str) -> tuple[str, ...]:
    """The lines of a page before its body; what they are given is written as it is."""
    return (
        "<!doctype html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="referrer" content="no-referrer">',
        '<meta name="viewport" content="width=device-width">',
        f"<title>{title}</title>",
        f"<style>{style}</style>",
        "</head>",
    )


def page(file: bytes, title: str) -> str:
    """The page for the file of a trace."""
    code = _code()
    policy = (
        f"default-src 'none'; script-src 'sha256-{code_digest()}'; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )
    return "\n".join((
        *page_head(escape(plain(title)), policy, _STYLE),
        "<body>",
        "<main>",
        f"<h1>{escape(plain(title))}</h1><h2>The backward, step by step</h2>",
        '<div id="vg-host"></div>',
        "</main>",
        "<noscript>This page shows a trace by means of JavaScript.</noscript>",
        f'<script id="vg-file" type="text/plain">{base64.b64encode(file).decode()}</script>',
        f"<script>{code}</script>",
        "</body>",
        "</html>",
        "",
    ))  # fmt: skip


def _harmless(code: str) -> str:
    """In strings of a program `<` before these may be written so; there it ends no element."""
    return code.replace("</script", "<\\/script").replace("<!--", "<\\!--")


# --- loading ---------------------------------------------------------------------------------------------
# Reads the file of a trace: a session that nothing runs in.


class ReplayControl(RunControl):
    """Moves through what was recorded."""

    def move(self, moved: Callable[[History, Between], None], *, stops: bool = False) -> Where:
        """The error of a node is shown, not raised again; after the last step that there is, it says so."""

        def within(history: History, between: Between) -> None:
            live = self.live()
            try:
                moved(history, between)
            except NodeRaised:
                return
            except TraceEnds as ends:
                live.stopped_by = model.Stopped("pause", str(ends), history.position)
                return
            if stops:
                live.stopped_by = at_stop(history, live.source, self.points)

        return super().move(within)


class LoadedTrace(Session):
    """A trace that was read from a file. Moves and looks like any session, without an engine: `step`,
    `back`, `seek`, `continue_`, `run_to`; `whole` is all that was recorded.
    """

    _control_type = ReplayControl

    def __init__(self, whole: FromFile, backward: int, name: str, *, at_end: bool = False) -> None:
        """`at_end`: it stands behind all that was recorded, and says what had stopped the run there."""
        self.whole: model.Trace = whole
        trace = stepped(whole, backward)
        made = backward_of(trace, whole.values, whole.births)
        super().__init__(made, opening=Opening(cell=Cell(name)))
        # all that is in it has been recorded: the scrubber reaches to its end
        steps = len(trace.records)
        self._control.move(lambda history, between: history.seek(steps, between), stops=True)
        if not at_end:
            self.restart()

    @property
    def trace(self) -> model.Trace:
        """All that was recorded, wherever this stands."""
        return self.whole

    @property
    def events(self) -> tuple[model.Event, ...]:
        """For a recording: its events, in order."""
        return self.whole.events

    def save(self, path: File, *, full: bool = False, arrays: int | None = None) -> Any:
        """See `Trace.save`."""
        return self.whole.save(path, full=full, arrays=arrays)

    def export(self, path: File, *, full: bool = False) -> Any:
        """See `Trace.export`."""
        return self.whole.export(path, full=full)

    def diff(self, other: Any, *, tolerance: float | None = 0.0) -> Any:
        """See `Trace.diff`."""
        return self.whole.diff(other, tolerance=tolerance)

    def _ipython_display_(self) -> None:
        show(self)

    def _display_(self) -> object:
        """Marimo's way."""
        from vizgrad.debugger.jupyter.widget.marimo import view_of

        return view_of(self)


def load_trace(path: File | IO[bytes], *, backward: int = 1) -> LoadedTrace:
    """Reads a trace that `trace.save(path)` wrote. Displayed in a notebook, it is the view of a session.
    It stands where the run stood when it was saved; the trace of a run that had finished stands at its start.

    A recording of several backwards is stepped through one at a time: `backward` says which (ValueError if
    there are not so many).

    TraceFileError (a ValueError), before anything is made of it, for a file that is no trace, damaged, or
    made to do harm. Nothing in a file is run.
    """
    read, _ = _read(path, backward)
    known = FromFile(read.trace, read.values, read.manifest.births)
    return LoadedTrace(known, backward, archive.called(path), at_end=_was_left(known))


def _was_left(trace: model.Trace) -> bool:
    """Was it saved before its run was at its end? A recording has no such place."""
    last = trace.records[-1] if trace.start is not None and trace.records else None
    return last is not None and (last.current is not None or bool(last.visit.error))


def read_trace(path: File | IO[bytes], backward: int = 1) -> model.Trace:
    """The steps of a file as data: no session is opened. Raises as `load_trace`."""
    return _read(path, backward)[1]


def _read(path: File | IO[bytes], backward: int) -> tuple[archive.Read, model.Trace]:
    read = archive.read(path)
    with archive.refused(path):
        checked(read.trace)
    whole = stepped(read.trace, backward)
    with archive.refused(path):
        checked(whole)
    return read, whole


def opened(trace: model.Trace) -> LoadedTrace:
    """A trace that was made in this process, as a session: the same as one that was read from a file."""
    births = tuple(filter(None, map(birth_in, trace.records)))
    return LoadedTrace(FromFile(trace, {}, births), 1, "")


class Differing(Protocol):
    """A `TraceDiff`."""

    trace: model.Trace
    other: model.Trace
    #: As `Trace.diff` takes it.
    asked: float | None


def shown_beside(found: Differing) -> LoadedTrace | None:
    """A view of the one trace with the other beside it, at the end of what was recorded; None where nothing
    was run.
    """
    trace = found.trace
    if not trace.records:
        return None
    if isinstance(trace, FromFile):
        known = trace
    elif isinstance(trace, Traced):
        known = FromFile(trace, dict(trace.arrays()), tuple(trace.births()))
    else:
        known = FromFile(trace, {}, tuple(filter(None, map(birth_in, trace.records))))
    made = LoadedTrace(known, 1, "", at_end=True)
    made.compare(found.other, tolerance=found.asked)
    return made

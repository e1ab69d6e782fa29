"""Traces in files: saved, loaded, shown in one page, compared."""

from __future__ import annotations

from vizgrad.debugger.traces.archive import TraceFileError as TraceFileError
from vizgrad.debugger.traces.difference import diff as diff
from vizgrad.debugger.traces.difference import side_by_side as side_by_side
from vizgrad.debugger.traces.difference import trace_of as trace_of
from vizgrad.debugger.traces.files import LoadedTrace as LoadedTrace
from vizgrad.debugger.traces.files import export as export
from vizgrad.debugger.traces.files import load_trace as load_trace
from vizgrad.debugger.traces.files import opened as opened
from vizgrad.debugger.traces.files import save as save

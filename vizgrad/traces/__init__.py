"""Traces in files: saved, loaded, shown in one page, compared."""

from __future__ import annotations

from vizgrad.traces.archive import TraceFileError as TraceFileError
from vizgrad.traces.difference import diff as diff
from vizgrad.traces.difference import trace_of as trace_of
from vizgrad.traces.loading import LoadedTrace as LoadedTrace
from vizgrad.traces.loading import load_trace as load_trace
from vizgrad.traces.page import export as export
from vizgrad.traces.saving import save as save
from vizgrad.traces.side_by_side import side_by_side as side_by_side

"""The content of a trace's file beside the trace itself: the arrays' meaning, and the drawings for a
browser.
"""

from __future__ import annotations

from dataclasses import dataclass

from vizgrad.debugger.jupyter.widget.drawing import Drawing, Standing
from vizgrad.debugger.model import (
    ArrayName,
    Birth,
    Difference,
    Made,
    Mathematics,
    Start,
    StepRecord,
    Stopped,
)

TRACE_FORMAT = "vizgrad trace"
#: The version of the files; a reader refuses a larger one.
TRACE_VERSION = 2
#: Nodes and steps, together, of which a page has room for a trace; `load_trace` reads any.
MOST_IN_PAGE = 300_000


@dataclass(frozen=True, slots=True)
class Filed:
    """An array, of this shape and dtype, is all of these gradients: number `at` of those in `file`; None: the
    file is this array.
    """

    file: str
    shape: tuple[int, ...]
    dtype: str
    of: tuple[ArrayName, ...]
    at: int | None = None


@dataclass(frozen=True, slots=True)
class FiledArrays:
    """Which gradients are there, and where."""

    arrays: tuple[Filed, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """`left_out` gradients were known when the trace was saved, but had no room; `births` say where a NaN or
    an infinity came up.
    """

    format: str
    version: int
    vizgrad: str
    title: str
    nodes: int
    steps: int
    arrays: tuple[Filed, ...] = ()
    left_out: int = 0
    births: tuple[Birth, ...] = ()


@dataclass(frozen=True, slots=True)
class FiledDrawing:
    """A drawing, and the run before its first step as it is seen there. `nodes` and `groups` are numbers of
    those in the trace, of which `drawing` has none; `standing` has no storages.
    """

    drawing: Drawing
    nodes: tuple[int, ...]
    groups: tuple[int, ...]
    standing: Standing


@dataclass(frozen=True, slots=True)
class FiledMaths:
    """The formulas of a node as mathematics."""

    node: int
    maths: tuple[Mathematics, ...]


@dataclass(frozen=True, slots=True)
class Holding:
    """A block of so many bytes, in which these nodes have saved something."""

    bytes: int
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FiledLane:
    """The lane within a node (None: that of second order), as `protocol.Lane` has it."""

    node: int | None
    made: tuple[Made, ...]
    at: tuple[int, ...]
    drawing: Drawing
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class FiledBeside:
    """Another run of `recorded` steps, and how it differs, as `protocol.Differences` has it."""

    name: str
    recorded: int
    total: int
    differences: tuple[Difference, ...]
    first: int | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class FiledView:
    """The drawings for a view of a trace without a kernel.

    `drawings` begins with the one that is shown at first; in the others groups are open that are closed
    there, or the other way. `stops` are where a NaN or an infinity was born. `start` and `records` are those
    of a recording that can be stepped through; a trace of a session has its own.
    """

    drawings: tuple[FiledDrawing, ...]
    maths: tuple[FiledMaths, ...] = ()
    holdings: tuple[Holding, ...] = ()
    stops: tuple[Stopped, ...] = ()
    leaves: int = 0
    start: Start | None = None
    records: tuple[StepRecord, ...] = ()
    lanes: tuple[FiledLane, ...] = ()
    beside: tuple[FiledBeside, ...] = ()

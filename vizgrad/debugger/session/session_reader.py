"""The readable state of a session: of an open one through its engine (`open_session.py`), of a closed one
through what was kept of it (`closed_session.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, Protocol

from vizgrad.core.arrays.files import MOST_WRITTEN, first_part, numpy_text
from vizgrad.core.arrays.matrix_blocks import blocks, matrix_part, matrix_shape, within
from vizgrad.debugger import model
from vizgrad.debugger.model import Part
from vizgrad.debugger.model.arrays import count_of
from vizgrad.debugger.session.grouping.outline import Outline
from vizgrad.debugger.session.history.fold import Fold, MemoryCurve
from vizgrad.debugger.session.history.history import Standing, Where
from vizgrad.debugger.session.history.lanes import Lane
from vizgrad.debugger.session.lines.line_table import LineNorms

Saves = tuple[tuple[model.Saved, ...], ...]


class SessionClosed(RuntimeError):
    """The session was stopped: what was seen of a small graph stays readable, but nothing can be stepped."""


class Look(Protocol):
    """The readable state of a session. May raise SessionClosed.

    The part above the line takes time for the size of the graph only once: `outline` and `lines` when
    first asked for. `lines` are None where they are not kept. `value` is an array of the engine's;
    LookupError, with the reason, where it is not kept.
    """

    @property
    def standing(self) -> Standing: ...
    @property
    def nodes(self) -> int:
        """How many nodes the graph has."""
        ...

    @property
    def status(self) -> model.RunStatus: ...
    @property
    def position(self) -> int: ...
    @property
    def total(self) -> int: ...
    @property
    def current(self) -> int | None: ...
    @property
    def error(self) -> str: ...
    @property
    def ending(self) -> str: ...
    @property
    def modes(self) -> model.Modes: ...
    @property
    def breakpoints(self) -> tuple[int, ...]: ...
    @property
    def within(self) -> model.Within | None: ...
    @property
    def lane(self) -> Lane | None: ...
    @property
    def collectives(self) -> tuple[model.CalledCollective, ...]: ...
    @property
    def grows(self) -> bool: ...
    @property
    def recomputes(self) -> bool: ...
    @property
    def one_way(self) -> bool: ...
    @property
    def can_change(self) -> bool: ...
    @property
    def branches(self) -> tuple[model.Branch, ...]: ...
    @property
    def beside(self) -> tuple[model.Branch, ...]:
        """Other runs that it is compared with."""
        ...

    @property
    def breakpoint_list(self) -> tuple[model.Breakpoint, ...]: ...
    @property
    def nonfinite(self) -> bool: ...
    @property
    def logged(self) -> int:
        """How many messages breakpoints have written."""
        ...

    @property
    def stopped(self) -> model.Stopped | None: ...
    @property
    def where(self) -> Where: ...
    @property
    def truncated(self) -> int: ...
    @property
    def outline(self) -> Outline: ...
    @property
    def fold(self) -> Fold: ...
    @property
    def memory(self) -> MemoryCurve: ...
    @property
    def lines(self) -> LineNorms | None: ...
    @property
    def mark(self) -> model.LineMark | None: ...
    def describe_before(self, node: int) -> model.Node: ...
    def saved_of(self, node: int) -> tuple[model.Saved, ...]: ...
    def stale(self) -> dict[int, int]: ...
    def storages_of(self, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]: ...
    def storages(self, most: int) -> tuple[int, tuple[model.Storage, ...]]: ...
    def names(self, nodes: Iterable[int]) -> tuple[model.Name, ...]: ...
    def find(self, query: str, most: int) -> tuple[int, tuple[model.Name, ...]]: ...
    def node_at(self, index: int) -> int: ...
    def retell(self) -> None: ...
    def value(self, of: model.ArrayName) -> Any: ...

    # ---
    def start(self) -> model.Start: ...
    def graph(self) -> model.Graph: ...
    def run(self) -> model.Run: ...
    def trace(self) -> model.Trace: ...
    def saved(self) -> Saves: ...
    def versions(self) -> tuple[model.Storage, ...]: ...
    def inspect(self, node: int) -> Inspected: ...


#: A node as it is now, its visit if it is done, what has arrived at its slots, a leaf's `.grad`.
Inspected = tuple[
    model.Node,
    model.Visit | None,
    tuple[model.TensorSummary | None, ...],
    model.TensorSummary | None,
]


class SavedTensors(tuple[tuple[model.Node, model.Saved], ...]):
    """Saved tensors, each with the node that keeps it: printed as a list of lines."""

    __slots__ = ()
    #: Lines that are written out.
    _MOST = 20

    def __repr__(self) -> str:
        freed = sum(saved.state == "freed" for _, saved in self)
        stale = sum(saved.state == "stale" for _, saved in self)
        counts = "".join(
            f", {n:,} {state}" for n, state in ((stale, "stale"), (freed, "freed")) if n
        )
        lines = [f"{count_of(len(self), 'saved tensor')}{counts}"]
        for node, saved in self[: self._MOST]:
            lines.append(f"  {node.name} (node {node.id}), {saved.name}: {saved.told()}")
        if len(self) > self._MOST:
            lines.append(f"  and {len(self) - self._MOST:,} more: each is a pair (node, saved)")
        return "\n".join(lines)


def saved_tensors(look: Look) -> SavedTensors:
    """Every saved tensor with the node that keeps it, in its state now."""
    nodes, values = look.graph().nodes, look.saved()
    return SavedTensors(
        (data, saved)
        for data, kept in zip(nodes, values, strict=True)
        for saved in kept
        if not saved.value
    )


# Parts of an array, as a view asks for them.

#: First, and behind the last.
Range = tuple[int, int]


def part_of(
    array: Any,
    at: tuple[int | None, ...] = (),
    rows: Range | None = None,
    columns: Range | None = None,
) -> Part:
    """The array at these indices of its leading dimensions, and of that these rows and columns.

    An index out of range counts as not chosen. Takes no copy of the array, and reads little from a device.
    """
    leading = array.shape[:-2]
    chosen = tuple(
        index if index is not None and 0 <= index < length else None
        for index, length in zip((*at, *[None] * len(leading)), leading, strict=False)
    )
    seen = array[tuple(slice(None) if index is None else index for index in chosen)]
    height, width = matrix_shape(seen.shape)
    rows, columns = within(rows, height), within(columns, width)
    text, cut = _text(seen, rows, columns)
    return Part(
        tuple(array.shape), str(array.dtype), chosen, blocks(seen, rows, columns), text, cut
    )


def _text(seen: Any, rows: Range, columns: Range) -> tuple[str, bool]:
    whole = (rows, columns) == tuple((0, length) for length in matrix_shape(seen.shape))
    if not whole:
        shape = rows[1] - rows[0], columns[1] - columns[0]
        few = first_part(shape, MOST_WRITTEN)
        seen = matrix_part(seen, (rows[0], rows[0] + few[0]), (columns[0], columns[0] + few[1]))
        text, written = numpy_text(seen)
    else:
        shape = tuple(seen.shape)
        text, written = numpy_text(seen)
    if written == shape:
        return text, False
    return f"{text}  # cut: the first {list(written)} of {list(shape)}", True

"""Events that are added up by their names, and the table that is printed of them."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

from vizgrad.autograd.profiler.events import FunctionEvent, Shapes, time_text


class FunctionEventAvg:
    """The sums over all calls of one name. Times are in microseconds."""

    def __init__(self, key: str, input_shapes: Shapes = ()) -> None:
        self.key = key
        self.input_shapes = input_shapes
        self.count = 0
        self.cpu_time_total = 0.0
        self.self_cpu_time_total = 0.0
        self.is_user_annotation = False

    def add(self, event: FunctionEvent) -> None:
        """A call within one of the same name is part of that one's time already."""
        self.count += 1
        self.self_cpu_time_total += event.self_cpu_time_total
        self.is_user_annotation |= event.is_user_annotation
        if all(each.name != self.key for each in event.ancestors()):
            self.cpu_time_total += event.cpu_time_total

    @property
    def cpu_time(self) -> float:
        """The average of one call."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def cpu_time_str(self) -> str:
        return time_text(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return time_text(self.self_cpu_time_total)

    def __repr__(self) -> str:
        shapes = _shapes_text(self.input_shapes) if self.input_shapes else ""
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str} count={self.count} input_shapes={shapes}>"
        )


#: The columns that `sort_by` may name.
SORTS = ("cpu_time", "cpu_time_total", "self_cpu_time_total", "count")


class EventList(list[Any]):
    """Events, or sums of them: `table()` is what is printed."""

    def __init__(self, events: Iterable[Any] = (), *, by_shapes: bool = False) -> None:
        super().__init__(events)
        self._by_shapes = by_shapes

    def key_averages(self, group_by_input_shapes: bool = False) -> EventList:
        """The events added up by name, or by name and sizes of arguments."""
        found: dict[tuple[str, Shapes], FunctionEventAvg] = {}
        for event in self:
            key = (event.name, event.input_shapes if group_by_input_shapes else ())
            found.setdefault(key, FunctionEventAvg(*key)).add(event)
        return EventList(found.values(), by_shapes=group_by_input_shapes)

    def total_average(self) -> FunctionEventAvg:
        """All of them as one."""
        total = FunctionEventAvg("Total")
        for each in self:
            total.count += each.count
            total.self_cpu_time_total += each.self_cpu_time_total
            total.cpu_time_total += each.cpu_time_total
        return total

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all calls, each counted once."""
        return sum(each.self_cpu_time_total for each in self)

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """A text with a line for each. AttributeError for a `sort_by` that is not in `SORTS`."""
        rows = [*self]
        if sort_by is not None:
            if sort_by not in SORTS:
                raise AttributeError(
                    f"'FunctionEventAvg' object has no attribute {sort_by!r}: sort_by is one of "
                    + ", ".join(SORTS)
                )
            rows.sort(key=lambda event: getattr(event, sort_by), reverse=True)
        if top_level_events_only:
            rows = [each for each in rows if getattr(each, "cpu_parent", None) is None]
        whole = self.self_cpu_time_total
        cells = [_row(each, whole) for each in rows[:row_limit]]
        names = min(max((len(each.key) for each in rows), default=0) + 4, max_name_column_width)
        widths = [names, *[12] * 6]
        titles = [*_TITLES]
        if self._by_shapes and any(each.input_shapes for each in rows):
            texts = [_shapes_text(each.input_shapes) for each in rows[:row_limit]]
            widths.append(min(max(map(len, ["Input Shapes", *texts])) + 4, max_shapes_column_width))
            titles.append("Input Shapes")
            cells = [(*cell, text) for cell, text in zip(cells, texts, strict=True)]
        lines = [*_lines(titles, cells, widths), f"Self CPU time total: {time_text(whole)}", ""]
        if header is not None:
            lines[:0] = ["=" * (len(lines[0]) - 2), header]
        return "\n".join(lines)

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Writes the events as chrome://tracing and Perfetto read them."""
        events = [
            {
                "ph": "X",
                "cat": "user_annotation" if each.is_user_annotation else "cpu_op",
                "name": each.name,
                "pid": os.getpid(),
                "tid": each.thread,
                "ts": each.time_range.start,
                "dur": each.cpu_time_total,
                "args": {"Input Dims": [list(shape) for shape in each.input_shapes]},
            }
            for each in self
        ]
        opened = gzip.open if os.fspath(path).endswith(".gz") else open
        with opened(path, "wt", encoding="utf-8") as file:
            json.dump({"traceEvents": events}, file)

    def __str__(self) -> str:
        return self.table()


_TITLES = (
    "Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls",
)  # fmt: skip


def _row(event: Any, whole: float) -> tuple[str, ...]:
    def share(part: float) -> str:
        return f"{100 * part / whole if whole else 0:.2f}%"

    return (
        event.key,
        share(event.self_cpu_time_total),
        time_text(event.self_cpu_time_total),
        share(event.cpu_time_total),
        time_text(event.cpu_time_total),
        time_text(event.cpu_time),
        str(event.count),
    )


def _lines(titles: list[str], cells: list[tuple[str, ...]], widths: list[int]) -> Iterator[str]:
    """Columns that end below each other, between rules."""
    rule = "".join(f"{'-' * width}  " for width in widths)
    yield rule
    yield "".join(
        f"{_cut(title, width):>{width}}  " for title, width in zip(titles, widths, strict=True)
    )
    yield rule
    for cell in cells:
        yield "".join(
            f"{_cut(text, width):>{width}}  " for text, width in zip(cell, widths, strict=True)
        )
    yield rule


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 3]}..."


def _shapes_text(shapes: Shapes) -> str:
    return str([list(each) for each in shapes])

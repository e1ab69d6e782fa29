"""The events that were measured: one for each call of an operation, a node, a step or a named block."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

#: The sizes of the tensors among the arguments; of a number none.
Shapes = tuple[tuple[int, ...], ...]


def time_text(microseconds: float) -> str:
    """``12.345us``, ``1.234ms``, ``1.234s``."""
    if microseconds >= 1e6:
        return f"{microseconds / 1e6:.3f}s"
    if microseconds >= 1e3:
        return f"{microseconds / 1e3:.3f}ms"
    return f"{microseconds:.3f}us"


@dataclass(frozen=True, slots=True)
class Interval:
    """Microseconds since the profiler was started."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        return self.end - self.start


@dataclass(eq=False, slots=True)
class FunctionEvent:
    """One call. Times are in microseconds; those of `self` are without the calls that it made in turn."""

    id: int
    name: str
    time_range: Interval
    thread: int
    input_shapes: Shapes = ()
    is_user_annotation: bool = False
    cpu_parent: FunctionEvent | None = field(default=None, repr=False)
    cpu_children: list[FunctionEvent] = field(default_factory=list, repr=False)

    @property
    def key(self) -> str:
        return self.name

    @property
    def count(self) -> int:
        return 1

    @property
    def cpu_time_total(self) -> float:
        return self.time_range.elapsed_us()

    @property
    def cpu_time(self) -> float:
        return self.cpu_time_total

    @property
    def self_cpu_time_total(self) -> float:
        return self.cpu_time_total - sum(each.cpu_time_total for each in self.cpu_children)

    @property
    def cpu_time_total_str(self) -> str:
        return time_text(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        return time_text(self.self_cpu_time_total)

    def __repr__(self) -> str:
        return (
            f"<FunctionEvent id={self.id} name={self.name} cpu_time={self.cpu_time_total_str} "
            f"start_us={self.time_range.start:.3f} end_us={self.time_range.end:.3f} "
            f"cpu_children={[each.id for each in self.cpu_children]} thread={self.thread} "
            f"input_shapes={[list(each) for each in self.input_shapes]}>"
        )

    def ancestors(self) -> Iterator[FunctionEvent]:
        """The calls that led here, the innermost first."""
        event = self.cpu_parent
        while event is not None:
            yield event
            event = event.cpu_parent

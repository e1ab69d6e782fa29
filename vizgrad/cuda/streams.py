"""Streams and events: the names of torch.cuda over cupy's.

A thread's work for a device is done on the current stream of that thread, in order. Work on another
stream waits for nothing unless it is told to: `wait_stream`, `wait_event`, or `synchronize` on the host.

A backward runs on the stream that is current where it is called, not on those of the forward: a program that
computes on several streams waits for them before the backward.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, Self

from vizgrad.core.arrays.backend import Device
from vizgrad.cuda.devices import library, number_of


class Event:
    """A place in the work of a stream, made when it is first recorded. As torch.cuda.Event."""

    def __init__(
        self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False
    ) -> None:
        self._options = {
            "block": blocking,
            "disable_timing": not enable_timing,
            "interprocess": interprocess,
        }
        self._timed = enable_timing
        self._own: Any = None

    def record(self, stream: Stream | None = None) -> None:
        """Stands after all that was asked of the stream so far, by default the current one."""
        stream = current_stream() if stream is None else stream
        with library().cuda.Device(stream.device_index):
            if self._own is None:
                self._own = library().cuda.Event(**self._options)
            self._own.record(stream._own)

    def wait(self, stream: Stream | None = None) -> None:
        """Makes all later work of the stream come after the event."""
        (current_stream() if stream is None else stream).wait_event(self)

    def query(self) -> bool:
        """Has all before it been done? True of one that was never recorded."""
        return self._own is None or bool(self._own.done)

    def synchronize(self) -> None:
        """Waits, on the host, until all before it has been done."""
        if self._own is not None:
            self._own.synchronize()

    def elapsed_time(self, end_event: Event) -> float:
        """Milliseconds from this event to a later one.

        RuntimeError unless both were made with `enable_timing=True` and recorded.
        """
        if not (self._timed and end_event._timed):
            raise RuntimeError("Both events must be created with argument 'enable_timing=True'.")
        if self._own is None or end_event._own is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return float(library().cuda.get_elapsed_time(self._own, end_event._own))

    def __repr__(self) -> str:
        return f"<vizgrad.cuda.Event {self._own.ptr:#x}>" if self._own else "<vizgrad.cuda.Event>"


class Stream:
    """A queue of work of a device, beside the others. As torch.cuda.Stream.

    `priority`: -1 for one whose work comes first. In a `with` statement it is the current one.
    """

    def __init__(self, device: Any = None, priority: int = 0) -> None:
        number = number_of(device)
        with library().cuda.Device(number):
            self._set(library().cuda.Stream(non_blocking=True, priority=priority), number)

    def _set(self, own: Any, number: int) -> None:
        self._own = own
        self.device_index = number
        self._outer: list[ExitStack] = []

    @classmethod
    def _of(cls, own: Any, number: int) -> Self:
        made = cls.__new__(cls)
        made._set(own, number)
        return made

    @property
    def device(self) -> Device:
        return Device("cuda", self.device_index)

    @property
    def cuda_stream(self) -> int:
        """CUDA's handle of the stream."""
        return int(self._own.ptr)

    def wait_event(self, event: Event) -> None:
        """Makes all later work of the stream come after the event."""
        if event._own is not None:
            self._own.wait_event(event._own)

    def wait_stream(self, stream: Stream) -> None:
        """Makes all later work of this stream come after all earlier work of the other."""
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """Records an event here, a new one by default; returns it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        """Has all that was asked of it been done?"""
        return bool(self._own.done)

    def synchronize(self) -> None:
        """Waits, on the host, until all that was asked of it has been done."""
        self._own.synchronize()

    def __enter__(self) -> Self:
        entered = ExitStack()
        entered.enter_context(library().cuda.Device(self.device_index))
        entered.enter_context(self._own)
        self._outer.append(entered)
        return self

    def __exit__(self, *_: object) -> None:
        self._outer.pop().close()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (
            (self.cuda_stream, self.device_index) == (other.cuda_stream, other.device_index)
        )

    def __hash__(self) -> int:
        return hash((self.cuda_stream, self.device_index))

    def __repr__(self) -> str:
        return f"<vizgrad.cuda.Stream device=cuda:{self.device_index} cuda_stream={self.cuda_stream:#x}>"


class StreamContext:
    """Inside, the stream is the current one, and its device; None changes nothing."""

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *error: object) -> None:
        if self.stream is not None:
            self.stream.__exit__(*error)


def stream(stream: Stream | None) -> StreamContext:
    """A context in which `stream` is the current one."""
    return StreamContext(stream)


def current_stream(device: Any = None) -> Stream:
    """The stream on which this thread asks for work of the device."""
    number = number_of(device)
    return Stream._of(library().cuda.get_current_stream(number), number)


def default_stream(device: Any = None) -> Stream:
    """The stream that is the current one if no other was chosen."""
    return Stream._of(library().cuda.Stream.null, number_of(device))


def set_stream(stream: Stream | None) -> None:
    """Makes it the current one, and its device, until another is chosen; None changes nothing."""
    if stream is not None:
        library().cuda.Device(stream.device_index).use()
        stream._own.use()


def is_current_stream_capturing() -> bool:
    """Is what the current stream is asked for being recorded into a graph of CUDA's?"""
    return bool(library().cuda.get_current_stream().is_capturing())

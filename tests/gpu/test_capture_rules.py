"""CUDA's rules for streams that are captured, by cupy alone: the emulated device has those of a real one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.gpu


@pytest.fixture
def cupy() -> Any:
    import cupy

    cupy.zeros(1) + 1  # compiled before
    return cupy


class Streams:
    """Two streams that wait for nobody, one that the legacy stream waits for, and memory."""

    def __init__(self, cupy: Any) -> None:
        self.cupy = cupy
        self.stream, self.other = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))
        self.blocking = cupy.cuda.Stream()
        self.event, self.x = cupy.cuda.Event(), cupy.zeros(1)

    def work(self, stream: Any) -> None:
        with stream:
            self.x += 1

    def two_captures(self) -> None:
        self.other.begin_capture()
        try:
            self.event.record(self.other)
            self.stream.wait_event(self.event)
        finally:
            with pytest.raises(RuntimeError, match="previous error"):
                self.other.end_capture()


def _twice(s: Streams) -> None:
    s.stream.begin_capture()


def _event_of_a_capture(s: Streams) -> None:
    s.event.record(s.stream)
    assert not s.event.done


def _another_ends(s: Streams) -> None:
    s.event.record(s.stream)
    s.other.wait_event(s.event)
    s.other.end_capture()


#: What is done while `stream` is captured -> a part of CUDA's error.
REFUSED: dict[str, tuple[Callable[[Streams], Any], str]] = {
    "wait": (lambda s: s.stream.synchronize(), "cudaErrorStreamCaptureUnsupported"),
    "ask": (lambda s: s.stream.done, "cudaErrorStreamCaptureUnsupported"),
    "wait for the device": (
        lambda s: s.cupy.cuda.Device().synchronize(), "cudaErrorStreamCaptureUnsupported",
    ),
    "begin again": (_twice, "cudaErrorIllegalState"),
    "ask an event": (_event_of_a_capture, "cudaErrorCapturedEvent"),
    "end on another stream": (_another_ends, "cudaErrorStreamCaptureUnmatched"),
    "merge two captures": (Streams.two_captures, "cudaErrorStreamCaptureMerge"),
}  # fmt: skip


@pytest.fixture
def streams(cupy: Any) -> Streams:
    return Streams(cupy)


@pytest.mark.parametrize("name", REFUSED)
def test_a_capture_refuses_and_is_of_no_use_then(name: str, streams: Streams) -> None:
    refused, status = REFUSED[name]
    streams.stream.begin_capture()
    streams.work(streams.stream)
    with pytest.raises(RuntimeError, match=status):
        refused(streams)
    with pytest.raises(RuntimeError, match="previous error during capture"):
        streams.stream.end_capture()
    streams.work(streams.stream)
    streams.stream.synchronize()
    assert float(streams.x[0]) == 1, "what was captured is not done"


def test_the_legacy_stream_does_not_wait_for_a_capture(streams: Streams) -> None:
    streams.stream.begin_capture()  # which it would not wait for
    streams.work(streams.cupy.cuda.Stream.null)
    streams.stream.end_capture()
    streams.blocking.begin_capture()
    with pytest.raises(RuntimeError, match="legacy stream"):
        streams.work(streams.cupy.cuda.Stream.null)
    with pytest.raises(RuntimeError, match="previous error during capture"):
        streams.blocking.end_capture()
    assert float(streams.x[0]) == 1


def test_arguments_are_those_of_the_capture(streams: Streams) -> None:
    """Numbers are kept, and so is a structure with the shape of an array; memory is read at each launch."""
    cupy, given = streams.cupy, streams.cupy.arange(6.0)
    out = cupy.empty((2, 3))
    number = 2.0
    with streams.stream:
        streams.stream.begin_capture()
        cupy.multiply(given.reshape(3, 2).T, number, out=out)
        graph = streams.stream.end_capture()
    number = 5.0
    given += 1
    graph.launch(streams.stream)
    streams.stream.synchronize()
    assert out.tolist() == [[2, 6, 10], [4, 8, 12]]

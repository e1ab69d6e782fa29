"""CUDA's runtime: devices, memory, copies, streams and events."""

from __future__ import annotations

import ctypes
import importlib
import itertools
from collections.abc import Callable
from typing import Any

from tests.gpu.emulated import devices, graphs, nccl
from tests.gpu.emulated.account import ACCOUNT

#: cudaMemoryTypeDevice
_OF_A_DEVICE = 2
#: cudaErrorNotReady
_NOT_READY = 600
NEXT = itertools.count(1000)
_TO_HOST = "a copy to the host"
_DIRECTIONS = {0: "HtoH", 1: "HtoD", 2: "DtoH", 3: "DtoD"}
#: cudaDevAttr...: what cupy asks for, of a device with compute capability 9.0.
_ATTRIBUTES = {
    1: 1024, 2: 1024, 3: 1024, 4: 64, 5: 2**31 - 1, 6: 65535, 7: 65535, 8: 49152, 10: 32, 12: 65536,
    16: 132, 39: 2048, 75: 9, 76: 0, 81: 233472, 97: 232448, 106: 32,
}  # fmt: skip
_PROPERTIES = {
    "name": b"emulated", "major": 9, "minor": 0, "multiProcessorCount": 132, "sharedMemPerBlock": 49152,
    "maxThreadsPerBlock": 1024, "maxThreadsPerMultiProcessor": 2048,
    "warpSize": 32, "maxGridSize": (2**31 - 1, 65535, 65535), "pciBusID": 0,
    "regsPerBlock": 65536, "clockRate": 1, "totalGlobalMem": devices.CAPACITY,
}  # fmt: skip


def _moved(to: int, source: int, size: int) -> None:
    if size:
        ctypes.memmove(to, source, size)


def _copy_at_once(to: int, source: int, size: int, kind: int, *_: Any) -> int:
    graphs.check_legacy()
    return _copy(to, source, size, kind)


def _copy(to: int, source: int, size: int, kind: int) -> int:
    _moved(to, source, size)
    direction = _DIRECTIONS.get(kind, "DtoD")
    ACCOUNT.copies.append((direction, size))
    if (
        direction == "DtoH"
    ):  # memory of the host that is not pinned: the call returns when it is there
        ACCOUNT.waits.append(_TO_HOST)
    return 0


def _across(to: int, _to: int, source: int, _source: int, size: int, *_: Any) -> int:
    return _copy_at_once(to, source, size, 3)


def _across_on(
    to: int, _to: int, source: int, _source: int, size: int, stream: int = 0, *_: Any
) -> int:
    if graphs.keep(stream, "a copy", lambda: _moved(to, source, size)):
        return 0
    nccl.settle(stream)
    return _copy(to, source, size, 3)


def _filled(address: int, value: int, size: int) -> None:
    if size:
        ctypes.memset(address, value, size)


def _fill_on(address: int, value: int, size: int, stream: int = 0, *_: Any) -> int:
    if graphs.keep(stream, "memset", lambda: _filled(address, value, size)):
        return 0
    nccl.settle(stream)
    ACCOUNT.launches.append("memset")
    _filled(address, value, size)
    return 0


def _fill(address: int, value: int, size: int, *_: Any) -> int:
    return _fill_on(address, value, size, graphs.LEGACY)


def _device(*_: Any) -> int:
    graphs.check_wait()
    ACCOUNT.waits.append("the device")
    return 0


def _copy_on(to: int, source: int, size: int, kind: int, stream: int = 0, *_: Any) -> int:
    if graphs.keep(stream, "a copy", lambda: _moved(to, source, size)):
        return 0
    nccl.settle(stream)
    return _copy(to, source, size, kind)


def _stream(stream: int = 0, *_: Any) -> int:
    """Waiting for a copy to the host is one wait, though cupy asks for both."""
    graphs.check_wait(stream)
    nccl.settle(stream)
    if ACCOUNT.waits[-1:] == [_TO_HOST]:
        ACCOUNT.waits[-1] = "a copy to the host, and its stream"
    else:
        ACCOUNT.waits.append("a stream")
    return 0


def _stream_query(stream: int, *_: Any) -> int:
    graphs.check_wait(stream)
    return 0


def _number(*_: Any) -> int:
    return next(NEXT)


def _stream_with(flags: int = 0, *_: Any) -> int:
    return graphs.made(next(NEXT), flags)


#: By event: the stream on which it was recorded, and how much that had been given by then.
_recorded: dict[int, tuple[int, int]] = {}


def _record(event: int, stream: int, *_: Any) -> int:
    if not graphs.record(event, stream):
        _recorded[event] = stream, nccl.last()
    return 0


def _query(event: int, *_: Any) -> int:
    graphs.check_event(event)
    found = _recorded.get(event)
    return 0 if found is None or nccl.done(*found) else _NOT_READY


def _wait_for(stream: int, event: int, *_: Any) -> int:
    """What the stream is given later would wait; here the host does."""
    if not graphs.wait(stream, event, event in _recorded):
        _settle(event)
    return 0


def _settle(event: int) -> None:
    if event in _recorded:
        nccl.settle(*_recorded[event])


def _event(event: int, *_: Any) -> int:
    graphs.check_event(event)
    ACCOUNT.waits.append("an event")
    _settle(event)
    return 0


def _elapsed(start: int, end: int, *_: Any) -> float:
    graphs.check_event(start)
    graphs.check_event(end)
    return 1.0


# --- capture, and graphs -----------------------------------------------------------------------------------


def _begin(stream: int, *rest: Any) -> int:
    """From C, the mode lies behind the number of optional arguments."""
    mode = graphs.RELAXED
    if len(rest) == 2 and rest[1]:
        mode = (ctypes.c_int * 2).from_address(rest[1])[1]
    elif len(rest) == 1:
        mode = rest[0]
    graphs.begin(stream, mode)
    return 0


def _launch(graph: int, stream: int, *_: Any) -> int:
    nccl.settle(stream)
    graphs.launch(graph, stream)
    return 0


def _pointer_attributes(address: int, *_: Any) -> Any:
    """All memory is a device's."""
    runtime = importlib.import_module("cupy_backends.cuda.api.runtime")
    return runtime.PointerAttributes(runtime.getDevice(), address, 0, _OF_A_DEVICE)


#: By name. What is missing is in `devices.cpp`, or does nothing.
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "deviceGetAttribute": lambda attribute, *_: _ATTRIBUTES.get(attribute, 0),
    "getDeviceProperties": lambda *_: dict(_PROPERTIES),
    "runtimeGetVersion": lambda *_: 12090,
    "driverGetVersion": lambda *_: 12090,
    "_getCUDAMajorVersion": lambda *_: 12,
    "memGetInfo": lambda *_: (devices.CAPACITY - devices.used(), devices.CAPACITY),
    "pointerGetAttributes": _pointer_attributes,
    "memcpy": _copy_at_once,
    "memcpyAsync": _copy_on,
    "memcpyPeer": _across,
    "memcpyPeerAsync": _across_on,
    "memset": _fill,
    "memsetAsync": _fill_on,
    "streamCreate": lambda *_: _stream_with(),
    "streamCreateWithFlags": _stream_with,
    "streamCreateWithPriority": _stream_with,
    "streamSynchronize": _stream,
    "streamQuery": _stream_query,
    "deviceSynchronize": _device,
    "eventCreate": _number,
    "eventCreateWithFlags": _number,
    "eventRecord": _record,
    "eventQuery": _query,
    "eventSynchronize": _event,
    "streamWaitEvent": _wait_for,
    "eventElapsedTime": _elapsed,
    "streamBeginCapture": _begin,
    "streamEndCapture": lambda stream, *_: graphs.end(stream),
    "streamIsCapturing": lambda stream, *_: int(graphs.capturing(stream)),
    "graphInstantiate": lambda graph, *_: graphs.instantiate(graph),
    "graphDestroy": lambda graph, *_: graphs.destroy(graph),
    "graphExecDestroy": lambda graph, *_: graphs.destroy_ready(graph),
    "graphLaunch": _launch,
}

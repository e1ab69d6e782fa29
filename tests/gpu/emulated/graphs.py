"""Capture of a stream into a graph, and graphs that are launched: CUDA's rules, from its documentation.

While a stream is captured, nothing that it is asked for is done: it is kept with its arguments, in order. A
graph does it, with the same arguments, each time that it is launched. To wait for such a stream, or
to ask how far it is, is refused, and the capture is of no use from then on.
"""

from __future__ import annotations

import ctypes
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.gpu.emulated.account import ACCOUNT

#: cudaErrorIllegalState, cudaErrorStreamCapture...
ILLEGAL_STATE, UNSUPPORTED, INVALIDATED, MERGE, UNMATCHED, UNJOINED = 401, 900, 901, 902, 903, 904
ISOLATION, IMPLICIT, CAPTURED_EVENT = 905, 906, 907
#: cudaStreamCaptureModeRelaxed, the one that cupy uses, and a flag of streams.
RELAXED, NON_BLOCKING = 2, 1
LEGACY = 0

_NUMBERS = count(5_000_000)


class Refused(Exception):
    """A function of CUDA's gives this status."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass
class Capture:
    """What is kept of a stream, and of those that were forked from it."""

    origin: int
    #: What is done when the graph is launched, and the name of each kernel among it.
    work: list[tuple[str, Callable[[], None]]] = field(default_factory=list)
    #: By stream: how much of each stream comes before what the stream is asked for next.
    seen: dict[int, Counter[int]] = field(default_factory=dict)
    spoiled: bool = False


#: By stream, the capture that it belongs to.
_captures: dict[int, Capture] = {}
#: By event that was recorded in a captured stream: the capture, and what came before it.
_events: dict[int, tuple[Capture, Counter[int]]] = {}
#: Streams that wait for the legacy stream, and it for them.
_blocking: set[int] = set()
_graphs: dict[int, list[tuple[str, Callable[[], None]]]] = {}
_ready: dict[int, list[tuple[str, Callable[[], None]]]] = {}


def made(stream: int, flags: int) -> int:
    if not flags & NON_BLOCKING:
        _blocking.add(stream)
    return stream


def under_way() -> bool:
    """Is any stream captured?"""
    return bool(_captures)


def capturing(stream: int) -> bool:
    found = _captures.get(stream)
    if found is not None and found.spoiled:
        raise Refused(INVALIDATED)
    return found is not None


def keep(stream: int, name: str, work: Callable[[], None]) -> bool:
    """Is the stream captured? Then `work` is kept, and not done."""
    if not _captures:
        return False
    if stream == LEGACY:
        check_legacy()
        return False
    if not capturing(stream):
        return False
    found = _captures[stream]
    found.work.append((name, work))
    found.seen[stream][stream] += 1
    return True


def check_legacy() -> None:
    """The legacy stream waits for all blocking streams, which one that is captured cannot allow."""
    for stream, found in list(_captures.items()):
        if stream in _blocking:
            found.spoiled = True
            raise Refused(IMPLICIT)


def check_wait(stream: int | None = None) -> None:
    """Before the host waits for a stream, or for the device (None)."""
    spoiled = [found for of, found in _captures.items() if stream is None or of == stream]
    for found in spoiled:
        found.spoiled = True
    if spoiled:
        raise Refused(UNSUPPORTED)
    if stream == LEGACY:
        check_legacy()


# --- events -------------------------------------------------------------------------------------------


def record(event: int, stream: int) -> bool:
    """Is the stream captured? Then the event is a place in the capture."""
    _events.pop(event, None)
    if not capturing(stream):
        return False
    found = _captures[stream]
    _events[event] = found, Counter(found.seen[stream])
    return True


def check_event(event: int) -> None:
    """Before the host waits for an event, or asks for it."""
    if event in _events:
        _events[event][0].spoiled = True
        raise Refused(CAPTURED_EVENT)


def wait(stream: int, event: int, recorded: bool) -> bool:
    """The stream waits for the event: is this part of a capture?"""
    own, known = _captures.get(stream), _events.get(event)
    if known is None:
        if own is not None and recorded:
            own.spoiled = True
            raise Refused(ISOLATION)
        return own is not None
    other, before = known
    if other.spoiled or _captures.get(other.origin) is not other:
        raise Refused(INVALIDATED if other.spoiled else CAPTURED_EVENT)
    if stream == LEGACY:
        other.spoiled = True
        raise Refused(IMPLICIT)
    if own is None:
        _captures[stream] = other
        other.seen[stream] = Counter()
    elif own is not other:
        own.spoiled = other.spoiled = True
        raise Refused(MERGE)
    other.seen[stream] |= before
    return True


# --- from the beginning of a capture to launches of its graph ------------------------------------------


def begin(stream: int, mode: int) -> None:
    assert mode == RELAXED, "only the relaxed mode is emulated"
    if stream == LEGACY:
        raise Refused(UNSUPPORTED)
    if stream in _captures:
        _captures[stream].spoiled = True
        raise Refused(ILLEGAL_STATE)
    _captures[stream] = Capture(stream)
    _captures[stream].seen[stream] = Counter()
    _watch_products(on=True)


def end(stream: int) -> int:
    found = _captures.get(stream)
    if found is None:
        raise Refused(ILLEGAL_STATE)
    if found.origin != stream:
        found.spoiled = True
        raise Refused(UNMATCHED)
    for each in [each for each, other in _captures.items() if other is found]:
        del _captures[each]
    _watch_products(on=bool(_captures))
    if found.spoiled:
        raise Refused(INVALIDATED)
    joined = found.seen[stream]
    if any(joined[each] < own[each] for each, own in found.seen.items()):
        raise Refused(UNJOINED)
    number = next(_NUMBERS)
    _graphs[number] = found.work
    return number


def instantiate(graph: int) -> int:
    number = next(_NUMBERS)
    _ready[number] = _graphs[graph]
    return number


def launch(graph: int, stream: int) -> None:
    """One launch, whatever is in it; in a stream that is captured a part of the new graph."""
    work = _ready[graph]
    if keep(stream, "a graph", lambda: _do(work)):
        return
    ACCOUNT.launches.append("a graph")
    _do(work)


def _do(work: list[tuple[str, Callable[[], None]]]) -> None:
    for _, do in work:
        do()


def destroy(graph: int) -> None:
    _graphs.pop(graph, None)


def destroy_ready(graph: int) -> None:
    _ready.pop(graph, None)


def kernels(graph: int) -> list[str]:
    """What a graph does, by name."""
    return [name for name, _ in _ready[graph]]


def check_emulated(name: str, stream: int) -> None:
    """For what numpy answers: NotImplementedError in a stream that is captured."""
    if capturing(stream):
        raise NotImplementedError(
            f"emulated device: {name} is answered by numpy, and cannot be kept for a graph"
        )


# --- products of cuBLAS -------------------------------------------------------------------------------

_TAKE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_ssize_t, ctypes.c_long)


class _Product:
    """One that cuBLAS keeps for a graph, by number."""

    def __init__(self, library: Any, number: int) -> None:
        self._library, self._number = library, number

    def __call__(self) -> None:
        self._library.emulated_run(self._number)

    def __del__(self) -> None:
        self._library.emulated_forget(self._number)


def _take(stream: int, number: int) -> int:
    """1 if the product was kept, 0 if it is to be done, -1 if CUDA refuses it."""
    try:
        return keep(stream, "a product", _Product(_cublas(), number))
    except Refused:
        return -1


_taking = _TAKE(_take)


def _cublas() -> Any:
    from tests.gpu.emulated import libraries

    return libraries.of("cublas")


def _watch_products(*, on: bool) -> None:
    """cuBLAS asks whether a stream is captured, as long as one is."""
    asked = ctypes.cast(_taking, ctypes.c_void_p).value if on else None
    ctypes.c_void_p.in_dll(_cublas(), "emulated_take").value = asked

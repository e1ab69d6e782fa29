"""Statistics of an array of a device: one launch, and one read when the numbers are asked for.

`over_all` makes such a launch of a function, which is traced like the others:

    @over_all
    def look(x):
        return total(x * x), largest(x), total(np.isnan(x).astype(x.dtype))

The function is given a flat array and returns float64 reductions (`elements.total`, `elements.largest`) of
what it makes of single elements. The launch gives them as one array on the device, in that order; nobody
waits.

Results that nobody has asked for yet are read together: the first that is asked for brings all of its stream
to the host in one copy, and the host waits once.

Each block of threads goes over a share of the elements and stores its parts; the block that is the last to do
so joins the parts of all, always in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from math import inf, isfinite, sqrt
from threading import RLock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

import numpy as np

from vizgrad.core.arrays.backend import Array, namespace_of, near, to_host
from vizgrad.core.arrays.chunks import in_memory_order, once
from vizgrad.core.arrays.fusion import launch
from vizgrad.core.arrays.fusion.elements import largest, total
from vizgrad.core.arrays.fusion.program import (
    C_TYPES,
    Argument,
    Program,
    Result,
    Trace,
    Value,
    kernel_name,
    pruned,
)
from vizgrad.core.arrays.graph_capture import NOTHING_DONE, check_not_captured
from vizgrad.core.arrays.statistics import (
    SMALLEST_SQUARES,
    VALUES_TOLD,
    Statistics,
    norm_with,
    quick,
    times_power,
)

# --- kernels that reduce all elements of an array, traced like the others -----------------------------


#: Enough to keep a large device busy; then a thread takes several elements.
MOST_BLOCKS = 512
_DOUBLE = np.dtype(np.float64)
T = TypeVar("T")


def over_all(function: Callable[[Any], tuple[Any, ...]]) -> Callable[[Array], Array]:
    """Makes a function of a flat, contiguous array of a type that C has one launch."""
    programs: dict[Any, Program] = {}

    @wraps(function)
    def run(x: Array) -> Array:
        program = programs.get(x.dtype.char)
        if program is None:
            program = programs[x.dtype.char] = _traced(function, x.dtype)
        return _launched(program, x)

    return run


def _traced(function: Callable[[Any], tuple[Any, ...]], dtype: Any) -> Program:
    trace = Trace()
    found = function(trace.argument(Argument(Value("x", dtype), "elements", 0)))
    results = tuple(Result(r.value, None) for r in found)
    assert all(r.value.per_row and r.value.dtype == _DOUBLE for r in results)
    return pruned(Program(kernel_name(function), (*trace.arguments,), (*trace.steps,), results))


def _launched(program: Program, x: Array) -> Array:
    library = namespace_of(x)
    if hasattr(library, "run_program"):  # the tests' fake, which cannot run CUDA C
        whole = (1, x.size)
        found = library.run_program(program, [x.reshape(whole)], whole)
        return np.concatenate([part.reshape(-1) for part in found])
    wanted = -(-x.size // launch.MOST_THREADS)
    blocks, count = max(1, min(wanted, MOST_BLOCKS)), len(program.results)
    with x.device:
        # The results, then the parts of each block.
        memory = library.empty(count * (blocks + 1), _DOUBLE)
        stored = counter(library, x.device.id, library.cuda.get_current_stream().ptr)
        kernel = _compiled(library, program)
        kernel((blocks,), (launch.MOST_THREADS,), (x, memory, stored, np.int64(x.size)))
        return memory[:count]


@cache
def counter(library: Any, _device: int, _stream: int) -> Array:
    """How many blocks of a launch have stored their parts: 0 between the launches of a stream."""
    return library.zeros(1, np.uint32)


@cache
def _compiled(library: Any, program: Program) -> Any:
    return library.RawKernel(launch.whole(program), program.name)


# --- statistics of an array ---------------------------------------------------------------------------


#: For float64, squares and sums are also taken of elements times these powers of two.
_DOWN, _UP, _A_LITTLE_DOWN = -600, 600, -64


@near
def look(array: Array) -> Callable[[], Statistics]:
    """`quick_statistics.quick_later` of an array on a device."""
    if array.size <= VALUES_TOLD:
        return Reading(array.copy(), quick)
    own, times = once(array)
    if own.dtype.kind == "c":
        own = np.absolute(own.astype(np.complex128))  # see `statistics.magnitudes`
    elif own.dtype not in C_TYPES:
        own = own.astype(np.float32)  # a half
    size, wide = own.size, own.dtype == _DOUBLE
    flat = in_memory_order(own).reshape(-1)
    if not flat.flags.c_contiguous:  # in even steps: flat without a copy
        flat = flat.copy()
    numbers = (seen_of_double if wide else seen)(flat)
    return Reading(numbers, lambda read: _told(read.tolist(), size, times))


class Reading(Generic[T]):
    """Gives what `tell` makes of an array of a device, which is read when this, or another, is called."""

    __slots__ = ("__weakref__", "_found", "_memory", "_stream", "_tell")

    def __init__(self, array: Array, tell: Callable[[np.ndarray], T]) -> None:
        check_not_captured("values cannot be looked at", NOTHING_DONE)
        self._memory: Array = array
        self._tell = tell
        self._found: T | None = None
        self._stream = namespace_of(array).cuda.get_current_stream()
        if array.size:
            with _LOCK:
                _unread.setdefault((array.device.id, self._stream.ptr), WeakSet()).add(self)

    def __call__(self) -> T:
        if self._found is None:
            with _LOCK:
                if self._found is None:
                    self._read()
        assert self._found is not None
        return self._found

    def _read(self) -> None:
        if not self._memory.size:
            self._take(np.empty(self._memory.shape, self._memory.dtype))
            return
        library, device = namespace_of(self._memory), self._memory.device
        readings = [*_unread.pop((device.id, self._stream.ptr), ())]
        if (
            self not in readings
        ):  # not there any more: it is read while another thread is interrupted
            readings.append(self)
        with device, self._stream:
            parts = [r._memory.reshape(-1).view(np.uint8) for r in readings]
            host = to_host(parts[0] if len(parts) == 1 else library.concatenate(parts))
        at = 0
        for reading, part in zip(readings, parts, strict=True):
            memory = reading._memory
            bytes_ = host[at : at + part.size].copy()  # at an address that suits any type
            own = bytes_.view(memory.dtype).reshape(memory.shape)
            at += part.size
            reading._take(own)

    def _take(self, host: np.ndarray) -> None:
        self._found = self._tell(host)
        self._memory = None


_LOCK = RLock()
#: Readings that nobody has asked for yet, by device and stream. The references are weak.
_unread: dict[tuple[int, int], WeakSet[Reading[Any]]] = {}


def _sums(x: Any) -> tuple[Any, ...]:
    """How many are finite, zero, NaN; of the finite ones minus the least, the largest, sum, squares."""
    zero, one, least = np.float64(0), np.float64(1), np.float64(-inf)
    finite = np.isfinite(x)
    good = np.where(finite, x, zero)
    return (
        total(np.where(finite, one, zero)),
        total(np.where(x == zero, one, zero)),
        total(np.where(np.isnan(x), one, zero)),
        largest(np.where(finite, -x, least)),
        largest(np.where(finite, x, least)),
        total(good),
        total(good * good),
    )


@over_all
def seen(x: Any) -> tuple[Any, ...]:
    return _sums(x.astype(_DOUBLE))


@over_all
def seen_of_double(x: Any) -> tuple[Any, ...]:
    """With sums and squares that neither overflow nor vanish."""
    good = np.where(np.isfinite(x), x, np.float64(0))
    less, more = good * np.float64(2.0**_DOWN), good * np.float64(2.0**_UP)
    return (
        *_sums(x),
        total(good * np.float64(2.0**_A_LITTLE_DOWN)),
        total(less * less),
        total(more * more),
    )


def _told(numbers: list[float], size: int, times: int) -> Statistics:
    finite, zeros, nans, negative, high, sum_, squares, *wider = numbers
    counted = int(finite)
    zero, nan, inf_ = (times * int(n) for n in (zeros, nans, size - finite - nans))
    if not counted:
        return Statistics(norm_with(0, nan, inf_), None, None, None, zero, nan, inf_)
    norm, mean, low = sqrt(squares), sum_ / counted, -negative + 0.0
    if wider and (low or high):
        if not isfinite(sum_):
            mean = times_power(wider[0] / counted, -_A_LITTLE_DOWN)
        if squares == inf:
            norm = times_power(sqrt(wider[1]), -_DOWN)
        elif squares < SMALLEST_SQUARES:
            norm = times_power(sqrt(wider[2]), -_UP)
    norm = norm_with(norm * sqrt(times), nan, inf_)
    return Statistics(norm, low, high, mean, zero, nan, inf_)

"""Fused functions of many arrays in one launch: what an optimizer does to each of its parameters.

    with together():
        for param, grad in ...:
            adam_step(param, grad, ...)

Inside, a call of a `fused` function that only writes to its arguments waits; in the end all calls of one
program with the same numbers are one launch. A call whose arrays are of different sizes or not in one order
is launched by itself, at once. Code inside does not read what these calls write.

A kernel is given a table in the memory of the device, with a row for each call: the first chunk of elements
that is its own, how many elements there are, and where its arrays are. Each block of threads looks up whose
chunk it has.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import (
    DEVICES,
    Array,
    is_on_host,
    library_of_devices,
    namespace_of,
    places,
)
from vizgrad.core.arrays.fusion import launch
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
from vizgrad.core.arrays.graph_capture import capture

#: So many elements of an array are one block's.
CHUNK = 4096
_THREADS = 256
#: Tables that are kept, for steps that find the same arrays again.
_MOST_TABLES = 64

Call = tuple[Program, list[Any]]


class _Queue(threading.local):
    calls: list[Call] | None = None
    written: set[int]


_queue = _Queue()


@contextmanager
def together() -> Iterator[None]:
    """Inside, fused functions that only write to their arguments wait; then they are few launches."""
    if library_of_devices() is None or _queue.calls is not None:
        yield
        return
    _queue.calls, _queue.written = [], set()
    try:
        yield
    finally:
        calls, _queue.calls = _queue.calls, None
        _launch(calls)


def put(program: Program, arguments: list[Any]) -> bool:
    """Takes a call that can wait, inside `together`."""
    if _queue.calls is None or any(r.into is None for r in program.results):
        return False
    targets = {r.into: arguments[r.into] for r in program.results if r.into is not None}
    like = next(iter(targets.values()))
    read = {argument.number for argument in program.arguments}
    given = [*program.arguments]
    given += [  # written, and not read
        Argument(Value(f"a{number}", target.dtype), "elements", number)
        for number, target in targets.items()
        if number not in read
    ]
    found = [_read(argument, arguments, like, targets) for argument in given]
    if not (like.flags.c_contiguous or like.flags.f_contiguous) or None in found:
        return False
    program = program._replace(arguments=tuple(a for a in found if a is not None))
    own = {array.data.ptr for array in targets.values()}
    if own & _queue.written:  # in one launch nobody knows which comes first
        _launch(_queue.calls)
        _queue.calls, _queue.written = [], set()
    _queue.written |= own
    if like.size:
        _queue.calls.append((program, arguments))
    return True


def _read(argument: Argument, arguments: list[Any], like: Any, targets: Any) -> Argument | None:
    """The argument as the kernel reads it; None if it cannot."""
    if argument.place != "elements":
        return argument
    array = arguments[argument.number]
    if array.shape == like.shape and array.strides == like.strides:
        return argument
    if array.size == 1 and argument.number not in targets:
        return argument._replace(place="one")
    return None


def _arrays(program: Program, arguments: list[Any]) -> list[Any]:
    return [arguments[a.number] for a in program.arguments if a.place != "number"]


def _numbers(program: Program, arguments: list[Any]) -> list[float]:
    return [arguments[a.number] for a in program.arguments if a.place == "number"]


def _launch(calls: list[Call]) -> None:
    groups: dict[Any, list[Call]] = {}
    for program, arguments in calls:
        device = _arrays(program, arguments)[0].device.id  # all are on one, or fused would not run
        key = program, device, *_numbers(program, arguments)
        groups.setdefault(key, []).append((program, arguments))
    for group in groups.values():
        program, arguments = group[0]
        with _arrays(program, arguments)[0].device:
            if len(group) == 1:
                launch.over_elements(program, arguments)
            else:
                _over_many(program, [given for _, given in group])


def _over_many(program: Program, given: list[list[Any]]) -> None:
    library = namespace_of(_arrays(program, given[0])[0])
    if hasattr(library, "run_programs"):  # the tests' fake, which cannot run CUDA C
        library.run_programs(program, given)
        return
    table, blocks, count = _table(library, [_arrays(program, arguments) for arguments in given])
    numbers = map(np.float64, _numbers(program, given[0]))
    kernel = _compiled(library, program)
    kernel((blocks,), (_THREADS,), (table, np.int32(count), *numbers))


@cache
def _compiled(library: Any, program: Program) -> Any:
    return library.RawKernel(text(program), f"{program.name}_of_many")


# --- sums over many arrays ----------------------------------------------------------------------------


def sum_of_many(function: Callable[[Any], Any]) -> Callable[[list[Array]], Array | None]:
    """Makes a function of elements the sum of its results over all elements of many arrays, in two launches.

    The sum is of float64, in the same order each time, and stays on the device. None where the arrays are not
    of one device and of one type that C has, each in one piece.
    """
    programs: dict[str, Program] = {}

    def run(arrays: list[Array]) -> Array | None:
        first = arrays[0]
        if (
            is_on_host(first)
            or first.dtype not in C_TYPES
            or any(
                a.dtype != first.dtype
                or type(a) is not type(first)
                or not (a.flags.c_contiguous or a.flags.f_contiguous)
                for a in arrays
            )
        ):
            return None
        if DEVICES.several and len(places(arrays)) > 1:
            return None
        program = programs.get(first.dtype.char)
        if program is None:
            program = programs[first.dtype.char] = _traced(function, first.dtype)
        with first.device:
            return _sum(
                program, [a for a in arrays if a.size] or [np.zeros_like(first, shape=(1,))]
            )

    return run


def _traced(function: Callable[[Any], Any], dtype: Any) -> Program:
    trace = Trace()
    x = trace.argument(Argument(Value("x", dtype), "elements", 0))
    found = function(x).astype(np.dtype(np.float64)).reduced("row_sum")
    results = (Result(found.value, None),)
    name = kernel_name(function)
    return pruned(Program(name, (*trace.arguments,), (*trace.steps,), results))


def _sum(program: Program, arrays: list[Array]) -> Array:
    library = namespace_of(arrays[0])
    if hasattr(library, "run_programs"):  # the tests' fake, which cannot run CUDA C
        flat = [[a.reshape((1, a.size))] for a in arrays]
        parts = library.run_programs(program, flat, [(1, a.size) for a in arrays])
        return np.concatenate([part.reshape(-1) for part in parts]).sum()
    table, blocks, count = _table(library, [[a] for a in arrays])
    parts = library.empty(blocks, np.float64)
    _compiled_sum(library, program)((blocks,), (_THREADS,), (table, np.int32(count), parts))
    return parts.sum()


@cache
def _compiled_sum(library: Any, program: Program) -> Any:
    return library.RawKernel(text_of_sum(program), f"{program.name}_of_many")


# --- the table, and the texts of the kernels ------------------------------------------------------------


_tables: dict[Any, tuple[Any, int]] = {}


def _table(library: Any, given: list[list[Array]]) -> tuple[Any, int, int]:
    """(the table on the device, how many chunks there are, how many rows)."""
    rows = tuple((max(a.size for a in arrays), *(a.data.ptr for a in arrays)) for arrays in given)
    if (found := capture()) is not None:  # the graph keeps a table of its own
        return (
            found.uploaded(_rows_of(rows)),
            sum(-(-size // CHUNK) for size, *_ in rows),
            len(rows),
        )
    key = library.cuda.runtime.getDevice(), rows
    known = _tables.pop(key, None)
    if known is None:
        known = library.asarray(_rows_of(rows)), sum(-(-size // CHUNK) for size, *_ in rows)
    while len(_tables) >= _MOST_TABLES:
        del _tables[next(iter(_tables))]
    _tables[key] = known  # the last one used is the last one to go
    return *known, len(rows)


def _rows_of(rows: tuple[tuple[int, ...], ...]) -> np.ndarray:
    counts = [-(-size // CHUNK) for size, *_ in rows]
    firsts = np.cumsum([0, *counts[:-1]])
    return np.column_stack([firsts, np.array(rows, np.int64)])


def _place(width: int) -> list[str]:
    """Which row of the table the block has, and which of its elements."""
    return [
        f"const int width = {width};",
        "int low = 0, high = count - 1;",
        "while (low < high) {",
        "  const int middle = (low + high + 1) / 2;",
        "  if (table[middle * width] <= blockIdx.x) low = middle; else high = middle - 1;",
        "}",
        "const long long* row_of = table + low * width;",
        f"const long long first = (blockIdx.x - row_of[0]) * {CHUNK};",
        f"const long long n = row_of[1] < first + {CHUNK} ? row_of[1] : first + {CHUNK};",
    ]


_TABLE = ["const long long* __restrict__ table", "const int count"]


def text(program: Program) -> str:
    """A kernel over the table: `name_of_many(table, count, numbers...)`."""
    arrays = [a for a in program.arguments if a.place != "number"]
    numbers = [a for a in program.arguments if a.place == "number"]
    given = _TABLE + [f"const double {a.value.name}" for a in numbers]
    written = {r.into: r.value for r in program.results}
    places: list[str] = []
    loads: list[str] = []
    for number, argument in enumerate(arrays):
        kind, name = launch.type_of(argument.value), argument.value.name
        const = "" if argument.number in written else "const "
        places.append(f"{const}{kind}* p_{name} = ({const}{kind}*)row_of[{number + 2}];")
        loads.append(f"const {kind} {name} = p_{name}[{'0' if argument.place == 'one' else 'i'}];")
    by_number = {a.number: a.value.name for a in arrays}
    stores = [
        f"p_{by_number[into]}[i] = {value.name};"
        for into, value in written.items()
        if into is not None
    ]
    lines = [
        *_place(len(arrays) + 2),
        *places,
        "for (long long i = first + threadIdx.x; i < n; i += blockDim.x) {",
        *(f"  {line}" for line in (*loads, *map(launch.declared, program.steps), *stores)),
        "}",
    ]
    head = f'extern "C" __global__ void {program.name}_of_many({", ".join(given)}) {{\n'
    return launch.ELEMENTWISE_PREAMBLE + head + "\n".join(f"  {line}" for line in lines) + "\n}\n"


def text_of_sum(program: Program) -> str:
    """A kernel over the table that stores the sum of each chunk: `name_of_many(table, count, parts)`."""
    value = program.arguments[0].value
    kind = launch.type_of(value)
    lines = [
        *_place(3),
        "const long long row = 0;",
        f"const {kind}* p_{value.name} = (const {kind}*)row_of[2];",
        *launch.reduced(program, program.steps[-1], "first + threadIdx.x"),
        f"if (threadIdx.x == 0) parts[blockIdx.x] = {program.results[0].value.name};",
    ]
    given = ", ".join([*_TABLE, "double* __restrict__ parts"])
    head = f'extern "C" __global__ void {program.name}_of_many({given}) {{\n'
    return launch.PREAMBLE + head + "\n".join(f"  {line}" for line in lines) + "\n}\n"

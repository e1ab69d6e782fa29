"""Kernels that reduce all elements of an array to a few numbers, in one launch: traced like the others.

    @over_all
    def look(x):
        return total(x * x), largest(x), total(np.isnan(x).astype(x.dtype))

The function is given a flat array and returns float64 reductions (`rows.total`, `rows.largest`) of what it
makes of single elements. The launch gives them as one array on the device, in that order; nobody waits.

Each block of threads goes over a share of the elements and stores its parts; the block that is the last to do
so joins the parts of all, always in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, namespace_of
from vizgrad.core.arrays.fusion import launch
from vizgrad.core.arrays.fusion.program import (
    Argument,
    Program,
    Result,
    Trace,
    Value,
    kernel_name,
    pruned,
)

#: Enough to keep a large device busy; then a thread takes several elements.
_MOST_BLOCKS = 512
_DOUBLE = np.dtype(np.float64)


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
    blocks, count = max(1, min(wanted, _MOST_BLOCKS)), len(program.results)
    with x.device:
        # The results, then the parts of each block, then how many blocks have stored theirs.
        memory = library.zeros(count * (blocks + 1) + 1, _DOUBLE)
        kernel = _compiled(library, program)
        kernel((blocks,), (launch.MOST_THREADS,), (x, memory, np.int64(x.size)))
        return memory[:count]


@cache
def _compiled(library: Any, program: Program) -> Any:
    return library.RawKernel(launch.whole(program), program.name)

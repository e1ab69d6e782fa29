"""Running programs on a device: each is compiled once, and is one launch from then on."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, namespace_of
from vizgrad.core.arrays.fusion import source
from vizgrad.core.arrays.fusion.program import Program

#: A grid of this many blocks keeps the largest device busy; a block then takes several rows.
_MOST_BLOCKS = 1 << 16


def over_elements(program: Program, arguments: list[Any]) -> list[Array]:
    """The results of a program on arrays that broadcast, and on numbers."""
    given = [arguments[a.number] for a in program.arguments]
    library = namespace_of(next(a for a in given if not isinstance(a, float)))
    if hasattr(library, "run_program"):  # the tests' fake, which cannot run CUDA C
        return library.run_program(program, arguments)
    written = [arguments[r.into] for r in program.results if r.into is not None]
    outs = [
        arguments[r.into] if r.into is not None else library.empty(written[0].shape, r.value.dtype)
        for r in program.results
        if written
    ]
    found = _elementwise(library, program)(*given, *outs)
    return list(found) if isinstance(found, tuple) else [found]


def over_rows(program: Program, arguments: list[Any], shape: tuple[int, int]) -> list[Array]:
    """The results of a program on contiguous arrays: matrices of `shape`, columns (rows, 1)."""
    library = namespace_of(arguments[0])
    if hasattr(library, "run_program"):
        return library.run_program(program, arguments, shape)
    rows, n = shape
    results = [
        library.empty((rows, 1) if r.value.per_row else shape, r.value.dtype)
        for r in program.results
    ]
    given = [
        np.float64(arguments[a.number]) if a.place == "number" else arguments[a.number]
        for a in program.arguments
        if a.number >= 0
    ]
    if rows:
        grid, block = (min(rows, _MOST_BLOCKS),), (source.threads_for(n),)
        _of_rows(library, program)(grid, block, (*given, *results, np.int64(rows), np.int64(n)))
    return results


@cache
def _elementwise(library: Any, program: Program) -> Any:
    inputs, outputs, body = source.elementwise(program)
    return library.ElementwiseKernel(
        inputs, outputs, body, program.name, preamble=source.ELEMENTWISE_PREAMBLE
    )


@cache
def _of_rows(library: Any, program: Program) -> Any:
    return library.RawKernel(source.rows(program), program.name)

"""Running programs on a device: each is compiled once, and is one launch from then on.

CUDA C of a program: of one over elements the body of a cupy.ElementwiseKernel, of others a kernel.

A kernel of rows gives each row of a matrix to one block of threads. A reduction is a loop over the row in
which every thread keeps a part, then the parts are joined in shared memory. The values of single
elements for a reduction or the result are computed where they are needed, as often as they are
needed: registers are cheaper than memory. A kernel over all elements does the same with every block of
the grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array, namespace_of
from vizgrad.core.arrays.fusion.program import (
    C_REDUCTIONS,
    C_TYPES,
    Argument,
    Operand,
    Program,
    Step,
    Value,
    text_of,
)

# CUDA C of a program: of one over elements the body of a cupy.ElementwiseKernel, of others a kernel.

#: The most threads that share a row. A power of two: the parts are joined in halves.
MOST_THREADS = 256

_INFINITY = """\
template <typename T> __device__ T endless();
template <> __device__ float endless<float>() { return __int_as_float(0x7f800000); }
template <> __device__ double endless<double>() { return __longlong_as_double(0x7ff0000000000000LL); }
"""


def _joined(name: str, op: str) -> str:
    combined = C_REDUCTIONS[op][1].format("x", "y")
    return f"""\
template <typename T> __device__ T {name}(T x) {{
  __shared__ T parts[{MOST_THREADS}];
  __syncthreads();
  parts[threadIdx.x] = x;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {{
    __syncthreads();
    if (threadIdx.x < half) {{
      T y = parts[threadIdx.x + half];
      parts[threadIdx.x] = {combined};
      x = parts[threadIdx.x];
    }}
  }}
  __syncthreads();
  return parts[0];
}}
"""


PREAMBLE = _INFINITY + "".join(_joined(name, op) for op, (_, _, name) in C_REDUCTIONS.items())


def literal(number: Any, dtype: np.dtype) -> str:
    """A number as C reads it back to the last bit."""
    if dtype.kind == "b":
        return "true" if number else "false"
    if dtype.kind != "f":
        return f"({C_TYPES[dtype]})({int(number)}LL)"
    value = dtype.type(number)
    if np.isfinite(value):
        return f"({float(value)!r})" if dtype.itemsize == 8 else f"({value!s}f)"
    kind = C_TYPES[dtype]
    if np.isnan(value):
        return f"(endless<{kind}>() - endless<{kind}>())"
    return f"({'-' if value < 0 else ''}endless<{kind}>())"


def _operand(operand: Operand, dtype: np.dtype) -> str:
    if not isinstance(operand, Value):
        return literal(operand, dtype)
    return operand.name if operand.dtype == dtype else f"({C_TYPES[dtype]})({operand.name})"


def _expression(step: Step) -> str:
    text = text_of(step.op, step.types)
    assert text is not None  # the trace has asked already
    operands = map(_operand, step.operands, step.types)
    return text.format(*operands, T=type_of(step.result))


def type_of(value: Value) -> str:
    return "double" if value.dtype is None else C_TYPES[value.dtype]


def declared(step: Step) -> str:
    return f"{type_of(step.result)} {step.result.name} = {_expression(step)};"


# --- over elements --------------------------------------------------------------------------------


def elementwise(program: Program) -> tuple[str, str, str]:
    """(input parameters, output parameters, body) as cupy.ElementwiseKernel takes them."""
    inputs = ", ".join(
        f"{'float64' if a.value.dtype is None else a.value.dtype.name} {a.value.name}"
        for a in program.arguments
    )
    outputs = ", ".join(f"{r.value.dtype.name} r{i}" for i, r in enumerate(program.results))
    lines = [declared(s) for s in program.steps]
    lines += [f"r{i} = {r.value.name};" for i, r in enumerate(program.results)]
    return inputs, outputs, "\n".join(lines)


#: Goes before the kernel of `elementwise`.
ELEMENTWISE_PREAMBLE = _INFINITY


# --- over rows ------------------------------------------------------------------------------------

_PLACES = {"elements": "[row * n + i]", "rows": "[row]", "columns": "[i]", "one": "[0]"}


def rows(program: Program) -> str:
    """A kernel `program.name(arguments..., results..., rows, n)` over contiguous arrays."""
    lines = [
        "const long long stride = gridDim.x;",
        "for (long long row = blockIdx.x; row < rows; row += stride) {",
        *_indented(_row(program)),
        "}",
    ]
    head = f'extern "C" __global__ void {program.name}({", ".join(_parameters(program))}) {{\n'
    return PREAMBLE + head + "\n".join(_indented(lines)) + "\n}\n"


def _parameters(program: Program) -> Iterator[str]:
    for argument in program.arguments:
        if argument.place == "number":
            yield f"const double {argument.value.name}"
        elif argument.number >= 0:
            yield f"const {type_of(argument.value)}* __restrict__ p_{argument.value.name}"
    for i, result in enumerate(program.results):
        yield f"{type_of(result.value)}* __restrict__ r{i}"
    yield from ("const long long rows", "const long long n")


def _row(program: Program) -> Iterator[str]:
    for argument in program.arguments:
        if argument.value.per_row and argument.place in ("rows", "one"):
            yield _loaded(argument)
    for step in program.steps:
        if step.op in C_REDUCTIONS:
            yield from reduced(program, step)
        elif step.op == "pick":
            yield _picked(program, step)
        elif step.result.per_row:
            yield declared(step)
    outputs = list(enumerate(program.results))
    if single := [f"r{i}[row] = {r.value.name};" for i, r in outputs if r.value.per_row]:
        yield "if (threadIdx.x == 0) {"
        yield from _indented(single)
        yield "}"
    if many := [(i, r.value) for i, r in outputs if not r.value.per_row]:
        stores = [f"r{i}[row * n + i] = {v.name};" for i, v in many]
        yield from _loop(program, [v for _, v in many], stores)


def reduced(program: Program, step: Step, start: str = "threadIdx.x") -> Iterator[str]:
    nothing, _, join = C_REDUCTIONS[step.op]
    kind, name = type_of(step.result), step.result.name
    yield f"{kind} {name} = {nothing.format(T=kind)};"
    yield from _loop(program, _reads(step), [_taken_in(step, _element(step))], start)
    yield f"{name} = {join}({name});"


def _element(step: Step) -> str:
    """The input element of a reduction."""
    return _operand(step.operands[0], step.types[0])


def _reads(step: Step) -> list[Value]:
    return [o for o in step.operands if isinstance(o, Value)]


def _taken_in(step: Step, part: str) -> str:
    """A reduction takes in an element, or a part."""
    name = step.result.name
    return f"{name} = {C_REDUCTIONS[step.op][1].format(name, part)};"


def _picked(program: Program, step: Step) -> str:
    """One element of the row (or of the columns), at a place that is a value of the row."""
    source, place = step.operands
    found = next(a for a in program.arguments if a.value == source)
    where = f"row * n + {place.name}" if found.place == "elements" else place.name
    return f"{type_of(step.result)} {step.result.name} = p_{source.name}[{where}];"


def _loop(
    program: Program,
    wanted: Iterable[Value],
    then: list[str],
    first: str = "threadIdx.x",
    stride: str = "blockDim.x",
) -> Iterator[str]:
    """`then` at each place of the row, after the values of single elements that are wanted there."""
    needed = {v.name for v in wanted}
    steps: list[Step] = []
    for step in reversed(program.steps):
        if step.result.name in needed and not step.result.per_row:
            steps.append(step)
            needed |= {o.name for o in step.operands if isinstance(o, Value)}
    yield f"for (long long i = {first}; i < n; i += {stride}) {{"
    loads = [a for a in program.arguments if a.value.name in needed and not a.value.per_row]
    yield from _indented(_loaded(a) for a in loads if a.number >= 0)
    yield from _indented(declared(s) for s in reversed(steps))
    yield from _indented(then)
    yield "}"


def _loaded(argument: Argument) -> str:
    value = argument.value
    return f"const {type_of(value)} {value.name} = p_{value.name}{_PLACES[argument.place]};"


def _indented(lines: Iterable[str]) -> list[str]:
    return ["  " + line for line in lines]


def threads_for(n: int) -> int:
    """How many threads share a row of `n`: a power of two, so that the parts can be halved."""
    return min(MOST_THREADS, max(32, 1 << math.ceil(math.log2(max(1, n)))))


# --- over all -------------------------------------------------------------------------------------


def whole(program: Program) -> str:
    """A kernel `program.name(x, memory, stored, n)` that reduces a flat array; see `look.py` for the two.

    Each block stores its parts; the last one to do so joins those of all, in the same order every time.
    """
    (argument,) = program.arguments
    value, count = argument.value, len(program.results)
    head = (
        f'extern "C" __global__ void {program.name}(const {type_of(value)}* __restrict__ p_{value.name}, '
        "double* __restrict__ memory, unsigned int* stored, const long long n) {"
    )
    steps = [s for s in program.steps if s.op in C_REDUCTIONS]
    names = [r.value.name for r in program.results]
    wanted = [v for s in steps for v in _reads(s)]
    joined = [f"{s.result.name} = {C_REDUCTIONS[s.op][2]}({s.result.name});" for s in steps]
    starts = [(s.result.name, C_REDUCTIONS[s.op][0].format(T="double")) for s in steps]
    lines = [
        "const long long row = 0;",
        "const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;",
        "const long long stride = (long long)gridDim.x * blockDim.x;",
        *(f"double {name} = {start};" for name, start in starts),
        *_loop(program, wanted, [_taken_in(s, _element(s)) for s in steps], "first", "stride"),
        *joined,
        f"volatile double* parts = memory + {count};",
        "__shared__ bool last;",
        "if (threadIdx.x == 0) {",
        *(f"  parts[blockIdx.x * {count} + {i}] = {name};" for i, name in enumerate(names)),
        "  __threadfence();",
        "  last = atomicAdd(stored, 1u) == gridDim.x - 1;",
        "  if (last) *stored = 0;",
        "}",
        "__syncthreads();",
        "if (!last) return;",
        "__threadfence();",
        *(f"{name} = {start};" for name, start in starts),
        "for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {",
        *(
            f"  {line}"
            for s in steps
            for line in _part_taken_in(s, f"parts[b * {count} + {names.index(s.result.name)}]")
        ),
        "}",
        *joined,
        "if (threadIdx.x == 0) {",
        *(f"  memory[{i}] = {name};" for i, name in enumerate(names)),
        "}",
    ]
    return PREAMBLE + "\n".join([head, *_indented(lines), "}", ""])


def _part_taken_in(step: Step, part: str) -> Iterator[str]:
    yield f"const double part_{step.result.name} = {part};"
    yield _taken_in(step, f"part_{step.result.name}")


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
        grid, block = (min(rows, _MOST_BLOCKS),), (threads_for(n),)
        _of_rows(library, program)(grid, block, (*given, *results, np.int64(rows), np.int64(n)))
    return results


@cache
def _elementwise(library: Any, program: Program) -> Any:
    inputs, outputs, body = elementwise(program)
    return library.ElementwiseKernel(
        inputs, outputs, body, program.name, preamble=ELEMENTWISE_PREAMBLE
    )


@cache
def _of_rows(library: Any, program: Program) -> Any:
    return library.RawKernel(rows(program), program.name)

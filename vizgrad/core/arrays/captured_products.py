"""Products of matrices while launches are captured into a graph.

cupy refuses to call cuBLAS then, whichever function it is. NVIDIA's documentation of cuBLAS says that a
product can be captured if its result stays on the device: numbers such as alpha are then part of the graph,
and who captures gives cuBLAS memory to work in. So the two functions of cuBLAS that all products come down
to are called here by ctypes, with what cupy itself would give to them.
"""

from __future__ import annotations

import ctypes
from functools import cache
from importlib import import_module
from math import prod
from typing import Any, Final

import numpy as np

from vizgrad.core.arrays.backend import Array, namespace_of
from vizgrad.core.arrays.graph_capture import Capture, capture

#: By name of the element type: cudaDataType, cublasComputeType, and the type of alpha.
_TYPES: Final[dict[str, tuple[int, int, Any]]] = {
    "float16": (2, 68, np.float32), "bfloat16": (14, 68, np.float32), "float32": (0, 68, np.float32),
    "float64": (1, 70, np.float64), "complex64": (4, 68, np.complex64),
    "complex128": (5, 70, np.complex128),
}  # fmt: skip
_AS_IT_IS, _TRANSPOSED = 0, 1
_ANY_ALGORITHM = -1


def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """`np.matmul` of arrays of a device."""
    found = capture()
    if found is None or a.dtype.name not in _TYPES or b.dtype != a.dtype:
        return np.matmul(a, b) if out is None else np.matmul(a, b, out)
    return _product(found, a, b, out)


def dot(a: Array, b: Array) -> Array:
    """`a.dot(b)` of vectors and matrices of a device."""
    if a.ndim in (1, 2) and b.ndim in (1, 2) and capture() is not None:
        return matmul(a, b)
    return a.dot(b)


def _product(found: Capture, a: Array, b: Array, out: Array | None) -> Array:
    left = a[None] if a.ndim == 1 else a
    right = b[:, None] if b.ndim == 1 else b
    rows, inner, columns = left.shape[-2], left.shape[-1], right.shape[-1]
    if right.shape[-2] != inner:
        raise ValueError(f"matmul: {a.shape} and {b.shape} do not fit together")
    stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    made = namespace_of(a).empty((*stack, rows, columns), a.dtype)
    count = prod(stack)
    if made.size and inner:
        # In cuBLAS's order of elements the result is b.T @ a.T.
        first, of_first = _stacked(right, stack)
        second, of_second = _stacked(left, stack)
        _call(found, made, (columns, rows, inner), first, of_first, second, of_second, count)
    else:
        made.fill(0)
    made = made.reshape(stack + a.shape[-2:-1] + b.shape[-2:][1:])
    if out is None:
        return made
    out[...] = made
    return out


def _stacked(x: Array, stack: tuple[int, ...]) -> tuple[Array, tuple[int, int, int]]:
    """(the matrices, (how cuBLAS reads them, elements from row to row, elements from one to the next))."""
    x = np.broadcast_to(x, (*stack, *x.shape[-2:]))
    found = _read(x, stack)
    if found is None:
        x = x.copy("C")
        found = _read(x, stack)
    assert found is not None
    return x, found


def _read(x: Array, stack: tuple[int, ...]) -> tuple[int, int, int] | None:
    """None of matrices that do not lie as cuBLAS reads them."""
    *outer, down, along = (step // x.itemsize for step in x.strides)
    rows, columns = x.shape[-2:]
    step = 0
    if stack:  # several axes must be as good as one
        step = outer[-1]
        reach = step
        for size, own in zip(reversed(stack), reversed(outer), strict=True):
            if size > 1 and own != reach:
                return None
            reach *= size
        if step < 0:
            return None
    if (along == 1 or columns == 1) and (down >= columns or rows == 1):
        return _AS_IT_IS, max(down if rows > 1 else columns, columns, 1), step
    if (down == 1 or rows == 1) and (along >= rows or columns == 1):
        return _TRANSPOSED, max(along if columns > 1 else rows, rows, 1), step
    return None


def _call(
    found: Capture,
    made: Array,
    sizes: tuple[int, int, int],
    first: Array,
    of_first: tuple[int, int, int],
    second: Array,
    of_second: tuple[int, int, int],
    count: int,
) -> None:
    kind, compute, number = _TYPES[made.dtype.name]
    columns, rows, inner = sizes
    cublas, handle = _cublas(), ctypes.c_void_p(found.library.cuda.get_cublas_handle())
    space = found.workspace()
    stream = ctypes.c_void_p(found.library.cuda.get_current_stream().ptr)
    _check(cublas.cublasSetStream_v2(handle, stream))
    _check(cublas.cublasSetWorkspace_v2(handle, _at(space), ctypes.c_size_t(space.nbytes)))
    alpha, beta = (np.array(value, number) for value in (1, 0))
    one, other = ctypes.c_void_p(alpha.ctypes.data), ctypes.c_void_p(beta.ctypes.data)
    head = handle, of_first[0], of_second[0], columns, rows, inner, one
    if count == 1:
        status = cublas.cublasGemmEx(
            *head, _at(first), kind, of_first[1], _at(second), kind, of_second[1],
            other, _at(made), kind, columns, compute, _ANY_ALGORITHM,
        )  # fmt: skip
    else:
        steps = [ctypes.c_longlong(step) for step in (of_first[2], of_second[2], rows * columns)]
        status = cublas.cublasGemmStridedBatchedEx(
            *head, _at(first), kind, of_first[1], steps[0], _at(second), kind, of_second[1], steps[1],
            other, _at(made), kind, columns, steps[2], count, compute, _ANY_ALGORITHM,
        )  # fmt: skip
    _check(status)


def _at(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.data.ptr)


@cache
def _cublas() -> Any:
    """The library that cupy has loaded."""
    found = import_module("cuda.pathfinder").load_nvidia_dynamic_lib("cublas")
    return ctypes.CDLL(found.abs_path)


def _check(status: int) -> None:
    if status:
        raise RuntimeError(f"CUDA error: cuBLAS gives status {status} while launches are captured")

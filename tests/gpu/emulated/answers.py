"""What cupy asks of cuSOLVER, cuFFT, thrust and its compiled random generators: numpy answers.

Arguments and element types are checked by cupy's own functions before. A launch is noted for each call.
"""

from __future__ import annotations

import ctypes
import importlib
import inspect
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from tests.gpu.emulated.account import ACCOUNT, unnoted
from tests.gpu.emulated.generator import Generator
from tests.gpu.emulated.graphs import check_emulated

#: Of cupy.linalg; matrices of these are looked at one by one, as a singular one spoils no other.
_EACH = ("inv", "solve", "cholesky")
_WHOLE = (
    "qr",
    "svd",
    "eigh",
    "eigvalsh",
    "det",
    "slogdet",
    "pinv",
    "lstsq",
    "eig",
    "eigvals",
    "matrix_rank",
)


def put(cupy: Any) -> None:
    """Puts numpy's answers in place."""
    for name in (*_EACH, *_WHOLE):
        if hasattr(cupy.linalg, name):
            _exchange(cupy, cupy.linalg, name, getattr(np.linalg, name), checked=True)
    for name in dir(np.fft):
        if (
            "fft" in name
            and not name.endswith(("shift", "freq"))
            and callable(getattr(np.fft, name))
        ):
            _exchange(cupy, cupy.fft, name, getattr(np.fft, name), checked=False)
    import cupyx.scipy.linalg

    for name in ("lu", "lu_factor", "lu_solve", "solve_triangular"):
        _exchange(cupy, cupyx.scipy.linalg, name, getattr(scipy.linalg, name), checked=False)
    from cupy.cuda import thrust

    for function in (sort, argsort, lexsort):
        setattr(thrust, function.__name__, function)
    cupy.random.default_rng = lambda seed=None: Generator(cupy, seed)


def _exchange(
    cupy: Any, module: Any, name: str, function: Callable[..., Any], *, checked: bool
) -> None:
    signature = inspect.signature(getattr(module, name))

    def call(*args: Any, **options: Any) -> Any:
        bound = signature.bind(*args, **options)
        check_emulated(name, cupy.cuda.get_current_stream().ptr)
        ACCOUNT.launches.append(f"{module.__name__}.{name}")
        arrays = [a for a in bound.arguments.values() if isinstance(a, cupy.ndarray)]
        if checked:
            cupy.linalg._util.linalg_common_type(*arrays)
        if name == "solve":
            _check_stacks(*(a.shape for a in arrays))
        with unnoted():
            given = [_opened(cupy, a) for a in args]
            settings = {key: _opened(cupy, value) for key, value in options.items()}
            with np.errstate(all="ignore"):
                found = (
                    _each(name, function, given) if name in _EACH else function(*given, **settings)
                )
            found = _closed(cupy, found)
        if checked and _stops_for_errors():
            ACCOUNT.waits.append(f"{name}: was there an error?")
        return found

    setattr(module, name, call)


def _check_stacks(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """cupy broadcasts one vector, and nothing else."""
    if len(b) == 1 and a[-1] != b[0]:
        raise ValueError("a must have (..., M, M) shape and b must have (M,) for one-dimensional b")
    if len(b) != 1 and a[:-1] != b[:-1]:
        raise ValueError(
            "a must have (..., M, M) shape and b must have (..., M, K) for multidimensional b"
        )


def _opened(cupy: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_opened(cupy, v) for v in value)
    return value.get() if isinstance(value, cupy.ndarray) else value


def _closed(cupy: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_closed(cupy, v) for v in value)  # where numpy has names, cupy has a tuple
    return cupy.asarray(value)


def _stops_for_errors() -> bool:
    import cupyx

    return cupyx.geterr()["linalg"] == "raise"


def _each(name: str, function: Callable[..., Any], given: list[np.ndarray]) -> np.ndarray:
    """The function of each matrix: NaN for what has no result, unless errors are asked for."""
    try:
        return function(*given)
    except np.linalg.LinAlgError:
        if _stops_for_errors():
            raise
    a = given[0]
    stack = a.shape[:-2]
    others = [np.broadcast_to(b, stack + b.shape[-2:]) for b in given[1:] if b.ndim > 1]
    shape = others[0].shape[-2:] if others else a.shape[-2:]
    out = np.full(stack + shape, np.nan, a.dtype)
    for place in np.ndindex(*stack):
        try:
            out[place] = function(a[place], *(b[place] for b in others))
        except np.linalg.LinAlgError:
            continue
    return out


# --- thrust: sorting memory of the device ------------------------------------------------------------


def _memory(address: int, dtype: Any, shape: Any) -> np.ndarray:
    size = math.prod(shape) * np.dtype(dtype).itemsize
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)


def _begun(name: str) -> None:
    check_emulated(name, importlib.import_module("cupy").cuda.get_current_stream().ptr)
    ACCOUNT.launches.append(name)


def sort(dtype: Any, data: int, _keys: int, shape: Any) -> None:
    _begun("thrust.sort")
    _memory(data, dtype, shape).sort(axis=-1, kind="stable")


def argsort(dtype: Any, indices: int, data: int, _keys: int, shape: Any) -> None:
    _begun("thrust.argsort")
    values = _memory(data, dtype, shape)
    order = np.argsort(values, axis=-1, kind="stable")
    _memory(indices, np.int64, shape)[...] = order
    values[...] = np.take_along_axis(values, order, -1)


def lexsort(dtype: Any, indices: int, keys: int, k: int, n: int) -> None:
    _begun("thrust.lexsort")
    _memory(indices, np.int64, (n,))[...] = np.lexsort(tuple(_memory(keys, dtype, (k, n))))

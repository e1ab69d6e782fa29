"""How many threads a matrix product is given.

OpenBLAS takes all cores for any product above some 2^18 multiplications, and each waits for all at its end.
On a machine that does other work as well, one of them is not running when it should, and a product of a
tenth of a millisecond takes several. So those that are too small to gain much are done by one thread.
The measurements of the design record 0013 decide the bounds.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from vizgrad.core.arrays import captured_products
from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.errstate import quiet

#: Multiplications: up to so many OpenBLAS takes one thread by itself; above, several are worth it.
FEW, MOST = 2**18, 2**23
#: As FEW, of a matrix and a vector.
FEW_OF_VECTOR = 9215


class Threads:
    """The threads of numpy's own BLAS."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before = 1
        self._get, self._set = _openblas() or (None, None)

    def number(self) -> int:
        """How many threads a large product is given."""
        with self._lock:
            return self._before if self._inside or self._get is None else self._get()

    def set_number(self, number: int) -> None:
        """From now on that many; where products are running by one thread, after them."""
        with self._lock:
            self._before = number
            if not self._inside and self._set is not None:
                self._set(number)

    def are_one(self) -> bool:
        """Is there but one, or nobody to ask? Then there is nothing to change, and nobody to wait for."""
        return self._get is None or (not self._inside and self._get() == 1)

    def alone(self, product: Callable[..., Any], *operands: Any) -> Any:
        """`product(*operands)` by one thread; whatever number there was is there again afterwards."""
        if self._get is None or self._set is None or self.are_one():
            return product(*operands)
        with self._lock:
            if not self._inside:
                self._before = self._get()
                if self._before > 1:
                    self._set(1)
            self._inside += 1
        try:
            return product(*operands)
        finally:
            with self._lock:
                self._inside -= 1
                if not self._inside and self._before > 1:
                    self._set(self._before)


def _openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """The functions that ask and set the number of threads; None where numpy has another BLAS."""
    from threadpoolctl import ThreadpoolController  # late: it looks for libraries, which takes long

    found = ThreadpoolController().select(internal_api="openblas").lib_controllers
    # scipy brings one of its own.
    for lib in sorted(found, key=lambda lib: "numpy" not in lib.filepath):
        for form in _NAMES:
            get: Any = getattr(lib.dynlib, form.format("get"), None)
            put: Any = getattr(lib.dynlib, form.format("set"), None)
            if get is not None and put is not None:
                get.restype, get.argtypes = ctypes.c_int, []
                put.restype, put.argtypes = None, [ctypes.c_int]
                return get, put
    return None


#: As numpy's wheels have them, and others.
_NAMES = (
    "scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_",
    "openblas_{}_num_threads",
)  # fmt: skip
_threads: Threads | None = None
#: The last argument of `set_number`.
_told: int | None = None


def number() -> int:
    """How many threads products are given that are worth it; 1 where that cannot be asked."""
    return _of_numpy().number()


def set_number(number: int) -> None:
    """Gives products that are worth it that many threads, in numpy's BLAS and in scipy's."""
    global _told
    _told = number
    limit()


def limit() -> None:
    """Says to every BLAS library that is loaded by now what `set_number` was told."""
    if _told is None:
        return
    from threadpoolctl import ThreadpoolController  # late: it looks for libraries, which takes long

    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(_told)
    _of_numpy().set_number(_told)


def _of_numpy() -> Threads:
    global _threads
    if _threads is None:
        _threads = Threads()
    return _threads


def _given(product: Callable[..., Array], a: Array, b: Array, out: Array | None = None) -> Array:
    """`product` of two arrays, by as many threads as it is worth."""
    operands = (a, b) if out is None else (a, b, out)
    rows = a.shape[-2] if a.ndim > 1 else 1
    columns = b.shape[-1] if b.ndim > 1 else 1
    few = FEW if min(rows, columns) > 1 else FEW_OF_VECTOR
    if not few < rows * (a.shape[-1] if a.ndim else 1) * columns <= MOST:
        return product(*operands)
    return _of_numpy().alone(product, *operands)


def for_each(work: int, kernel: Callable[..., Any], *operands: Any) -> Any:
    """`kernel(*operands)`, which computes one product of `work` multiplications after the other."""
    if not FEW < work <= MOST:
        return kernel(*operands)
    return _of_numpy().alone(kernel, *operands)


@quiet
def dot(a: Array, b: Array) -> Array:
    """`a.dot(b)` of arrays of more than `FEW` multiplications."""
    if a.__class__ is not np.ndarray or b.__class__ is not np.ndarray:
        return captured_products.dot(a, b)
    return a.dot(b) if (_threads or _of_numpy()).are_one() else _given(_dot, a, b)


def _dot(a: Array, b: Array) -> Array:
    return a.dot(b)


@quiet
def matmul(a: Array, b: Array, out: Array | None = None) -> Array:
    """`np.matmul` of matrices, or of stacks of them, each of which is a product of its own."""
    if type(a) is not np.ndarray or type(b) is not np.ndarray:
        return captured_products.matmul(a, b, out)
    if a.size * b.size <= FEW:
        return np.matmul(a, b) if out is None else np.matmul(a, b, out)
    return _given(np.matmul, a, b, out)

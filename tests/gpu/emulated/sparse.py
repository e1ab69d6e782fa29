"""What cupyx.scipy.sparse asks of cuSPARSE: scipy answers, for the functions that are here and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse

from tests.gpu.emulated.account import ACCOUNT, unnoted


def put(cupy: Any) -> None:
    """Puts scipy's answers in place."""
    import cupyx.cusparse as there
    import cupyx.scipy.sparse as library

    answers = Answers(cupy, library)
    for name in NAMES:
        own = {"csr2cscEx2": "csr2csc", "csc2csrEx2": "csc2csr"}.get(name, name)
        setattr(there, name, _noted(name, getattr(answers, own.lower())))
    there.check_availability = lambda name: name in NAMES


NAMES = (
    "coosort", "csrsort", "cscsort", "coo2csr", "coo2csc", "csr2coo", "csr2csc", "csr2cscEx2",
    "csc2csr", "csc2csrEx2", "spmv", "spmm", "spgemm", "sparseToDense",
)  # fmt: skip


class Answers:
    """Functions of cupyx.cusparse, in small letters."""

    def __init__(self, cupy: Any, library: Any) -> None:
        self._cupy, self._library = cupy, library

    def _here(self, x: Any) -> Any:
        """A matrix of scipy's, or an array of numpy's."""
        if isinstance(x, self._cupy.ndarray):
            return x.get()
        if isinstance(x, self._library.coo_matrix):
            return scipy.sparse.coo_matrix((x.data.get(), (x.row.get(), x.col.get())), x.shape)
        of_rows = isinstance(x, self._library.csr_matrix)
        make = scipy.sparse.csr_matrix if of_rows else scipy.sparse.csc_matrix
        return make((x.data.get(), x.indices.get(), x.indptr.get()), x.shape)

    def _there(self, x: Any) -> Any:
        parts = (self._cupy.asarray(part) for part in (x.data, x.indices, x.indptr))
        return getattr(self._library, f"{x.format}_matrix")(tuple(parts), x.shape)

    def coo2csr(self, x: Any) -> Any:
        return self._there(self._here(x).tocsr())

    def coo2csc(self, x: Any) -> Any:
        return self._there(self._here(x).tocsc())

    csc2csr, csr2csc = coo2csr, coo2csc

    def csr2coo(self, x: Any, data: Any, indices: Any) -> Any:
        counts = np.diff(x.indptr.get())
        rows = np.repeat(np.arange(x.shape[0]), counts).astype(x.indices.dtype)
        return self._library.coo_matrix((data, (self._cupy.asarray(rows), indices)), x.shape)

    def coosort(self, x: Any, sort_by: str = "r") -> None:
        row, col = x.row.get(), x.col.get()
        order = self._cupy.asarray(np.lexsort((col, row) if sort_by == "r" else (row, col)))
        for part in (x.data, x.row, x.col):
            part[...] = part[order]

    def csrsort(self, x: Any) -> None:
        made = self._here(x)
        made.sort_indices()
        x.data[...], x.indices[...] = map(self._cupy.asarray, (made.data, made.indices))

    cscsort = csrsort

    def spmm(self, a: Any, b: Any, *, alpha: float = 1, transa: bool = False) -> Any:
        matrix = self._here(a)
        found = alpha * ((matrix.T if transa else matrix) @ self._here(b))
        return self._cupy.asarray(np.asarray(found, a.dtype, order="F"))

    spmv = spmm

    def spgemm(self, a: Any, b: Any, alpha: float = 1) -> Any:
        made = (self._here(a) @ self._here(b) * alpha).tocsr().astype(a.dtype)
        made.sort_indices()
        return self._there(made)

    def sparsetodense(self, x: Any) -> Any:
        return self._cupy.asarray(self._here(x).toarray(order="F"))


def _noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        ACCOUNT.launches.append(f"cusparse.{name}")
        with unnoted():
            return function(*args, **options)

    return call

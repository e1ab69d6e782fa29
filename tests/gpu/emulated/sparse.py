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

    def here(x: Any) -> Any:
        """A matrix of scipy's, or an array of numpy's."""
        if isinstance(x, cupy.ndarray):
            return x.get()
        if isinstance(x, library.coo_matrix):
            return scipy.sparse.coo_matrix((x.data.get(), (x.row.get(), x.col.get())), x.shape)
        make = (
            scipy.sparse.csr_matrix
            if isinstance(x, library.csr_matrix)
            else scipy.sparse.csc_matrix
        )
        return make((x.data.get(), x.indices.get(), x.indptr.get()), x.shape)

    def compressed(kind: str) -> Callable[..., Any]:
        def convert(x: Any, *_: Any, **__: Any) -> Any:
            made = here(x).asformat(kind)
            parts = (cupy.asarray(p) for p in (made.data, made.indices, made.indptr))
            return getattr(library, f"{kind}_matrix")(tuple(parts), x.shape)

        return convert

    def with_rows(x: Any, data: Any, indices: Any) -> Any:
        counts = np.diff(x.indptr.get())
        rows = np.repeat(np.arange(x.shape[0]), counts).astype(x.indices.dtype)
        return library.coo_matrix((data, (cupy.asarray(rows), indices)), x.shape)

    def sort_entries(x: Any, sort_by: str = "r") -> None:
        row, col = x.row.get(), x.col.get()
        order = np.lexsort((col, row) if sort_by == "r" else (row, col))
        x.data[...] = cupy.asarray(x.data.get()[order])
        x.row[...], x.col[...] = cupy.asarray(row[order]), cupy.asarray(col[order])

    def sort_indices(x: Any) -> None:
        made = here(x)
        made.sort_indices()
        x.data[...], x.indices[...] = cupy.asarray(made.data), cupy.asarray(made.indices)

    def product(
        a: Any, b: Any, c: Any = None, alpha: float = 1, beta: float = 0, transa: bool = False
    ) -> Any:
        assert c is None
        assert not beta
        found = alpha * ((here(a).T if transa else here(a)) @ here(b))
        return cupy.asarray(np.asarray(found, order="F").astype(a.dtype))

    def sparse_product(a: Any, b: Any, *_: Any, alpha: float = 1) -> Any:
        made = (here(a) @ here(b) * alpha).tocsr()
        made.sort_indices()
        parts = (cupy.asarray(p) for p in (made.data.astype(a.dtype), made.indices, made.indptr))
        return library.csr_matrix(tuple(parts), made.shape)

    def dense(x: Any, out: Any = None) -> Any:
        assert out is None
        return cupy.asarray(here(x).toarray(order="F"))

    answers: dict[str, Callable[..., Any]] = {
        "coosort": sort_entries, "csrsort": sort_indices, "cscsort": sort_indices,
        "coo2csr": compressed("csr"), "coo2csc": compressed("csc"), "csr2coo": with_rows,
        "csr2csc": compressed("csc"), "csr2cscEx2": compressed("csc"),
        "csc2csr": compressed("csr"), "csc2csrEx2": compressed("csr"),
        "spmv": product, "spmm": product, "spgemm": sparse_product, "sparseToDense": dense,
    }  # fmt: skip
    for name, function in answers.items():
        setattr(there, name, _noted(name, function))
    there.check_availability = lambda name: name in answers


def _noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        ACCOUNT.launches.append(f"cusparse.{name}")
        with unnoted():
            return function(*args, **options)

    return call

"""Sparse arrays compute what dense ones do, or say by name that they do not."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import vizgrad as vg
from tests.fixtures.limits import HANG
from vizgrad.core.arrays.layout import share_block
from vizgrad.core.arrays.sparse import SparseUnsupported, dense, is_sparse, stored
from vizgrad.core.arrays.sparse.compressed import Compressed, as_coo, compress, masked, once
from vizgrad.core.arrays.sparse.coo import COO, from_dense, take
from vizgrad.core.arrays.sparse.products import sampled


@st.composite
def arrays(draw: Any, shape: tuple[int, ...] | None = None, layouts: bool = True) -> Any:
    """A COO array, with equal places, in any order; or a compressed one."""
    if shape is None:
        shape = draw(st.sampled_from([(2, 3), (3, 3), (1, 4), (4, 1)]))
    assert shape is not None
    count = draw(st.integers(0, 6))
    indices = np.array(
        [[draw(st.integers(0, n - 1)) for _ in range(count)] for n in shape], dtype=np.int64
    ).reshape(len(shape), count)
    values = np.array([float(draw(st.integers(-3, 3))) for _ in range(count)])
    made = COO(indices, values, shape)
    layout = (
        draw(st.sampled_from(["sparse_coo", "sparse_csr", "sparse_csc"]))
        if layouts
        else "sparse_coo"
    )
    return made if layout == "sparse_coo" else compress(made, layout)


def by_hand(array: COO) -> np.ndarray:
    out = np.zeros(array.shape)
    for column, value in zip(array.indices.T, array.values, strict=True):
        out[tuple(column)] += value
    return out


@given(arrays(layouts=False))
def test_equal_places_add_up(array: COO) -> None:
    expected = by_hand(array)
    assert array.dense().tolist() == expected.tolist()
    once = array.coalesce()
    assert once.coalesced
    assert once.is_in_order()
    assert once.dense().tolist() == expected.tolist()
    for layout in ("sparse_csr", "sparse_csc"):
        by_lines = compress(array, layout)
        assert by_lines.dense().tolist() == expected.tolist()
        assert as_coo(by_lines).dense().tolist() == expected.tolist()
        assert by_lines.T.dense().tolist() == expected.T.tolist()
    assert from_dense(expected).dense().tolist() == expected.tolist()


@given(arrays(), st.data())
def test_arithmetic_is_that_of_the_elements(a: Any, data: Any) -> None:
    b = data.draw(arrays(a.shape))
    x, y = a.dense(), b.dense()
    for found, expected in (
        (a + b, x + y), (a - b, x - y), (a * b, x * y), (a * 2.5, x * 2.5), (a / 2.0, x / 2), (-a, -x),
        (y + a, x + y), (y - a, y - x), (a * y, x * y), (y * a, x * y), (a**2, x**2),
        (np.sqrt(a * a), abs(x)),
        (np.add.reduce(a, axis=None), x.sum()), (a.T, x.T), (np.concatenate([a, b]), np.concatenate([x, y])),
    ):  # fmt: skip
        np.testing.assert_allclose(dense(found), expected)
    target = y.copy()
    target += a
    np.testing.assert_allclose(target, x + y)
    copy = a.copy()
    copy *= 3
    np.testing.assert_allclose(copy.dense(), 3 * x)
    np.testing.assert_allclose(a.dense(), x)


@given(arrays(), st.data())
def test_products(a: Any, data: Any) -> None:
    n = a.shape[1]
    right, vector = np.arange(2.0 * n).reshape(n, 2), np.arange(1.0, n + 1)
    left = np.arange(3.0 * a.shape[0]).reshape(3, -1)
    b = data.draw(arrays((n, 3)))
    x = a.dense()
    np.testing.assert_allclose(a @ right, x @ right)
    np.testing.assert_allclose(a @ vector, x @ vector)
    np.testing.assert_allclose(np.matmul(left, a), left @ x)
    np.testing.assert_allclose((a @ b).dense(), x @ b.dense())
    grad = np.arange(2.0 * a.shape[0]).reshape(-1, 2)
    there = masked(np.ones(a.shape), a).dense()
    np.testing.assert_allclose(sampled(grad, right, a).dense(), (grad @ right.T) * there)


@given(arrays(), arrays())
def test_what_is_taken_at_places(a: Any, mask: Any) -> None:
    if mask.shape != a.shape:
        return
    x, places = a.dense(), once(mask)
    found = masked(a, mask)
    assert type(found) is type(mask)
    at = as_coo(places).indices
    np.testing.assert_allclose(stored(as_coo(found)), x[tuple(at)])
    np.testing.assert_allclose(take(a, at), x[tuple(at)])


REFUSED = {
    "a ufunc that does not keep zeros": np.exp,
    "a comparison": lambda a: a == 1,
    "a method": lambda a: a.reshape(6),
    "a function": lambda a: np.where(a, 1, 0),
    "a slice": lambda a: a[:1],
    "truth": bool,
    "rows one by one": list,
    "an outer form": lambda a: np.multiply.outer(a, a),
    "a sum that keeps dims": lambda a: np.add.reduce(a, axis=0, keepdims=True),
}


@pytest.mark.parametrize("layout", ["sparse_coo", "sparse_csr"])
@pytest.mark.parametrize("what", REFUSED)
def test_what_they_have_not_is_refused(what: str, layout: str) -> None:
    a: Any = from_dense(np.eye(2, 3))
    a = a if layout == "sparse_coo" else compress(a, layout)
    with pytest.raises(SparseUnsupported, match=f"Could not run .* layout {layout}"):
        REFUSED[what](a)
    with pytest.raises(TypeError, match="to_dense"):
        np.asarray(a)
    assert not hasattr(a, "__array_interface__")
    assert is_sparse(a)


def test_compressed_arrays_need_not_be_in_order() -> None:
    a = Compressed(
        np.array([0, 0, 3]), np.array([2, 0, 2]), np.array([1.0, 2, 3]), (2, 3), "sparse_csr"
    )
    assert a.dense().tolist() == [[0, 0, 0], [2, 0, 4]]
    assert not as_coo(a).coalesced
    assert (a @ np.eye(3)).tolist() == a.dense().tolist()


def test_importing_vizgrad_and_training_dense_models_imports_no_scipy_sparse() -> None:
    program = (
        "import sys, vizgrad as vg\n"
        "x = vg.ones(2, 2, requires_grad=True); (x @ x).sum().backward()\n"
        "assert not any(m.startswith('scipy.sparse') for m in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=HANG)


def test_two_sparse_arrays_share_memory_only_if_their_values_do() -> None:
    """They have one base for all, which once stood for one block: copies of neighbours were refused."""
    first, second = vg.eye(3).to_sparse(), vg.eye(3).to_sparse()
    assert not share_block(first._array, second._array)
    assert share_block(first._array, first.detach()._array)
    assert not share_block(first._array, vg.ones(2)._array)
    assert not share_block(vg.ones(2)._array, second._array)

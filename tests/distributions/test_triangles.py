"""Triangles of matrices as vectors."""

from __future__ import annotations

import pytest

import vizgrad as vg
from vizgrad.distributions.utils import tril_matrix_to_vec, vec_to_tril_matrix


@pytest.mark.parametrize(
    ("size", "diag"), [(1, 0), (2, -1), (2, 0), (2, 1), (5, -2), (5, 0), (5, 3)]
)
def test_a_triangle_is_a_vector_and_back(size: int, diag: int) -> None:
    matrix = vg.randn(2, 3, size, size)
    vector = tril_matrix_to_vec(matrix, diag)
    assert vector.shape == (2, 3, int(vg.ones(size, size).tril(diag).sum()))
    assert vg.equal(vec_to_tril_matrix(vector, diag), matrix.tril(diag))


def test_what_is_no_triangle() -> None:
    for diag in (2, -3):
        with pytest.raises(ValueError, match="provided is outside"):
            tril_matrix_to_vec(vg.eye(2), diag)
    for count in (2, 4, 5):
        with pytest.raises(ValueError, match="square D x D matrix"):
            vec_to_tril_matrix(vg.ones(count))
    assert vg.vmap(vec_to_tril_matrix)(vg.ones(4, 3)).shape == (4, 2, 2)

"""The softmax of sparse matrices on strict arrays: cupy has no `maximum.reduceat`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.fixtures import strict_module
from vizgrad.core.arrays.sparse import functions
from vizgrad.core.arrays.sparse.coo import COO
from vizgrad.core.tensor.tensor import new_tensor


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_entries_less_the_largest_beside_them(dim: int) -> None:
    indices = np.array([[0, 1, 1, 0], [2, 0, 2, 0]])
    values = np.array([[3.0, -1.0], [4.0, 2.0], [-np.inf, 5.0], [1.0, np.nan]])
    with strict_module.as_cuda():
        found = []
        for device in ("cpu", "cuda"):
            parts: Any = (vg.from_numpy(a).to(device)._array for a in (indices, values))
            entries = COO(*parts, (2, 3, 2))
            found.append(new_tensor(functions.shifted(entries, dim).values).cpu().numpy())
    np.testing.assert_array_equal(found[1], found[0])
    if dim == 0:
        np.testing.assert_array_equal(found[0][:, 0], [0, 0, -np.inf, -3])

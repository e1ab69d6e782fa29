"""Rows on other memory layouts and in single precision give what they give on plain float64 arrays."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.ops.differences import gradients, leaves_of, results_of
from tests.specs import activations, layers
from tests.specs.checks import check_row
from tests.specs.derived import as_float32, layouts
from tests.specs.row import Row, Sample
from tests.specs.table import ROWS

#: Rows whose result depends on strides, and why.
STRIDES_MATTER = {
    "view": "refuses strides that a view cannot have (T-11)",
    "as_strided": "reads memory by its own strides",
    "as_strided_scatter": "writes memory by its own strides",
}
ALL = [*ROWS, *layers.ROWS, *activations.ROWS]


def everything(row: Row, sample: Sample) -> list[np.ndarray]:
    """Values and gradients."""
    values = [r.detach() for r in results_of(row, leaves_of(sample))]
    return [t.numpy() for t in (*values, *gradients(row, sample, create_graph=False)[2])]


def single_precision_is_the_same_less_exactly(row: Row, sample: Sample) -> None:
    narrow = everything(row, as_float32(sample))
    for want, have in zip(everything(row, sample), narrow, strict=True):
        size = np.abs(want).max(initial=1.0)
        np.testing.assert_allclose(have, want, rtol=1e-3, atol=1e-5 * size)


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    check_row(row, single_precision_is_the_same_less_exactly)
    if row.name in STRIDES_MATTER:
        return
    plain = everything(row, row.samples[0])

    def strides_change_nothing(row: Row, sample: Sample) -> None:
        for want, have in zip(plain, everything(row, sample), strict=True):
            np.testing.assert_allclose(have, want, rtol=1e-12, atol=1e-13)

    check_row(row, strides_change_nothing, samples=layouts(row))

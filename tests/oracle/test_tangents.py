"""Every row of the spec table in forward mode, against PyTorch's: where it has a formula at all."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.oracle.rows import NotThere, _leaf, _weight, rows_of
from tests.oracle.test_rows import MEANINGLESS, difference
from tests.specs.derived import as_float32, edges, layouts
from tests.specs.row import Row, Sample

pytestmark = pytest.mark.rule("A-6")

torch = pytest.importorskip("torch")
ROWS = rows_of(torch)

#: Rows where PyTorch has another answer, and why it is not the derivative.
DIFFERENT = {
    "det of a singular matrix": "PyTorch multiplies by the inverse, which is not there",
    "scatter_reduce prod": "PyTorch gives none",
    "cholesky_inverse": "PyTorch's is not the limit of differences",
    "cholesky_inverse, upper": "PyTorch's is not the limit of differences",
}


def seen(torch: Any, row: Row, sample: Sample) -> list[Any] | BaseException:
    """The tangents of the results, an array each; a word for none; or what was raised."""
    fwad = torch.autograd.forward_ad
    try:
        with fwad.dual_level():
            given = [_leaf(torch, array).detach() for array in sample.arrays]
            given = [
                fwad.make_dual(x, _weight(torch, x)) if x.is_floating_point() else x for x in given
            ]
            made = row.call(*given)
            results = list(made) if isinstance(made, (tuple, list)) else [made]
            found = [(r, fwad.unpack_dual(r).tangent) for r in results]
            return [
                np.zeros(0, "?")
                if t is None
                else np.asarray(t.detach().to(r.dtype).resolve_conj().numpy())
                for r, t in found
            ]
    except NotThere:
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, it is compared
        return error


def samples_of(name: str) -> list[Sample]:
    row = ROWS[name][0]
    derived = [
        s
        for s in edges(row)
        if not (s.name == "expanded" and name.startswith("decompositions"))
        and (row.name, s.name) not in MEANINGLESS
    ]
    # a mean of nothing is NaN, whose tangent PyTorch has as NaN in some operations and as 0 in others
    derived = [s for s in derived if s.arrays[0].size]
    plain = [*row.samples, *layouts(row), *derived]
    return [*plain, *(as_float32(s) for s in row.samples)]


@pytest.mark.parametrize("name", ROWS)
def test_tangents_are_as_in_pytorch(name: str) -> None:
    ours, theirs = ROWS[name]
    if ours.name in DIFFERENT:
        pytest.skip(DIFFERENT[ours.name])
    wrong = []
    for sample in samples_of(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = seen(torch, theirs, sample)
            except NotThere as absent:
                pytest.skip(f"PyTorch has no {absent}")
            if isinstance(expected, Exception):  # no formula, or no such sample
                continue
            found = seen(vg, ours, sample)
        wrong += [f"{sample.name}: {line}" for line in difference(expected, found)]
    assert not wrong, "\n".join(wrong)

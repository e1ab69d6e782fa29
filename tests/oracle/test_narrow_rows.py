"""Every row of the spec table in bfloat16: type, shape, value and gradient as PyTorch's, up to rounding.

Both round, PyTorch after more of its steps. So a number passes if it is PyTorch's up to a few
steps of bfloat16, or no further than PyTorch's from the number that float64 gives.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.oracle.rows import NotThere, rows_of, seen
from tests.specs.row import Sample

pytestmark = pytest.mark.rule("X-11")

torch = pytest.importorskip("torch")
ROWS = rows_of(torch)

#: The relative distance of neighbouring numbers.
_STEP = 2.0**-7

#: Rows that say nothing in so few digits, and why.
MEANINGLESS = {
    "matrix_exp": "PyTorch gives infinities and NaN",
    "corrcoef": "its gradient is what rounding leaves of a difference of equal numbers",
}
#: Rows that PyTorch computes in one piece, and vizgrad in some, with rounding between; or of which the
#: rounded result goes into the gradient, on both sides.
IN_PIECES = {"causal attention", "attention as one node, causal, with shared heads"}


def _rounded(sample: Sample) -> Sample:
    """The sample with numbers that bfloat16 has, as float32."""
    arrays = [
        vg.from_numpy(a).to(vg.bfloat16).float().numpy() if a.dtype.kind == "f" else a
        for a in sample.arrays
    ]
    return replace(sample, arrays=tuple(arrays))


def _in(torch: Any, dtype: Any, row: Any) -> Any:
    """The row called with its float operands in `dtype`; results of that type are shown as float32."""

    def call(*given: Any) -> Any:
        made = row.call(*[t.to(dtype) if t.dtype is torch.float32 else t for t in given])
        several = made if isinstance(made, (tuple, list)) else (made,)
        kinds.append([str(t.dtype).rpartition(".")[2] for t in several])
        return tuple(t.float() if t.dtype is torch.bfloat16 else t for t in several)

    kinds: list[Any] = []
    return replace(row, call=call, twice=False), kinds


@pytest.mark.parametrize("name", ROWS)
def test_a_row_in_bfloat16(name: str) -> None:
    ours, theirs = ROWS[name]
    if ours.name in MEANINGLESS:
        pytest.skip(MEANINGLESS[ours.name])
    slack = (16 if ours.name in IN_PIECES else 3) * _STEP
    wrong: list[str] = []
    compared = 0
    for sample in map(_rounded, ours.samples):
        row, kinds = _in(torch, torch.bfloat16, theirs)
        mine, own = _in(vg, vg.bfloat16, ours)
        exact, _ = _in(vg, vg.float64, ours)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = seen(torch, row, sample)
            except NotThere as absent:
                pytest.skip(f"PyTorch has no {absent}")
            if isinstance(expected, BaseException):
                continue  # PyTorch has it in wider types only
            found, limit = seen(vg, mine, sample), seen(vg, exact, sample)
        compared += 1
        if kinds != own:
            wrong.append(f"{sample.name}: {kinds}, {own} {found}")
        else:
            wrong += [
                f"{sample.name} {line}" for line in _difference(expected, found, limit, slack)
            ]
    assert not wrong, "\n".join(wrong)
    if not compared:
        pytest.skip("PyTorch does not compute it in bfloat16")


def _difference(expected: Any, found: Any, exact: Any, slack: float) -> list[str]:
    if isinstance(found, BaseException) or isinstance(exact, BaseException):
        return [f"{found!r} {exact!r}"]
    lines = []
    for position, (want, have, limit) in enumerate(zip(expected, found, exact, strict=True)):
        if want.dtype != have.dtype or want.shape != have.shape:
            lines.append(f"[{position}] {want.dtype}{want.shape}, {have.dtype}{have.shape}")
        elif want.size and not _agree(want, have, limit, slack):
            lines.append(f"[{position}] {want.tolist()}, {have.tolist()}, exactly {limit.tolist()}")
    return lines


def _agree(want: np.ndarray, have: np.ndarray, limit: np.ndarray, slack: float) -> bool:
    if want.dtype.kind != "f":
        return bool((want == have).all())
    with np.errstate(all="ignore"):
        size = np.maximum(abs(limit), np.nan_to_num(abs(limit), posinf=0).max() / 2)
        allowed = np.maximum(abs(want - limit), slack * size)
        near = abs(have - limit) <= 1.01 * allowed
        return bool(np.where(np.isfinite(want), near | (have == want), ~np.isfinite(have)).all())

"""Every row of the spec table against PyTorch: value, gradient and second derivative, in two precisions."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import pytest

import vizgrad as vg
from tests.oracle.compare import near, same_error
from tests.oracle.rows import NotThere, rows_of, seen
from tests.specs.derived import as_float32, edges, layouts
from tests.specs.row import Sample

pytestmark = pytest.mark.rule("T-95")

torch = pytest.importorskip("torch")
ROWS = rows_of(torch)


#: Rows where the two differ on what a row itself declares, and why; only PyTorch's side is left out.
DIFFERENT = {
    "scatter of a corner": "PyTorch refuses the gradient of a source that is larger than the index",
    "scatter_add_": "as scatter of a corner",
    "kron": "PyTorch wants to view a gradient that no view can show",
    "cdist": "PyTorch has no second derivative of it",
    "cdist, 1-norm": "as cdist",
    "hardsigmoid": "PyTorch has no second derivative of it",
    "unique": "[D] T-84: values are differentiable by index",
    "vander": "PyTorch's backward finds a value changed in place by its own forward",
    "complex conj": "PyTorch does not show lazily conjugated memory as real numbers",
    "ihfft": "as complex conj",
}

#: Second derivatives that PyTorch gets wrong, as differences of its first ones say, or does not have.
ONCE = {
    "corrcoef": "0, because the result is clipped in place",
    "attention as one node": "[D] T-91: PyTorch refuses it",
    "attention as one node, causal, with shared heads": "as attention as one node",
}

#: Rows that are not compared: PyTorch's two ways to the same gradient differ there.
TWO_ANSWERS = {
    "pdist": "PyTorch has no second derivative of it: its process ends",
    "as_strided_scatter": "PyTorch's gradient by the operand is wrong, as its own gradcheck says",
    "det of a singular matrix": "0 in a plain backward, the cofactors (as here) with create_graph",
}

#: (row, sample): derived samples that say nothing, and why.
MEANINGLESS = {
    ("var", "a number"): "NaN, which PyTorch does not differentiate a second time",
    ("var_mean", "a number"): "as var",
    ("complex svd", "expanded"): "singular",
    ("complex svdvals", "expanded"): "singular",
    ("complex eigvals", "expanded"): "singular",
    ("complex eigvals", "a number"): "equal eigenvalues",
}


def samples_of(name: str) -> list[tuple[Sample, bool]]:
    """Samples, and whether PyTorch may refuse them: then nothing is compared."""
    row = ROWS[name][0]
    # an empty array's strides mean nothing, but PyTorch reads them
    declared = [
        (s, row.name in DIFFERENT or not s.arrays[0].size) for s in (*row.samples, *layouts(row))
    ]
    # equal rows make matrices singular: what is compared there is rounding
    derived = [
        (s, True)
        for s in edges(row)
        if not (s.name == "expanded" and name.startswith("decompositions"))
        and (row.name, s.name) not in MEANINGLESS
    ]
    single = [(as_float32(s), True) for s, _ in (*declared, *derived)]
    return [*declared, *derived, *single]


@pytest.mark.parametrize("name", ROWS)
def test_a_row_is_as_in_pytorch(name: str) -> None:
    ours, theirs = ROWS[name]
    if ours.name in TWO_ANSWERS:
        pytest.skip(TWO_ANSWERS[ours.name])
    if ours.name in ONCE:
        ours, theirs = replace(ours, twice=False), replace(theirs, twice=False)
    wrong = []
    for sample, refusable in samples_of(name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                expected = seen(torch, theirs, sample)
            except NotThere as absent:
                pytest.skip(f"PyTorch has no {absent}")
            if refusable and isinstance(expected, Exception):
                continue
            found = seen(vg, ours, sample)
        wrong += [f"{sample.name}: {line}" for line in difference(expected, found)]
    assert not wrong, "\n".join(wrong)


def difference(expected: Any, found: Any) -> list[str]:
    raised = isinstance(expected, Exception), isinstance(found, Exception)
    if any(raised):
        if all(raised) and same_error(type(expected), type(found)):
            return []
        return [f"PyTorch {_short(expected)}, vizgrad {_short(found)}"]
    if len(expected) != len(found):
        return [f"{len(expected)} and {len(found)} results"]
    lines = []
    for position, (want, have) in enumerate(zip(expected, found, strict=True)):
        if want.dtype != have.dtype or want.shape != have.shape:
            lines.append(f"[{position}] {want.dtype}{want.shape}, {have.dtype}{have.shape}")
        elif not near(want, have, want.dtype.name) and not _close_for_its_size(want, have):
            lines.append(f"[{position}] {want.tolist()}, {have.tolist()}")
    return lines


def _close_for_its_size(want: Any, have: Any) -> bool:
    """Second derivatives of matrices are sums of large terms: in single precision they lose digits."""
    if want.dtype.itemsize > want.dtype.kind.count("c") * 4 + 4 or not want.size:
        return False
    return bool(abs(want - have).max() <= 2e-5 * abs(want).max())


def _short(seen: Any) -> str:
    if isinstance(seen, Exception):
        return f"{type(seen).__name__}({str(seen).splitlines()[0][:90] if str(seen) else ''})"
    return str([a.tolist() for a in seen])[:120]

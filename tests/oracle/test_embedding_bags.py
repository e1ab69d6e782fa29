"""embedding_bag with all of its settings together, on both: values, gradients, refusals.

PyTorch has no second derivative of it: those of `tests/specs` are compared with finite differences.
"""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.oracle.compare import same_error

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.rule("X-32")

TABLE = [
    [0.5, -1.0, 2.0], [1.5, 0.25, -0.75], [-2.0, 0.3, 0.9], [0.1, 0.2, -0.3], [1.0, 1.0, 1.0],
]  # fmt: skip
#: name: (indices, offsets)
BAGS: dict[str, tuple[Any, list[int] | None]] = {
    "rows": ([[0, 1, 4], [2, 2, 3]], None), "no rows": (np.zeros((0, 3)), None),
    "rows of padding": ([[3, 3], [3, 1]], None), "offsets": ([0, 1, 4, 2, 2, 3], [0, 2, 4]),
    "empty bags": ([0, 1, 4, 2], [0, 0, 2, 2, 4]), "one": ([1], [0]), "nothing in bags": ([], [0, 0]),
    "no bags": ([], []), "one row again and again": ([2, 2, 2, 2], [0, 3]),
    "padding in bags": ([3, 3, 3, 1], [0, 2, 3]), "begins late": ([0, 1, 2], [1, 2]),
    "ends late": ([0, 1, 2], [0, 4]), "no such row": ([0, 5], [0, 1]), "below 0": ([0, -1], [0]),
}  # fmt: skip
_SETTINGS = {
    "mode": ("sum", "mean", "max"), "padding_idx": (None, 3, -2, 9), "per_sample_weights": (False, True),
    "include_last_offset": (False, True), "sparse": (False, True), "scale_grad_by_freq": (False, True),
    "types": (("int64", "int64"), ("int32", "int32"), ("int32", "int64"), ("float32", "int64")),
}  # fmt: skip


def _outcome(module: Any, bags: str, options: dict[str, Any]) -> list[Any]:
    """[value, gradients of the table and of the weights], up to an exception."""
    options = dict(options)
    indices, offsets = BAGS[bags]
    of_indices, of_offsets = (getattr(module, t) for t in options.pop("types"))
    shape = np.shape(indices)
    given = module.tensor(np.asarray(indices, "int64").tolist(), dtype=of_indices).reshape(shape)
    if offsets is not None and options["include_last_offset"]:
        offsets = [*offsets, len(indices)]
    table = module.tensor(TABLE, dtype=module.float64)
    leaves = [table.requires_grad_()]
    if options["per_sample_weights"]:
        weights = module.tensor(np.linspace(0.5, 2, given.numel()).tolist(), dtype=module.float64)
        leaves.append(weights.reshape(shape).requires_grad_())
    options["per_sample_weights"] = leaves[1] if len(leaves) > 1 else None
    seen: list[Any] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            starts = None if offsets is None else module.tensor(offsets, dtype=of_offsets)
            out = module.nn.functional.embedding_bag(given, table, starts, **options)
            seen.append(out.detach().numpy())
            for grad in module.autograd.grad((out * out * out.detach()).sum(), leaves):
                stored = grad._nnz() if grad.is_sparse else None
                seen += [stored, (grad.to_dense() if grad.is_sparse else grad).numpy()]
        except Exception as error:  # noqa: BLE001  whatever it is, it is compared
            seen.append(error)
    return seen


def _same(theirs: list[Any], ours: list[Any], by_frequency: bool) -> bool:
    if isinstance(theirs[-1], Exception):
        # What PyTorch refuses in backward is refused with the call.
        same = same_error(type(theirs[-1]), type(ours[-1]))
        return same and (len(theirs) == len(ours) or "scale_grad_by_freq" in str(theirs[-1]))
    if by_frequency and len(theirs) == len(ours):
        # PyTorch divides by the frequency of another row where rows are repeated: the number of a row among
        # those that are there is taken for its place in the sorted indices.
        return bool(np.allclose(theirs[0], ours[0]))
    return len(theirs) == len(ours) and all(
        a == b if a is None or isinstance(a, int) else a.shape == b.shape and np.allclose(a, b)
        for a, b in zip(theirs, ours, strict=True)
    )


@pytest.mark.parametrize("bags", BAGS)
def test_all_settings_together(bags: str) -> None:
    wrong = []
    for values in product(*_SETTINGS.values()):
        options = dict(zip(_SETTINGS, values, strict=True))
        theirs, ours = (_outcome(module, bags, options) for module in (torch, vg))
        if not _same(theirs, ours, options["scale_grad_by_freq"]):
            wrong.append(f"{options}\n  PyTorch {theirs}\n  vizgrad {ours}")
    assert not wrong, f"{len(wrong)}:\n" + "\n".join(wrong[:5])


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_frequencies_are_those_of_the_row(mode: str) -> None:
    """Where each row is there once, or all equally often, PyTorch's mistake does not show."""
    for indices in ([[0, 1], [4, 2]], [[0, 1, 2], [2, 1, 0]]):
        grads = []
        for module in (torch, vg):
            table = module.tensor(TABLE, dtype=module.float64, requires_grad=True)
            out = module.nn.functional.embedding_bag(
                module.tensor(indices), table, mode=mode, scale_grad_by_freq=True
            )
            out.pow(2).sum().backward()
            grads.append(table.grad.numpy())
        assert np.allclose(*grads)
    table = vg.tensor(TABLE, requires_grad=True)
    vg.nn.functional.embedding_bag(
        vg.tensor([[0, 1, 4, 2, 2, 3]]), table, mode="sum", scale_grad_by_freq=True
    ).sum().backward()
    assert table.grad is not None
    assert table.grad.tolist() == [[1.0] * 3] * 5  # of row 2: two gradients, each divided by 2


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("norm", [0.5, 1.0, 100.0])
def test_rows_are_scaled_down_in_place(mode: str, norm: float) -> None:
    after = []
    for module in (torch, vg):
        table = module.tensor(TABLE)
        out = module.nn.functional.embedding_bag(
            module.tensor([0, 2, 2]), table, module.tensor([0, 1]), max_norm=norm, mode=mode,
            norm_type=1.0, padding_idx=0,
        )  # fmt: skip
        after.append((out.numpy(), table.numpy()))
    for a, b in zip(*after, strict=True):
        assert np.allclose(a, b, rtol=1e-6)


def test_bags_that_end_before_they_begin_are_refused() -> None:
    """PyTorch does not look, and gives what its algorithm for the mode happens to give."""
    with pytest.raises(IndexError, match="cannot end before it begins"):
        vg.nn.functional.embedding_bag(vg.tensor([0, 1, 2]), vg.tensor(TABLE), vg.tensor([0, 2, 1]))


def test_the_last_offset_ends_the_last_bag() -> None:
    """PyTorch's sum agrees; its means and maxima count to the end of the input all the same."""
    for module in (torch, vg):
        out = module.nn.functional.embedding_bag(
            module.tensor([0, 1, 2, 3]), module.tensor(TABLE), module.tensor([0, 2, 3]), mode="sum",
            include_last_offset=True,
        )  # fmt: skip
        assert np.allclose(out.numpy(), [[2, -0.75, 1.25], [-2, 0.3, 0.9]])

"""Every operation of the spec table on a batch gives what a loop over the examples gives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.batching.gradients import (
    a_batch_of_batches_is_a_loop_of_loops,
    gradients_and_batches_go_together,
)
from tests.fixtures.folded import Folded
from tests.specs import activations, layers
from tests.specs.checks import check_row
from tests.specs.row import Row, Sample
from tests.specs.table import ROWS
from vizgrad.core.batching.rules import LOOPED, how
from vizgrad.core.function.primitive import REGISTRY
from vizgrad.core.ops import random_sampling, registry
from vizgrad.core.ops.copying import overwrite
from vizgrad.func import vmap

ALL: list[Row] = [*ROWS, *activations.ROWS, *layers.ROWS]

#: What looks at elements: its result, or whether it is right, depends on them.
OF_ELEMENTS = {"unique", "gaussian_nll_loss"}


def _another(array: np.ndarray) -> np.ndarray:
    """The same elements, elsewhere."""
    return np.roll(array.reshape(-1), 1).reshape(array.shape)


def _results(row: Row, arrays: Any) -> list[np.ndarray]:
    found = row.call(*[vg.from_numpy(array.copy()) for array in arrays])
    return [r.numpy() for r in (found if isinstance(found, (tuple, list)) else [found])]


def _check(row: Row, sample: Sample, mapped: tuple[bool, ...]) -> None:
    first = sample.arrays
    second = tuple(_another(a) if m else a for a, m in zip(first, mapped, strict=True))
    want = [_results(row, first)]
    try:
        want.append(_results(row, second))
    except (RuntimeError, ValueError, IndexError):  # the elements mean something where they are
        second, want = first, want * 2
    if any(a.shape != b.shape for a, b in zip(*want, strict=True)):
        second, want = first, want[:1] * 2
    stacks = [
        vg.from_numpy(np.stack(pair) if m else pair[0].copy())
        for m, pair in zip(mapped, zip(first, second, strict=True), strict=True)
    ]

    def call(*tensors: Any) -> tuple[Any, ...]:
        found = row.call(*tensors)
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    found = vmap(call, tuple(0 if m else None for m in mapped))(*stacks)
    for result, *each in zip(found, *want, strict=True):
        assert result.numpy().dtype == each[0].dtype
        np.testing.assert_allclose(result.numpy(), np.stack(each), rtol=1e-6, atol=1e-6)


def _masks(count: int) -> list[tuple[bool, ...]]:
    """Every argument is a batch; or only one of several."""
    every = (True,) * count
    return [every] + [tuple(i == j for j in range(count)) for i in range(count) if count > 1]


def a_batch_is_a_loop(row: Row, sample: Sample) -> None:
    with Folded() as case:
        for mapped in _masks(len(sample.arrays)):
            with case(mapped):
                try:
                    _check(row, sample, mapped)
                except RuntimeError as error:  # D-4: written to what is the same for all
                    if mapped[0] or "inplace arithmetic" not in str(error):
                        raise


@pytest.mark.rule("C-5", "D-1", "E-34")
@pytest.mark.parametrize(
    "row",
    [r for r in ALL if r.name not in OF_ELEMENTS and r.samples[0].arrays],
    ids=lambda row: row.name,
)
def test_row(row: Row) -> None:
    check_row(
        row,
        a_batch_is_a_loop,
        gradients_and_batches_go_together,
        a_batch_of_batches_is_a_loop_of_loops,
    )


@pytest.mark.rule("D-1")
def test_examples_without_dimensions_and_indices_from_the_end() -> None:
    """Where PyTorch's own rules are wrong, or end in an assertion of theirs."""
    values = vg.tensor([1.0, 2.0])
    found = vmap(lambda one: vg.topk(one, 0).values)(values)
    assert found.tolist() == [1.0, 2.0]  # as of each alone, which is its only element
    rows, last = vg.zeros(2, 3), vg.tensor([[-1], [-3]])
    found = vmap(lambda row, at: row.index_fill(0, at, 7.0))(rows, last)
    assert found.tolist() == [[0, 0, 7], [7, 0, 0]]


@pytest.mark.rule("D-1")
def test_values_of_too_many_dimensions_are_refused() -> None:
    nothing, places, values = vg.zeros(2, 0), vg.zeros(2, 0, dtype=vg.int64), vg.ones(2, 2, 3)
    put = vmap(lambda a, b, c: a.index_put([b], c, True))
    with pytest.raises(RuntimeError, match="shape mismatch: value tensor of shape"):
        put(nothing, places, values)


#: Operations of sparse tensors that PyTorch does not batch either.
REFUSED = {
    "placed", "placed_compressed", "masked_dense", "masked_sparse", "to_sparse", "to_sparse_dim", "to_coo",
    "to_csr", "to_csc", "sampled", "sparse_sparse_mm", "spread_sums", "sum_along", "exp_values",
    "sparse_softmax", "sparse_log_softmax", "used_rows", "coalesce", "values", "entries_of_sparse", "rows_at",
}  # fmt: skip
#: Whole layers and losses, which are not recorded on a batch: their steps are (`is_one_node`).
NOT_ON_A_BATCH = {"attention", "ctc_loss"}


@pytest.mark.rule("D-5")
def test_no_operation_is_looped() -> None:
    registry.operations()
    ours = [
        op
        for op in REGISTRY.values()
        if op.module.startswith("vizgrad.") and op.name not in NOT_ON_A_BATCH
    ]
    assert [op.name for op in ours if how(op) == "loop"] == []
    assert {op.name for op in ours if how(op) == "refused"} == REFUSED


@pytest.mark.rule("D-5")
def test_constants_under_a_batch_are_those_of_one_example() -> None:
    """What random functions and writes record: no program of a user records them on a batch."""
    batch, drawn = vg.ones(2, 3), np.array([1.0, 0, 1], np.float32)
    for op in (random_sampling.bernoulli, random_sampling.normal_of_means):
        found = vmap(lambda x, op=op: op.record(x, drawn=drawn))(batch)
        assert found.tolist() == [[1, 0, 1]] * 2
    found = vmap(lambda m: random_sampling.normal.record(m, vg.ones(3), drawn=drawn))(vg.ones(2))
    assert found.tolist() == [[1, 0, 1]] * 2
    assert vmap(lambda x: overwrite.record(x, values=drawn))(batch).tolist() == [[1, 0, 1]] * 2


@pytest.mark.rule("D-5")
def test_examples_in_a_memory_format_are_copied_at_once() -> None:
    before, images = dict(LOOPED), vg.arange(240.0).reshape(2, 2, 3, 4, 5)
    found = vmap(lambda x: x.clone(memory_format=vg.channels_last))(images)
    assert found.tolist() == images.tolist()
    assert [one.is_contiguous(memory_format=vg.channels_last) for one in found] == [True, True]
    found = vmap(lambda x: x.to(vg.float64, memory_format=vg.channels_last))(images)
    assert found.tolist() == images.tolist()
    assert before == LOOPED


def test_sums_of_products_of_integers_keep_their_type_on_a_batch() -> None:
    ones = {dims: vg.ones(dims, dtype=vg.int32) for dims in ((4, 2, 3), (5, 2, 2), (5, 2, 3))}
    start, left, right = ones.values()
    found = vmap(lambda a: vg.addbmm(a, left, right))(start)
    assert found.dtype == vg.addbmm(start[0], left, right).dtype == vg.int32
    assert found.tolist() == [[[11] * 3] * 2] * 4
    wide = vmap(vg.addbmm, (None, 0, 0))(
        start[0], vg.stack([left, left * 2]), vg.stack([right, right])
    )
    assert wide.tolist() == [[[11] * 3] * 2, [[21] * 3] * 2]

"""Where a graph says that the examples of a vmap lie: of results, and of what rules compute on their way.

The truth is what changes with their number: a graph of five examples beside one of seven.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.batching.test_sweep import ALL, OF_ELEMENTS
from tests.fixtures.folded import Folded
from tests.specs.row import Row, Sample
from vizgrad.debugger.engines.vizgrad.opener import open_graph
from vizgrad.debugger.model import Node
from vizgrad.func import vmap

#: Numbers of examples; no dimension of the samples is a multiple of one.
FEW, MANY = 11, 13


def _graph(row: Row, sample: Sample, mapped: tuple[bool, ...], size: int) -> list[Node]:
    """What the vmap has recorded, in the order of the numbers of nodes."""

    def given(array: np.ndarray, batched: bool) -> vg.Tensor:
        tensor = vg.from_numpy(np.stack([array] * size) if batched else array.copy())
        if tensor.dtype.is_floating_point or tensor.dtype.is_complex:
            tensor.requires_grad_()
        return tensor

    def call(*tensors: Any) -> tuple[Any, ...]:
        found = row.call(*[t * 1 if t.requires_grad else t for t in tensors])
        return tuple(found) if isinstance(found, (tuple, list)) else (found,)

    stacks = [given(a, m) for a, m in zip(sample.arrays, mapped, strict=True)]
    found = vmap(call, tuple(0 if m else None for m in mapped))(*stacks)
    roots = [each for each in found if isinstance(each, vg.Tensor) and each.requires_grad]
    if not roots:
        return []
    source = open_graph(
        roots, {}
    )  # `vg.graph` would also read the table of rows to group the nodes
    nodes = map(source.describe_before, range(len(source)))
    return [node for node in nodes if node.scope]


def _masks(count: int) -> list[tuple[bool, ...]]:
    """All operands have examples, or one alone: the first, and the last of more than two."""
    alone = {0, count - 1} if count > 2 else {0} if count > 1 else set[int]()
    return [(True,) * count, *(tuple(i == j for j in range(count)) for i in sorted(alone))]


#: Computed for each example by itself: what is on the way is no batch.
LOOPED = {
    "repeat_interleave by counts", "lstsq", "lstsq and residuals", "lstsq of a wide matrix", "lu_solve",
    "lu_solve, adjoint", "lu_solve from the right", "triangular_solve",
    "quantile", "quantile dim", "quantiles", "nanquantile",
    "ctc_loss", "embedding, padding", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d",
    "fractional_max_pool2d", "fractional_max_pool3d", "max_unpool2d", "max_unpool3d",
}  # fmt: skip


def _are_of_single_examples(nodes: list[Node]) -> None:
    assert "StackBackward0" in {node.name for node in nodes}
    for node in nodes:
        told = [batch for output in node.outputs for batch in output.batches]
        assert not told or node.outputs[0].shape[told[0].dim] == FEW * told[0].rows


def _agree(few: list[Node], many: list[Node]) -> None:
    assert [node.name for node in few] == [node.name for node in many]
    for one, other in zip(few, many, strict=True):
        for a, b in zip(one.outputs, other.outputs, strict=True):
            moved = [dim for dim, (m, n) in enumerate(zip(a.shape, b.shape, strict=True)) if m != n]
            told = [(batch.dim, batch.rows) for batch in a.batches]
            assert told == [(batch.dim, batch.rows) for batch in b.batches]
            assert [dim for dim, _ in told] == moved, (one.name, a)
            for batch in a.batches:
                assert (batch.size, a.shape[batch.dim]) == (FEW, FEW * batch.rows)


@pytest.mark.parametrize(
    "row",
    [r for r in ALL if r.name not in OF_ELEMENTS and r.samples[0].arrays],
    ids=lambda r: r.name,
)
def test_row(row: Row) -> None:
    sample = row.samples[0]
    with Folded() as case:
        for mapped in _masks(len(sample.arrays)):
            with case(mapped):
                try:
                    graphs = [_graph(row, sample, mapped, size) for size in (FEW, MANY)]
                except RuntimeError as error:  # D-4: written to what is the same for all
                    if "inplace arithmetic" not in str(error):
                        raise
                    continue
                if row.name in LOOPED:
                    _are_of_single_examples(graphs[0])
                else:
                    _agree(*graphs)

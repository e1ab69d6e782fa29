"""Every row of tests/specs/layers.py and activations.py: value, gradient, second derivative."""

from __future__ import annotations

import numpy as np
import pytest

import vizgrad as vg
from tests.core.ops.differences import gradients, leaves_of, results_of, slopes, weighted
from tests.core.ops.test_registry import _ops_below
from tests.specs import activations, layers
from tests.specs.checks import check_row
from tests.specs.row import Row, Sample
from vizgrad.core.function.primitive import REGISTRY

ROWS = [*layers.ROWS, *activations.ROWS]


def value(row: Row, sample: Sample) -> None:
    if row.value is None:  # compared with PyTorch alone (tests/oracle)
        return
    (found,) = results_of(row, leaves_of(sample))
    expected = row.value(*sample.arrays)
    assert tuple(found.shape) == np.shape(expected)
    np.testing.assert_allclose(found.detach().numpy(), expected, rtol=1e-10, atol=1e-12)


def gradient_is_the_slope(row: Row, sample: Sample) -> None:
    if not row.smooth:
        return
    _, _, found = gradients(row, sample, create_graph=False)
    expected = slopes(weighted(row, sample), list(sample.arrays))
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have.numpy(), want, rtol=1e-6, atol=1e-7)


def both_paths_agree(row: Row, sample: Sample) -> None:
    _, _, plain = gradients(row, sample, create_graph=False)
    _, _, recorded = gradients(row, sample, create_graph=True)
    for a, b in zip(plain, recorded, strict=True):
        assert a.dtype is b.dtype
        if "fused" in row.tags:  # the kernel on arrays is not the same sum of roundings
            np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-11, atol=1e-13)
        else:
            np.testing.assert_array_equal(a.numpy(), b.detach().numpy())


def second_derivative_is_the_slope_of_the_first(row: Row, sample: Sample) -> None:
    if not (row.twice and row.smooth):
        return
    leaves, incoming, firsts = gradients(row, sample, create_graph=True)
    curved = [i for i, g in enumerate(firsts) if g.requires_grad]
    outer = [np.cos(np.arange(firsts[i].numel()) + 1.0).reshape(firsts[i].shape) for i in curved]
    found = vg.autograd.grad(
        [firsts[i] for i in curved], [*leaves, *incoming], [vg.tensor(o) for o in outer],
        materialize_grads=True, allow_unused=True,
    )  # fmt: skip

    def weighted_gradient(*arrays: np.ndarray) -> float:
        count = len(sample.arrays)
        tensors = [vg.from_numpy(a) for a in arrays[:count]]
        wanted = [t.requires_grad_() for t in tensors if t.is_floating_point()]
        grads = vg.autograd.grad(
            results_of(row, tensors), wanted, [vg.from_numpy(a) for a in arrays[count:]],
            allow_unused=True, materialize_grads=True,
        )  # fmt: skip
        return sum(float((grads[i].numpy() * o).sum()) for i, o in zip(curved, outer, strict=True))

    expected = slopes(weighted_gradient, [*sample.arrays, *(i.detach().numpy() for i in incoming)])
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have.numpy(), want, rtol=5e-5, atol=5e-6)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    check_row(
        row,
        value,
        gradient_is_the_slope,
        both_paths_agree,
        second_derivative_is_the_slope_of_the_first,
    )


#: Operations of which another of the same making is tested, or that only slow or rare calls reach.
UNREACHED = {
    "circular_pad2d", "circular_pad3d", "reflection_pad3d", "replication_pad2d",
    "upsample_nearest_exact2d", "upsample_nearest_exact3d",
    "embedding_take", "take_from", "take_places",  # met in third derivatives
    # of tensors, with rows in tests/specs
    "channel_shuffle", "pixel_shuffle", "pixel_unshuffle",
    "grid_sampler_2d_slope", "grid_sampler_3d_slope",  # met in third derivatives
}  # fmt: skip
FAMILIES = ("activation", "convolution", "images", "losses", "normalization", "pooling")
#: Operations of layers that stand in a family whose other operations are functions of tensors.
OF_LAYERS = {"addmm_t", "mm_t", "embedding", "embedding_backward"}


def test_every_operation_has_a_row() -> None:
    met: set[str] = set()
    for row, sample in ((each, sample) for each in ROWS for sample in each.samples):
        for result in results_of(row, leaves_of(sample)):
            _ops_below(result.grad_fn, met)
        for gradient in gradients(row, sample, create_graph=True)[2]:
            _ops_below(gradient.grad_fn, met)
    families = {
        name: {f.__module__.rpartition(".")[2] for f in op.formulas.values()}
        for name, op in REGISTRY.items()
    }
    assert set(FAMILIES) <= set().union(*families.values())
    declared = {name for name, of in families.items() if of & set(FAMILIES)} | OF_LAYERS
    assert sorted(declared - met - UNREACHED) == []

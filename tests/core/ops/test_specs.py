"""Every row of the spec table: values, gradients, second derivatives, and whose memory a gradient is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import vizgrad as vg
from tests.core.ops.differences import gradients, leaves_of, results_of, slopes, weighted
from tests.specs.checks import check_row
from tests.specs.row import Row, Sample
from tests.specs.table import ROWS


def value(row: Row, sample: Sample) -> None:
    if row.value is None:  # compared with PyTorch alone (tests/oracle)
        return
    expected = row.value(*sample.arrays)
    expected = expected if isinstance(expected, tuple) else (expected,)
    found = results_of(row, leaves_of(sample))
    assert len(found) == len(expected)
    for have, want in zip(found, expected, strict=True):
        assert tuple(have.shape) == np.shape(want)
        np.testing.assert_allclose(have.detach().numpy(), want, rtol=1e-12, atol=1e-12)


def gradient_is_the_slope(row: Row, sample: Sample) -> None:
    _, _, found = gradients(row, sample, create_graph=False)
    expected = slopes(weighted(row, sample), list(sample.arrays))
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have.numpy(), want, rtol=1e-6, atol=1e-7)


#: Beginnings of the names of rows whose gradient is written as a function of the result where it is
#: differentiated itself (X-42), and otherwise in a way that loses fewer digits.
ROUNDED = ("prod", "cumprod", "det", "special log_ndtr", "complex prod", "complex cumprod", "complex det",
           "complex eigvals")  # fmt: skip


def both_paths_give_the_same_bits(row: Row, sample: Sample) -> None:
    _, _, plain = gradients(row, sample, create_graph=False)
    _, _, recorded = gradients(row, sample, create_graph=True)
    for a, b in zip(plain, recorded, strict=True):
        assert a.dtype is b.dtype
        if row.name.startswith(ROUNDED):
            np.testing.assert_allclose(a.numpy(), b.detach().numpy(), rtol=1e-12, atol=1e-14)
        else:
            np.testing.assert_array_equal(a.numpy(), b.detach().numpy())


def hooks_that_give_saved_values_back_change_nothing(row: Row, sample: Sample) -> None:
    _, _, plain = gradients(row, sample, create_graph=False)
    with vg.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        _, _, hooked = gradients(row, sample, create_graph=False)
    for a, b in zip(plain, hooked, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def second_derivative_is_the_slope_of_the_first(row: Row, sample: Sample) -> None:
    if not (row.twice and row.smooth):
        return
    leaves, incoming, firsts = gradients(row, sample, create_graph=True)
    curved = [g for g in firsts if g.requires_grad]
    if not curved:
        return
    outer = [np.cos(np.arange(g.numel()) + 1.0).reshape(g.shape) for g in curved]
    found = vg.autograd.grad(
        curved,
        [*leaves, *incoming],
        [vg.tensor(o) for o in outer],
        materialize_grads=True,
        allow_unused=True,
    )
    which = [i for i, g in enumerate(firsts) if g.requires_grad]

    def weighted_gradient(*arrays: np.ndarray) -> float:
        count = len(sample.arrays)
        tensors = [vg.from_numpy(a) for a in arrays[:count]]
        wanted = [t.requires_grad_() for t in tensors if t.is_floating_point()]
        results = [r for r in results_of(row, tensors) if r.requires_grad]
        grads = vg.autograd.grad(
            results,
            wanted,
            [vg.from_numpy(a) for a in arrays[count:]],
            allow_unused=True,
            materialize_grads=True,
        )
        return sum(float((grads[i].numpy() * o).sum()) for i, o in zip(which, outer, strict=True))

    arrays = [*sample.arrays, *(i.detach().numpy() for i in incoming)]
    expected = slopes(weighted_gradient, arrays)
    for have, want in zip(found, expected, strict=True):
        np.testing.assert_allclose(have.numpy(), want, rtol=2e-5, atol=2e-6)


def a_gradient_is_nobody_elses_memory(row: Row, sample: Sample) -> None:
    leaves = leaves_of(sample)
    results = [r for r in results_of(row, leaves) if r.requires_grad]
    incoming = [vg.ones_like(r) for r in results]
    vg.autograd.backward(results, incoming, retain_graph=True)
    saved = [value for r in results for value in _saved(r.grad_fn)]
    known = [t._array for t in (*leaves, *results, *incoming)] + saved
    grads = [leaf.grad for leaf in leaves if leaf.grad is not None]
    for position, grad in enumerate(grads):
        others = known + [g._array for g in grads[:position]]
        assert not any(np.shares_memory(grad._array, other) for other in others)


@pytest.mark.rule("T-95")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_row(row: Row) -> None:
    check_row(
        row,
        value,
        gradient_is_the_slope,
        both_paths_give_the_same_bits,
        hooks_that_give_saved_values_back_change_nothing,
        second_derivative_is_the_slope_of_the_first,
        a_gradient_is_nobody_elses_memory,
    )


def _saved(node: Any) -> list[np.ndarray]:
    """All arrays that the graph below a node holds."""
    found, stack, seen = [], [node], set()
    while stack:
        current = stack.pop()
        if current is None or id(current) in seen:
            continue
        seen.add(id(current))
        found += [v._array for v in current.saved_values().values() if hasattr(v, "_array")]
        stack.extend(following for following, _ in current.next_functions)
    return found

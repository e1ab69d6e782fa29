"""Random index expressions against numpy: reading, the gradient, writing, and the gradients of writing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import vizgrad as vg
from tests.fixtures.index_expressions import Indexed, indexed

each = settings(max_examples=150, deadline=None, derandomize=True, database=None)

pytestmark = pytest.mark.rule("T-20", "T-21", "T-22", "T-23", "T-24")


def values(*shape: int) -> np.ndarray:
    return np.cos(np.arange(int(np.prod(shape))) + 1.0).reshape(shape)


def added_up(size: int, places: np.ndarray, weights: np.ndarray) -> np.ndarray:
    total = np.zeros(size)
    np.add.at(total, places.reshape(-1), weights.reshape(-1))
    return total


@each
@given(indexed())
def test_reading(case: Indexed) -> None:
    data, places = values(*case.shape), case.places()
    x = vg.tensor(data, requires_grad=True)
    found: Any = x[case.given(vg)]
    assert tuple(found.shape) == places.shape
    np.testing.assert_array_equal(found.detach().numpy(), data.reshape(-1)[places])
    weights = values(*places.shape)
    (grad,) = vg.autograd.grad(found, x, vg.tensor(weights).reshape(places.shape))
    wanted = added_up(data.size, places, weights).reshape(case.shape)
    np.testing.assert_allclose(grad.numpy(), wanted, rtol=1e-12, atol=1e-12)


@each
@given(indexed())
def test_a_view_is_where_only_basic_entries_are(case: Indexed) -> None:
    x = vg.tensor(values(*case.shape))
    found: Any = x[case.given(vg)]
    assert found._is_view() == case.basic
    found.fill_(7.0)
    changed = x.numpy().reshape(-1) == 7
    assert set(np.flatnonzero(changed)) == (set(case.places().reshape(-1)) if case.basic else set())


@each
@given(indexed())
def test_writing_a_number(case: Indexed) -> None:
    data, places = values(*case.shape), case.places()
    x = vg.tensor(data, requires_grad=True)
    y: Any = x * 1
    y[case.given(vg)] = 3.0
    wanted = data.copy().reshape(-1)
    wanted[places.reshape(-1)] = 3.0
    np.testing.assert_array_equal(y.detach().numpy(), wanted.reshape(case.shape))
    weights = values(*case.shape)
    (grad,) = vg.autograd.grad(y, x, vg.tensor(weights))
    weights.reshape(-1)[places.reshape(-1)] = 0
    np.testing.assert_array_equal(grad.numpy(), weights)


@each
@given(indexed())
def test_writing_a_tensor(case: Indexed) -> None:
    """What is written where each place is named once; the gradient of what is written, always."""
    data, places = values(*case.shape), case.places()
    x = vg.tensor(data, requires_grad=True)
    new = vg.tensor(values(*places.shape) + 5).reshape(places.shape).requires_grad_()
    y: Any = x * 1
    y[case.given(vg)] = new
    weights = values(*case.shape)
    grads = vg.autograd.grad(y, (x, new), vg.tensor(weights))
    wanted = weights.copy()
    wanted.reshape(-1)[places.reshape(-1)] = 0
    np.testing.assert_array_equal(grads[0].numpy(), wanted)
    np.testing.assert_array_equal(grads[1].numpy(), weights.reshape(-1)[places])
    if len(set(places.reshape(-1))) == places.size:
        result = data.copy().reshape(-1)
        result[places.reshape(-1)] = new.detach().numpy().reshape(-1)
        np.testing.assert_array_equal(y.detach().numpy(), result.reshape(case.shape))


@each
@given(indexed())
def test_adding_at_places(case: Indexed) -> None:
    data, places = values(*case.shape), case.places()
    y = vg.tensor(data)
    key = tuple(e for e in case.given(vg) if isinstance(e, vg.Tensor))
    if not key or len(key) != len(case.key):
        return  # index_put_ takes tensors alone
    new = values(*places.shape)
    y.index_put_(key, vg.tensor(new).reshape(places.shape), accumulate=True)
    wanted = data + added_up(data.size, places, new).reshape(case.shape)
    np.testing.assert_allclose(y.numpy(), wanted, rtol=1e-12, atol=1e-12)

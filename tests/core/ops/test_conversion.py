"""Types, copies, numpy, and leaving the graph."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import vizgrad as vg


def test_a_gradient_comes_back_in_the_type_of_its_leaf() -> None:
    x = vg.tensor([1.0, 2.0], dtype=vg.float64, requires_grad=True)
    (x.float() * 3).sum().backward()
    assert x.grad is not None
    assert x.grad.dtype is vg.float64
    assert x.grad.tolist() == [3.0, 3.0]


@pytest.mark.parametrize("name", ["long", "int", "bool", "byte", "char", "short"])
def test_integers_have_no_history(name: str) -> None:
    x = vg.ones(2, requires_grad=True) * 2
    made = getattr(x, name)()
    assert not made.requires_grad
    assert made.grad_fn is None


def test_to_returns_self_when_nothing_changes() -> None:
    x = vg.ones(2)
    assert x.to(vg.float32) is x
    assert x.to("cpu") is x
    assert x.to(x) is x
    assert x.to(vg.float32, copy=True) is not x


def test_numpy_shares_memory_and_refuses_history() -> None:
    x = vg.zeros(2)
    x.numpy()[0] = 5
    assert x.tolist() == [5.0, 0.0]
    with pytest.raises(RuntimeError, match="detach"):
        vg.zeros(2, requires_grad=True).numpy()


def test_detach_shares_the_counter_and_is_no_view() -> None:
    x = vg.ones(2, requires_grad=True) * 1
    y = x.detach()
    y.add_(1)
    assert (x._version, y._version) == (1, 1)
    assert not y._is_view()
    assert not y.requires_grad


def test_detach_in_place() -> None:
    x = vg.ones(2, requires_grad=True) * 1
    assert x.detach_() is x
    assert x.is_leaf
    assert not x.requires_grad
    with pytest.raises(RuntimeError, match="detach views in-place"):
        x[0].detach_()


def test_copies_of_leaves_carry_flags_and_gradients() -> None:
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    for made in (copy.deepcopy(x), copy.deepcopy([x, x])[1]):
        assert made.requires_grad
        assert made.is_leaf
        assert made.tolist() == [1.0, 2.0]
        assert made.grad is not None
        assert made.grad is not x.grad
        assert made.grad.tolist() == [2.0, 2.0]
    twice = copy.deepcopy([x, x])
    assert twice[0] is twice[1]
    with pytest.raises(RuntimeError, match="graph leaves"):
        copy.deepcopy(x * 1)


def test_pickles() -> None:
    import pickle

    x = vg.tensor([[1.0, 2.0]], dtype=vg.float64, requires_grad=True)
    made = pickle.loads(pickle.dumps(x))
    assert made.requires_grad
    assert made.dtype is vg.float64
    assert made.tolist() == [[1.0, 2.0]]


def test_arrays_and_tensors_meet() -> None:
    x = vg.tensor([1.0, 2.0])
    assert np.asarray(x).tolist() == [1.0, 2.0]
    assert (x + np.array([1.0, 1.0], dtype=np.float32)).tolist() == [2.0, 3.0]
    assert (np.array([1.0, 1.0], dtype=np.float32) + x).tolist() == [2.0, 3.0]
    assert (x * np.float32(2)).tolist() == [2.0, 4.0]


def test_out_writes_and_checks() -> None:
    a, b, out = vg.ones(2), vg.ones(2), vg.zeros(2)
    assert vg.add(a, b, out=out) is out
    assert out.tolist() == [2.0, 2.0]
    assert out._version == 1
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        vg.add(a.requires_grad_(), b, out=out)
    with pytest.raises(RuntimeError, match="can't be cast"):
        vg.add(b, b, out=vg.zeros(2, dtype=vg.int64))
    with pytest.warns(UserWarning, match="resized"):
        vg.add(b, b, out=(small := vg.zeros(1)))
    assert small.tolist() == [2.0, 2.0]

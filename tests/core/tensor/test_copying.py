"""Copies of tensors."""

from __future__ import annotations

import copy
import pickle

import pytest

import vizgrad as vg


@pytest.mark.rule("E-97")
def test_deepcopy_of_a_leaf():
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    (x * 3).sum().backward()
    x.note = ["mine"]
    twin = copy.deepcopy(x)
    assert twin.requires_grad
    assert twin.is_leaf
    assert twin.tolist() == [1, 2]
    assert twin.grad.tolist() == [3, 3]
    assert twin.note == ["mine"]
    assert twin.note is not x.note
    with vg.no_grad():
        twin.add_(1)
        twin.grad.add_(1)
    assert x.tolist() == [1, 2]
    assert x.grad.tolist() == [3, 3]
    assert x._version == 0


@pytest.mark.rule("E-97")
def test_deepcopy_of_a_result_is_refused():
    y = vg.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="support the deepcopy protocol") as caught:
        copy.deepcopy(y)  # here
    assert caught.value.explanation.culprit.text == "copy.deepcopy(y)  # here"


@pytest.mark.rule("E-97", "V-1")
def test_tensors_that_share_memory_share_it_in_the_copies():
    x = vg.arange(6.0)
    first, second = x[1:3], x[2:5]
    a, b, c = copy.deepcopy((x, first, second))
    c[0] = 99
    assert a.tolist() == [0, 1, 99, 3, 4, 5]
    assert b.tolist() == [1, 99]
    assert b.storage_offset() == 1
    assert (a._version, b._version, x._version) == (1, 1, 0)
    assert copy.deepcopy(x.reshape(2, 3).t()).stride() == (1, 3)
    same = copy.deepcopy([x, x])
    assert same[0] is same[1]


@pytest.mark.rule("E-97")
def test_pickle_and_shallow_copy():
    x = vg.tensor([1.0, 2.0], requires_grad=True)
    x.grad = vg.ones(2)
    x.note = "mine"
    again = pickle.loads(pickle.dumps(x))
    assert vg.equal(again + vg.ones(2), x + vg.ones(2))  # of the very type, not one like it
    assert (again.requires_grad, again.grad, again.note) == (True, None, "mine")
    assert again.tolist() == [1, 2]
    assert pickle.loads(pickle.dumps(x * 2)).is_leaf
    alias = copy.copy(x)
    assert alias.data_ptr() == x.data_ptr()
    with vg.no_grad():
        alias.add_(1)
    assert x._version == 1
    x.register_hook(lambda g: g)
    with pytest.warns(UserWarning, match="will not be serialized"):
        pickle.dumps(x)

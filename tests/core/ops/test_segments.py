"""Groups of rows: values, gradients, empty groups, and index vectors that are none (spec T-44)."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import vizgrad as vg

GROUPED = (vg.segment_sum, vg.segment_mean, vg.segment_max, vg.segment_softmax)


def rows() -> Any:
    return vg.tensor([[1.0, 2.0], [5.0, 0.0], [3.0, 2.0]], requires_grad=True)


@pytest.mark.rule("T-44")
def test_groups_and_what_flows_back() -> None:
    index = vg.tensor([2, 0, 2])
    inf = float("inf")
    for function, expected, slope in [
        (vg.segment_sum, [[5, 0], [0, 0], [4, 4]], [[1, 1], [1, 1], [1, 1]]),
        (vg.segment_mean, [[5, 0], [0, 0], [2, 2]], [[0.5, 0.5], [1, 1], [0.5, 0.5]]),
        (vg.segment_max, [[5, 0], [-inf, -inf], [3, 2]], [[0, 0.5], [1, 1], [1, 0.5]]),
    ]:
        values = rows()
        found = function(values, index, 3)
        assert found.tolist() == expected
        found[[0, 2]].sum().backward()
        assert values.grad.tolist() == slope
    shares = vg.segment_softmax(rows() + 1000, index, 3)
    assert vg.allclose(vg.segment_sum(shares, index, 3)[[0, 2]], vg.ones(2, 2))
    assert vg.autograd.gradcheck(
        lambda x: vg.segment_softmax(x, index, 3), rows().double().detach().requires_grad_()
    )


@pytest.mark.rule("T-44")
@pytest.mark.parametrize("function", GROUPED, ids=lambda f: f.__name__)
def test_index_vectors_that_are_none(function: Any) -> None:
    for index, error, phrase in [
        ([0, 1, 5], IndexError, "group number 5 is out of range: there are 3"),
        ([0, -1, 2], IndexError, "group number -1 is out of range"),
        ([0, 1], RuntimeError, r"shape \[3\], not \[2\]"),
        ([[0], [1], [2]], RuntimeError, r"not \[3, 1\]"),
        ([0.0, 1.0, 2.0], RuntimeError, "int64 or int32"),
    ]:
        with pytest.raises(error, match=phrase):
            function(rows(), vg.tensor(index), 3)
    with pytest.raises(ValueError, match="count of groups"):
        function(rows(), vg.tensor([0, 1, 2]), -1)
    with pytest.raises(RuntimeError, match="one group number for each row"):
        function(vg.tensor(1.0), vg.tensor(0), 1)


@pytest.mark.rule("T-44")
@pytest.mark.parametrize("function", GROUPED, ids=lambda f: f.__name__)
def test_small_and_whole_numbers(function: Any) -> None:
    index = vg.tensor([1, 1, 0], dtype=vg.int32)
    assert function(rows(), index, 2).shape == (3 if function is vg.segment_softmax else 2, 2)
    assert function(rows()[:0], index[:0], 0).tolist() == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        function(vg.arange(3), index, 4)

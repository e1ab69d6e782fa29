"""InplaceFunction."""

from __future__ import annotations

import warnings

import pytest

import vizgrad as vg
from tests.core.function.custom.making import leaf
from vizgrad.autograd.function import InplaceFunction


class Double(InplaceFunction):
    def __init__(self, inplace=False, factor=2.0):
        super().__init__(inplace)
        self.factor = factor

    factor = 2.0

    def helper(self, x):
        return x * self.factor

    def forward(self, x):
        return x.mul_(self.factor) if self.inplace else self.helper(x)

    def backward(self, grad):
        return self.helper(grad)


class Static(InplaceFunction):
    @staticmethod
    def forward(ctx, x):
        return x.exp_() if ctx.inplace else x.exp()

    @staticmethod
    def backward(ctx, grad):
        return grad


@pytest.mark.rule("F-110")
def test_the_flag_is_kept():
    assert InplaceFunction().inplace is False
    assert InplaceFunction(inplace=True).inplace is True


@pytest.mark.rule("F-111", "F-112")
def test_applied_or_called():
    x = leaf()
    y = Double.apply(x)
    assert y.grad_fn.name() == "DoubleBackward"
    assert y.grad_fn.inplace is False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        triple = Double(factor=3.0)
    first, second = triple(x), triple(x)
    assert first.grad_fn is not second.grad_fn
    assert first.grad_fn.factor == 3.0
    (first + y).sum().backward()
    assert x.grad.tolist() == [5, 5]
    assert Static.apply(vg.zeros(1, requires_grad=True)).grad_fn.inplace is False


@pytest.mark.rule("F-113")
def test_an_in_place_result_is_marked_dirty_by_itself():
    for cls in (Double, Static):
        first = leaf(0.0, 0.0)
        x = first * 1
        y = cls(inplace=True)(x)
        assert y is x
        assert x._version == 2
        assert x.grad_fn.inplace is True
        assert x.grad_fn.next_functions[0][0].name() == "MulBackward0"
        x.sum().backward()
        assert first.grad is not None
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        Double(inplace=True)(leaf())


@pytest.mark.rule("F-123")
def test_a_missing_attribute_names_the_context():
    node = Double.apply(leaf()).grad_fn
    with pytest.raises(AttributeError, match="DoubleBackward"):
        node.missing  # noqa: B018

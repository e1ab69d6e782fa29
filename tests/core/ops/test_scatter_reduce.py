"""Products of groups with zeros: exact once and twice."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import vizgrad as vg

INDEX = vg.tensor([[0, 1, 0], [1, 1, 0]])
BASE = [[0.0, 2.0, 1.5], [0.0, -1.0, 0.5]]
SOURCE = [[0.0, 3.0, 2.0], [1.5, 0.0, 2.0]]


def _reduced(x: vg.Tensor, src: vg.Tensor, include_self: bool) -> vg.Tensor:
    return x.scatter_reduce(0, INDEX, src, "prod", include_self=include_self)


@pytest.mark.parametrize("include_self", [True, False])
def test_products_with_zeros_are_differentiated_exactly(include_self: bool) -> None:
    x = vg.tensor(BASE, dtype=vg.float64, requires_grad=True)
    src = vg.tensor(SOURCE, dtype=vg.float64, requires_grad=True)
    weights = vg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], dtype=vg.float64)
    (_reduced(x, src, include_self) * weights).sum().backward()
    for leaf, other in ((x, src), (src, x)):
        assert leaf.grad is not None
        for place in np.ndindex(2, 3):
            totals = []
            for step in (1e-3, -1e-3):  # a product is linear in each element: no error but rounding
                moved = leaf.detach().clone()
                moved[place] += step
                pair = (moved, other.detach()) if leaf is x else (other.detach(), moved)
                totals.append((_reduced(*pair, include_self) * weights).sum().item())
            assert leaf.grad[place].item() == pytest.approx((totals[0] - totals[1]) / 2e-3)


@pytest.mark.rule("X-14")
@pytest.mark.parametrize("include_self", [True, False])
@pytest.mark.parametrize("values", list(product([0.0, 2.0], [0.0, -1.5], [0.0, 0.5])))
@pytest.mark.parametrize("own", [0.0, 3.0])
def test_both_derivatives_hold_with_any_number_of_zeros(
    own: float, values: tuple[float, ...], include_self: bool
) -> None:
    x = vg.tensor([own, 0.0], dtype=vg.float64, requires_grad=True)
    src = vg.tensor([*values, 0.0], dtype=vg.float64, requires_grad=True)
    index = vg.tensor([0, 0, 0, 1])

    def reduced(x: vg.Tensor, src: vg.Tensor) -> vg.Tensor:
        return x.scatter_reduce(0, index, src, "prod", include_self=include_self)

    assert vg.autograd.gradcheck(reduced, (x, src))
    assert vg.autograd.gradgradcheck(reduced, (x, src))

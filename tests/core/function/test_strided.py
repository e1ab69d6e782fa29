"""What a write through a view puts into the gradient of its base."""

from __future__ import annotations

import vizgrad


def test_a_region_without_elements_is_written_whatever_its_strides() -> None:
    """An empty array may have strides of one element, not of zero: the region had a negative length."""
    leaf = vizgrad.zeros((0, 1, 5)).requires_grad_()
    pooled = vizgrad.adaptive_max_pool1d(leaf.clone(), 0)[0]
    assert pooled._array.strides == (4, 4, 4)
    pooled.mul_(2)
    pooled.sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.shape == (0, 1, 5)

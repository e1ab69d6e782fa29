"""In-place operations on shapes that do not broadcast: PyTorch's class and phrase (T-10, V-6)."""

from __future__ import annotations

import pytest

import vizgrad as torch


@pytest.mark.parametrize("name", ["add_", "mul_", "sub_", "div_"])
def test_sizes_that_do_not_match_are_named(name: str) -> None:
    x = torch.ones(2, 3)
    with pytest.raises(RuntimeError, match=r"size of tensor a \(3\) must match .* tensor b \(2\)"):
        getattr(x, name)(torch.ones(2))
    assert x._version == 0
    assert x.tolist() == [[1, 1, 1]] * 2


def test_a_result_of_another_shape_is_refused() -> None:
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        torch.ones(3).add_(torch.ones(2, 3))

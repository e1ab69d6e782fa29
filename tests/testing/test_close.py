"""`assert_close` says what differs (with PyTorch beside it: `tests/oracle/test_testing.py`)."""

from __future__ import annotations

import pytest

import vizgrad as vg
from vizgrad.testing import assert_close


def test_the_elements_that_differ_are_counted() -> None:
    assert_close(vg.tensor([1.0, 2.0]), vg.tensor([1.0, 2.000001]))
    with pytest.raises(AssertionError) as caught:
        assert_close(vg.tensor([1.0, 2.0, 4.0]), vg.tensor([1.0, 2.5, 3.0]))
    assert str(caught.value).splitlines() == [
        "Tensor-likes are not close!",
        "",
        "Mismatched elements: 2 / 3 (66.7%)",
        "Greatest absolute difference: 1.0 at index (2,) (up to 1e-05 allowed)",
        "Greatest relative difference: 0.3333333432674408 at index (2,) (up to 1.3e-06 allowed)",
    ]


def test_containers_name_the_item() -> None:
    with pytest.raises(AssertionError, match=r"The failure occurred for item \['a'\]\[1\]"):
        assert_close({"a": [1, vg.ones(1)]}, {"a": [1, vg.zeros(1)]})
    with pytest.raises(TypeError, match="No comparison pair was able to handle"):
        assert_close(vg.ones(2), [1.0, 1.0])

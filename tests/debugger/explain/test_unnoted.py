"""`why` never calls healthy what is not finite, also where nobody noted why; of vizgrad's own tensors."""

from __future__ import annotations

import pytest

import vizgrad
from tests.debugger.explain.unnoted import SAID, Way, is_said, is_said_to_be_unread, within_vmap


@pytest.mark.parametrize("way", SAID, ids=lambda way: way.__name__)
def test_what_is_not_finite_is_never_healthy(way: Way) -> None:
    is_said(way, vizgrad)


def test_a_value_within_vmap_is_said_to_be_unread() -> None:
    is_said_to_be_unread(within_vmap(vizgrad))


def test_zeroed_again_it_is_healthy() -> None:
    x = vizgrad.tensor([0.0, 4.0], requires_grad=True)
    x.sqrt().sum().backward()
    assert vizgrad.why(x)
    x.grad = vizgrad.ones(2)
    assert not vizgrad.why(x)

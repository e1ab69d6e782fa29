"""A state that was noted is gone back to, before and after the first number of a generator."""

from __future__ import annotations

from vizgrad.core.arrays.random import Generator


def test_a_noted_state_is_gone_back_to() -> None:
    generator = Generator().manual_seed(3)
    fresh = generator.noted()
    first = generator.source.random(4).tolist()
    later = generator.noted()
    second = generator.source.random(4).tolist()
    generator.manual_seed(7)
    later()
    assert generator.source.random(4).tolist() == second
    fresh()
    assert generator.source.random(4).tolist() == first
    assert generator.initial_seed() == 3

"""What all tests here share: they leave the modes of their thread alone."""

from collections.abc import Iterator

import pytest

from vizgrad.tensor.modes import GUARD, MODES


@pytest.fixture(autouse=True)
def modes_are_given_back() -> Iterator[None]:
    """Whatever a test does, it leaves the thread's modes as it found them."""

    def now() -> tuple[object, ...]:
        return (
            MODES.grad,
            MODES.anomaly,
            MODES.scope,
            MODES.recorder,
            len(GUARD.no_grad),
            GUARD.scoped,
        )

    before = now()
    yield
    assert now() == before

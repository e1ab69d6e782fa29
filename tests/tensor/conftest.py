"""`@pytest.mark.rule("F-37", ...)` names the rules of the spec that a test shows."""

from collections.abc import Iterator

import pytest

from vizgrad.tensor.modes import GUARD, MODES


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rule(*ids): the rules of the spec that this test shows")


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

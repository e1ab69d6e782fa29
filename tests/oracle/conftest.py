"""The two modules that programs run on."""

from __future__ import annotations

import pytest

from tests.oracle.harness import load


@pytest.fixture(scope="session")
def oracle() -> object:
    """PyTorch, on one thread: the suite is many tiny programs."""
    module = load("torch")
    module.set_num_threads(1)
    return module


@pytest.fixture(autouse=True)
def _distributions_look_at_their_arguments(oracle: object) -> None:
    """As PyTorch begins. `torch.compile`, which other tests of the process call, switches it off for good."""
    oracle.distributions.Distribution.set_default_validate_args(True)  # type: ignore[attr-defined]  a module


@pytest.fixture(scope="session")
def vizgrad() -> object:
    return load("vizgrad")

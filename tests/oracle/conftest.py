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


@pytest.fixture(scope="session")
def vizgrad() -> object:
    return load("vizgrad")

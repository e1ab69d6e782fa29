"""PyTorch is the oracle: without it the suite cannot say anything, and must not look green."""

from __future__ import annotations

import importlib.util
import os

import pytest

_ADVICE = (
    "PyTorch is not installed, and the parity suite compares vizgrad with it. "
    "Install it with `pip install torch --index-url https://download.pytorch.org/whl/cpu`, "
    "or leave tests/oracle out."
)


def pytest_configure() -> None:
    if importlib.util.find_spec("torch") is not None:
        import torch

        torch.set_num_threads(1)


@pytest.fixture(scope="session")
def oracle() -> object:
    """The module programs are compared with."""
    if importlib.util.find_spec("torch") is None:
        in_ci = " (CI=true: this is a fault of the CI image)" if os.environ.get("CI") == "true" else ""
        pytest.fail(_ADVICE + in_ci, pytrace=False)
    from .harness import load

    return load("torch")


@pytest.fixture(scope="session")
def vizgrad() -> object:
    from .harness import load

    return load("vizgrad")

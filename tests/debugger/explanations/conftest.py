"""What a wrong program leaves in the thread's modes is gone before the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import vizgrad


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """An inference block is looked for until an operation is recorded and none of its tensors is left."""
    yield
    _ = vizgrad.ones(1, requires_grad=True) * 1

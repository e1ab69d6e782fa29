"""Every question in this folder is asked without a watch of another test, and leaves no session open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from vizgrad.debugger.explain import watch_block
from vizgrad.debugger.session import registry


@pytest.fixture(autouse=True)
def _nobody_watched_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(watch_block, "_last", None)
    yield
    for session in registry.sessions():
        session.close()


@pytest.fixture(params=["vizgrad", "torch"])
def engine(request: pytest.FixtureRequest) -> Any:
    """The module whose tensors a test uses; PyTorch's only where it is installed."""
    return pytest.importorskip(request.param)

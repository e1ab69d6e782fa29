"""Nothing of a test stays for the next."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fixtures.sessions import no_sessions


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    with no_sessions():
        yield

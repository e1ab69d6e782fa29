"""What the tests of groups share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.debugger.session.grouping.programs import no_programs


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    """Programs of one test are forgotten in the next."""
    with no_programs():
        yield

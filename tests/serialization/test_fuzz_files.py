"""A fixed part of the damaged files: `python -m tests.fuzz_files` reads more."""

from __future__ import annotations

import pytest

from tests.fuzz_files import pages
from tests.fuzz_files.__main__ import KINDS, faults


@pytest.mark.parametrize("kind", KINDS)
def test_no_damaged_file_does_harm(kind: str) -> None:
    if kind == "page" and not pages.available():
        pytest.skip("a page's reader needs node and what the front end is built with")
    assert faults(kind, 0, 0, 400) == []

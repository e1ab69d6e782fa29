"""The sessions in a terminal that `notebooks/terminal.md` shows are what the commands print."""

from __future__ import annotations

import pytest

from tests.debugger.shell import recorded


def test_torch_sessions_in_a_terminal_are_as_the_page_shows() -> None:
    pytest.importorskip("torch")
    told = "run `python -m tests.debugger.shell.recorded`, and read what has changed"
    assert recorded.page() == recorded.PAGE.read_text(), told

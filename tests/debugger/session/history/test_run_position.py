"""Where a run stands, in words."""

from __future__ import annotations

import pytest

from vizgrad.debugger.session.history.history import counted


@pytest.mark.parametrize(
    ("position", "total", "words"),
    [
        (0, 1, "0 of 1 node done"),
        (1, 1, "1 of 1 node done"),
        (1, 2, "1 of 2 nodes done"),
    ],
)
def test_one_node_is_a_node(position: int, total: int, words: str) -> None:
    assert counted(position, total) == words

"""Files of an earlier day are read, and what is seen of them is what the browser's tests expect."""

from __future__ import annotations

import base64
import json

import pytest

from tests.fixtures import traces


@pytest.mark.parametrize("name", traces.NAMES)
def test_is_seen_as_it_was(name: str) -> None:
    expected = json.loads(traces.path_of(name).read_text("utf-8"))
    file = base64.b64decode(expected["file"])
    assert json.loads(traces.text_of(traces.whole_of(file))) == expected

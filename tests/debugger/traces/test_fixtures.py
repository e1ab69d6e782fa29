"""Files of an earlier day are read, and what is seen of them is what the browser's tests expect."""

from __future__ import annotations

import base64
import json
from itertools import chain

import pytest

from tests.fixtures import traces


@pytest.mark.parametrize("name", [*traces.NAMES, *traces.OLD])
def test_is_seen_as_it_was(name: str) -> None:
    expected = json.loads(traces.path_of(name).read_text("utf-8"))
    file = base64.b64decode(expected["file"])
    seen = json.loads(traces.text_of(traces.whole_of(file)))
    for each in (seen, expected):
        for told in chain.from_iterable(each["inspections"].values()):
            told.pop("maths", None)  # how a formula is written is not in the file, and may change
    assert seen == expected

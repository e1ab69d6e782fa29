"""Mistakes that `python -m tests.gpu.emulated.put_back` puts back: their places are still there."""

from __future__ import annotations

import pytest

from tests.architecture.rooms import PACKAGE
from tests.gpu.emulated.put_back import MISTAKES, Mistake


@pytest.mark.parametrize("mistake", MISTAKES, ids=[m.name for m in MISTAKES])
def test_a_mistake_can_be_put_back(mistake: Mistake) -> None:
    for file, old, new in [mistake[1:4], *([mistake.also] if mistake.also else [])]:
        assert (PACKAGE / file).read_text("utf-8").count(old) == 1
        assert old != new

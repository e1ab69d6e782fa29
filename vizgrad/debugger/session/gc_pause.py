"""Making much that stays."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager

_COLLECTED_AFTER = 50_000


@contextmanager
def seldom_collecting() -> Generator[None]:
    """Objects made in the block stay, and have nearly no cycles: the search for cycles takes longer
    than the block.
    """
    before = gc.get_threshold()
    during = (max(before[0], _COLLECTED_AFTER), *before[1:])
    if before[0]:
        gc.set_threshold(*during)
    try:
        yield
    finally:
        if gc.get_threshold() == during:  # a hook may have set its own
            gc.set_threshold(*before)

"""Who wants to know of recomputations: a run that is stepped shows them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

#: A block in which something is computed again.
Block = Callable[[], AbstractContextManager[None]]


class _Watched(threading.local):
    block: Block | None = None


WATCHED = _Watched()


@contextmanager
def watching(block: Block) -> Iterator[None]:
    """What this thread computes again is computed within `block()`."""
    before, WATCHED.block = WATCHED.block, block
    try:
        yield
    finally:
        WATCHED.block = before

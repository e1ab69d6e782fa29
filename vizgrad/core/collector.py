"""Python's garbage collector, paused for a while."""

from __future__ import annotations

import gc
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Generator[None]:
    """No collection in between, unless the code asks for one. The collector runs again if it did before."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextmanager
def long_lived() -> Generator[None]:
    """For code whose objects stay, such as an import: only a collection of all generations looks at them."""
    with collector_paused():
        yield
        if gc.get_freeze_count() == 0:  # or what the user has frozen would be collected again
            gc.freeze()
            gc.unfreeze()  # into the oldest generation

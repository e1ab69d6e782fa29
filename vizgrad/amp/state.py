"""What autocast is set to in this thread, and the conversions it remembers."""

from __future__ import annotations

import threading
from typing import Any

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import DType


class _State(threading.local):
    """A new thread starts with autocast off."""

    def __init__(self) -> None:
        self.enabled = {"cpu": False, "cuda": False}
        self.dtypes: dict[str, DType] = {"cpu": dtypes.bfloat16, "cuda": dtypes.float16}
        self.cache_enabled = True
        #: Blocks that are open.
        self.depth = 0
        #: id of a leaf -> the leaf, its version, and the leaf converted.
        self.known: dict[int, tuple[Any, int, Any]] = {}
        #: Is it on for any kind of device? False also while an operation that has chosen runs.
        self.on = False


STATE = _State()


def changed() -> None:
    """To be called after `enabled` was written to."""
    STATE.on = any(STATE.enabled.values())

"""What holds for all checkpoints in a block, whatever each call says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class _Settings:
    """None where each call decides."""

    early_stop: bool | None = None
    debug: bool | None = None


_SETTINGS = _Settings()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Within the block, checkpoints are made whose recomputation stops as soon as it can, or never does.

    `checkpoint(..., early_stop=...)` says it of one. What counts is the block around the forward.
    """
    before, _SETTINGS.early_stop = _SETTINGS.early_stop, enable
    try:
        yield
    finally:
        _SETTINGS.early_stop = before


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Within the block, checkpoints compare every operation (`debug=True`), or none; None: as each says."""
    before, _SETTINGS.debug = _SETTINGS.debug, enabled
    try:
        yield
    finally:
        _SETTINGS.debug = before


def stops_early(asked: bool) -> bool:
    return asked if _SETTINGS.early_stop is None else _SETTINGS.early_stop


def debugs(asked: bool) -> bool:
    return asked if _SETTINGS.debug is None else _SETTINGS.debug

"""Failures that are known and not mended yet: (operation, kind of difference). It should be empty."""

from __future__ import annotations

OPEN: frozenset[tuple[str, str]] = frozenset()

"""Failures that are known and not mended yet: (operation, kind of difference). It should be empty."""

from __future__ import annotations

#: What calls keep for their backward: kinds of difference by operations.
_SAVED: dict[str, tuple[str, ...]] = {}

OPEN: frozenset[tuple[str, str]] = frozenset(
    (name, kind) for names, kinds in _SAVED.items() for name in names.split() for kind in kinds
)

#: Of networks: what the text of the network has, and where vizgrad's part of the difference has what.
OPEN_NETWORKS: tuple[tuple[str, str], ...] = ()

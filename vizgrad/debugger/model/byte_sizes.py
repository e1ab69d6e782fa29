"""Sizes of memory as people read them."""

from __future__ import annotations


def bytes_text(size: int) -> str:
    """``24 B``, ``3.1 kB``, ``120 MB`` (1 kB = 1000 B): enough digits to compare, as in the live view."""
    if abs(size) < 1000:
        return f"{size} B"
    value, unit = size / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if abs(value) >= 999.5:
            value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if abs(value) < 9.95 else f"{value:.0f} {unit}"

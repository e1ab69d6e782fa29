"""The peak of memory that tests compare is that of what is alive, not of holes between small blocks."""

from __future__ import annotations

import sys

import pytest

from tests.benchmarks.memory import peak_of

MB = 1 << 20


def with_holes() -> list[bytearray]:
    """64 MB that are freed again, a small block that lives on behind each; then 60 MB that fit in no hole."""
    large, small = [], []
    for _ in range(64):
        large.append(bytearray(MB))
        small.append(bytearray(1000))
    large.clear()
    large += [bytearray(3 * MB // 2) for _ in range(40)]
    return small


@pytest.mark.skipif(sys.platform != "linux", reason="nobody tells the peak elsewhere")
def test_a_freed_block_counts_no_more_though_small_ones_live_on() -> None:
    bytearray(16 * MB)  # its end lets glibc put blocks of this size into the heap
    kept: list[bytearray] = []
    peak = peak_of(lambda: kept.extend(with_holes()))
    assert not peak > 100 * MB  # NaN where the system does not tell
    assert not peak < 50 * MB

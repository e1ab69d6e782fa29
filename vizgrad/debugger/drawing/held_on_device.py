"""Lines below the error that a device's memory is not enough: who holds how much of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vizgrad.debugger.drawing.describe import bytes_text
from vizgrad.debugger.drawing.heap_picture import USES, alike, group_text
from vizgrad.debugger.model import Heap, HeapStorage

#: Groups of storages that are named.
_MOST = 5


def lines_of_device(heap: Heap, device: str, advice: str) -> list[str]:
    """The memory that tensors hold on `device` by kind, the largest of them, and how to look closer."""
    here = [each for each in heap.held if each.device == device]
    if not here:
        return ["  held: nothing by tensors that Python still knows"]
    kinds = [
        f"{words} {bytes_text(size)}"
        for use, words in USES.items()
        if (size := _bytes(each for each in here if each.use == use))
    ]
    largest = [_largest(group) for group in alike(here)[:_MOST]]
    return [
        f"  held: {', '.join(kinds)}",
        f"  largest: {'; '.join(largest)}",
        f"  look closer: {advice}",
    ]


def _bytes(storages: Iterable[HeapStorage]) -> int:
    return sum(each.bytes for each in storages)


def _largest(group: Sequence[HeapStorage]) -> str:
    return f"{group_text(group)} {bytes_text(_bytes(group))}"

"""What lives in memory, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vizgrad.inspection.model import Heap, HeapStorage
from vizgrad.rendering import heap_words as words
from vizgrad.rendering.describe import bytes_text, count_text, plain

#: Storages that are written, with their holders each; keepers and cycles.
MOST_STORAGES, MOST_HOLDERS, MOST_KEEPERS, MOST_ALIASES = 20, 4, 10, 8


def heap_text(heap: Heap) -> str:
    """The sum, which variables keep graphs alive, cycles, and the largest storages with who holds them."""
    return "\n".join(_lines(heap))


def _lines(heap: Heap) -> Iterator[str]:
    yield words.total_text(heap)
    if heap.shares:
        yield f"  {words.shares_text(heap)}"
    if heap.keepers:
        yield "graphs that are kept alive:"
        yield from (f"  {words.keeper_text(keeper)}" for keeper in heap.keepers[:MOST_KEEPERS])
        yield from _more(heap.keepers[MOST_KEEPERS:], heap.keepers_more, "variable")
    if heap.cycles:
        yield "what leads back to itself:"
        yield from (f"  {words.cycle_text(cycle)}" for cycle in heap.cycles[:MOST_KEEPERS])
        yield from _more(heap.cycles[MOST_KEEPERS:], heap.cycles_more, "cycle")
    if heap.held:
        yield "largest storages:"
        for storage in heap.held[:MOST_STORAGES]:
            yield from _storage(storage)
        yield from _more(heap.held[MOST_STORAGES:], heap.held_more, "storage")
    yield from heap.uncounted


def _storage(storage: HeapStorage) -> Iterator[str]:
    yield f"  {bytes_text(storage.bytes):>8}  {plain(storage.name, 80)}  {words.storage_text(storage)}"
    held = [words.holder_text(holder) for holder in storage.holders[:MOST_HOLDERS]]
    more = len(storage.holders) - len(held) + storage.holders_more
    if held != [plain(storage.name, 80)] or more:
        held += [f"{more:,} more"] if more else []
        yield f"{'':12}held by {'; '.join(held)}"
    if len(storage.aliases) > 1:
        deep = words.depths(storage.aliases)
        order = words.in_order(storage.aliases)
        for at in order[:MOST_ALIASES]:
            yield f"{'':12}{'  ' * deep[at]}{words.alias_text(storage.aliases[at])}"
        left = len(order[MOST_ALIASES:]) + storage.aliases_more
        if left > 0:
            yield f"{'':12}and {left:,} more that show it"


def _more(left_out: Sequence[object], not_told: int, noun: str) -> Iterator[str]:
    count = len(left_out) + not_told
    if count > 0:
        yield f"  and {count_text(count, f'more {noun}')}"

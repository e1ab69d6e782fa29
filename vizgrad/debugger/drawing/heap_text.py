"""What lives in memory, as lines of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vizgrad.debugger.drawing import heap_words as words
from vizgrad.debugger.drawing.describe import bytes_text, count_text, plain
from vizgrad.debugger.model import Heap, HeapStorage

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
        groups = words.alike(heap.held)
        for group in groups[:MOST_STORAGES]:
            yield from _storages(group)
        left = [storage for group in groups[MOST_STORAGES:] for storage in group]
        yield from _more(left, heap.held_more, "storage")
    yield from heap.uncounted


def _storages(group: Sequence[HeapStorage]) -> Iterator[str]:
    """Those of which the same is told; the trees of views are of the first that has one."""
    size = bytes_text(sum(each.bytes for each in group))
    yield f"  {size:>8}  {words.group_text(group)}  {words.each_text(group)}"
    storage = next((each for each in group if len(each.aliases) > 1), group[0])
    held = [words.holder_text(holder) for holder in storage.holders[:MOST_HOLDERS]]
    more = len(storage.holders) - len(held) + storage.holders_more
    if held != [plain(storage.name, 80)] or more:
        held += [f"{more:,} more"] if more else []
        yield f"{'':12}held by {'; '.join(held)}"
    if len(storage.aliases) > 1:
        lines = words.tree_lines(storage.aliases)
        for deep, text in lines[:MOST_ALIASES]:
            yield f"{'':12}{'  ' * deep}{text}"
        left = len(lines[MOST_ALIASES:]) + storage.aliases_more
        if left > 0:
            yield f"{'':12}and {left:,} more that show it"


def _more(left_out: Sequence[object], not_told: int, noun: str) -> Iterator[str]:
    count = len(left_out) + not_told
    if count > 0:
        yield f"  and {count_text(count, f'more {noun}')}"

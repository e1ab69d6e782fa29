"""What saved values hold: the whole block of memory that each lives in, once however many share it.

This is the only place that says so: totals of pictures and the memory of a run are sums of these.
"""

from __future__ import annotations

from collections.abc import Iterable

from vizgrad.debugger.model import Saved, Storage

#: A block by its number; what is in none that is known is the node's own.
Block = int | tuple[int, str]


def holdings(
    saved: Iterable[tuple[int, Saved]], storages: Iterable[Storage]
) -> dict[Block, tuple[int, list[int]]]:
    """(bytes, nodes that saved something in it) of each block; what was released holds nothing.

    `saved` comes with the nodes that keep it. A block that `storages` does not tell of is as large as the
    largest value in it.
    """
    known = {storage.id: storage.bytes for storage in storages}
    found: dict[Block, tuple[int, list[int]]] = {}
    for node, value in saved:
        if value.state == "freed" or not value.bytes:
            continue
        key: Block = (node, value.name) if value.storage is None else value.storage
        size, nodes = found.get(key, (0, []))
        size = max(size, value.bytes)
        if value.storage is not None:
            size = known.get(value.storage, size)
        nodes.append(node)
        found[key] = size, nodes
    return found

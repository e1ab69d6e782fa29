"""What an engine may say of a small graph by reading all of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Protocol

from vizgrad.debugger import model


class _Graph(Protocol):
    def __len__(self) -> int: ...
    def saved(self, node: int) -> tuple[model.Saved, ...]: ...
    def timelines(self) -> tuple[model.Storage, ...]: ...


class SmallGraph:
    """The part of a `GraphSource` that needs not be quick here."""

    truncated = 0

    def storages_of(self: _Graph, nodes: Collection[int]) -> tuple[tuple[model.Storage, ...], int]:
        return self.timelines(), 0

    def holdings(self: _Graph) -> Iterator[tuple[int, Sequence[int]]]:
        for storage in self.timelines():
            if storage.saves:
                yield storage.bytes, [mark.node for mark in storage.saves]

    def stale(self: _Graph) -> dict[int, int]:
        counts = {
            node: sum(saved.state == "stale" for saved in self.saved(node))
            for node in range(len(self))
        }
        return {node: count for node, count in counts.items() if count}

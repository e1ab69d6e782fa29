"""Bytes that saved values hold, step by step: a storage counts once, however many nodes saved it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from vizgrad.debugger.model import Saved, Storage

# --- what saved values hold: the whole block of memory that each lives in, once however many --------

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


# --- bytes held, step by step -----------------------------------------------------------------------


class MemoryCurve:
    """`held[i]` is what is held when `i` steps are done, as far as the run has been."""

    def __init__(self, holdings: Iterable[tuple[int, Sequence[int]]]) -> None:
        """(bytes of a storage, nodes that saved something in it), of each, as before the run."""
        self._bytes: list[int] = []
        self._users: list[int] = []
        #: The storages of each node, and their bytes together.
        self._of_node: dict[int, list[int]] = {}
        self._size: dict[int, int] = {}
        for storage, (size, nodes) in enumerate(holdings):
            users = set(nodes)
            self._bytes.append(size)
            self._users.append(len(users))
            for node in users:
                self._of_node.setdefault(node, []).append(storage)
                self._size[node] = self._size.get(node, 0) + size
        self.held = [sum(self._bytes)]
        #: The step after which a node held nothing any more.
        self._released: dict[int, int] = {}
        #: How many nodes hold something, step by step.
        self._holding = [len(self._size)]
        self.peak = self.held[0]
        self._ranking = sorted(self._size, key=lambda node: (-self._size[node], node))

    @property
    def steps(self) -> int:
        """How many steps it knows."""
        return len(self.held) - 1

    def step(self, node: int, *, released: bool) -> None:
        """The next step ran `node`, which released what it had saved, or did not."""
        held, holding = self.held[-1], self._holding[-1]
        if released and node in self._size and node not in self._released:
            self._released[node] = len(self.held)
            holding -= 1
            for storage in self._of_node.get(node, ()):
                self._users[storage] -= 1
                if self._users[storage] == 0:
                    held -= self._bytes[storage]
        self.held.append(held)
        self._holding.append(holding)

    def largest(self, position: int, most: int) -> tuple[list[tuple[int, int]], int, int]:
        """(node, bytes) of the nodes that hold most when `position` steps are done; how many others hold
        something, and what those hold. All together it is what is held: what several nodes share is told of
        the first of them alone.
        """
        shown: list[tuple[int, int]] = []
        told: set[int] = set()
        for node in self._ranking:
            if len(shown) == most:
                break
            own = [s for s in self._of_node[node] if s not in told]
            if own and self._released.get(node, position + 1) > position:
                told.update(own)
                shown.append((node, sum(self._bytes[storage] for storage in own)))
        shown.sort(key=lambda each: -each[1])
        left = self.held[position] - sum(size for _, size in shown)
        return shown, self._holding[position] - len(shown), left

    def points(self, most: int) -> tuple[tuple[int, int], ...]:
        """Pairs (steps done, bytes held): of each crowd of steps the one that holds most."""
        stride = -(-len(self.held) // most)
        starts = range(0, len(self.held), stride)
        best = [
            max(range(s, min(s + stride, len(self.held))), key=self.held.__getitem__)
            for s in starts
        ]
        return tuple((step, self.held[step]) for step in best)

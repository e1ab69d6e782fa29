"""The storages that tensors and nodes of a walk lie in, and who has each of them."""

# pyright: reportPrivateUsage=false

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from vizgrad.core.arrays.blocks import Extent, extent, merged
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.debugger.memory.object_kinds import CONTEXT, NODE, TENSOR
from vizgrad.debugger.memory.walk import Walk


@dataclass
class Block:
    extent: Extent
    #: (who, array) of all that have an array in it.
    owners: list[tuple[int, Any]] = field(default_factory=list[tuple[int, Any]])

    @property
    def bytes(self) -> int:
        return self.extent.high - self.extent.low


def blocks_of(walk: Walk) -> list[Block]:
    """Those with memory of a tensor, or of something that a node keeps; arrays of numpy's that
    share it own it, too.

    Numbers that stand among tensors are none.
    """
    of_tensors: list[tuple[int, Any, Extent]] = []
    of_others: list[tuple[int, Any]] = []
    for number, array in walk.arrays:
        if not _is_ours(walk, number):
            of_others.append((number, array))
        elif (found := extent(array)) is not None:
            of_tensors.append((number, array, found))
    blocks = [Block(found) for found in merged(found for _, _, found in of_tensors)]
    starts = [(block.extent.device, block.extent.low) for block in blocks]
    for number, array, (device, low, _) in of_tensors:
        blocks[bisect_right(starts, (device, low)) - 1].owners.append((number, array))
    for number, array in of_others:
        found = extent(array)
        if found is None:
            continue
        at = bisect_right(starts, (found.device, found.high - 1)) - 1
        if at >= 0 and _meet(blocks[at].extent, found):
            blocks[at].owners.append((number, array))
    return blocks


def _is_ours(walk: Walk, number: int) -> bool:
    kind = walk.kinds[number]
    if kind == TENSOR:
        tensor: Tensor = walk.things[number]
        return not tensor._is_stand_in
    return kind in (NODE, CONTEXT)


def _meet(one: Extent, other: Extent) -> bool:
    return one.device == other.device and one.low < other.high and other.low < one.high

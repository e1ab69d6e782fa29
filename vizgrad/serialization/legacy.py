"""Files that PyTorch wrote before 1.6: some pickles one after the other, then the memory."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import IO, Any

from vizgrad.core.arrays import blocks
from vizgrad.core.arrays.budget import Budget
from vizgrad.core.arrays.records import Bounded
from vizgrad.serialization.storages import Block, Memory, Storages, named
from vizgrad.serialization.unpickling import in_short, unpickle

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001


def read(file: IO[bytes], place: Callable[[Block, str], Block], budget: Budget) -> Any:
    """The object of such a file; RuntimeError if it is something else."""
    source = Bounded(file)
    magic = unpickle(source, _no_reference, budget)
    if type(magic) is not int or magic != _MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file? It is no file of torch.save")
    version = unpickle(source, _no_reference, budget)
    if version != _VERSION:
        raise RuntimeError(f"Invalid protocol version: {in_short(version)}")
    system = unpickle(source, _no_reference, budget)
    if not isinstance(system, dict):
        raise RuntimeError(
            "the file is damaged: what it says of the machine that wrote it is no dict"
        )
    order = "little" if system.get("little_endian", True) else "big"
    storages = Storages(place, order, budget)
    wanted: dict[str, Memory] = {}
    present = source.left  # the memory comes last: no more of it than this

    def reserved(found: Any) -> Block:
        nonlocal present
        memory = named(found)
        if len(found) > 5 and found[5] is not None:
            raise RuntimeError(
                "the file holds views of storages, as PyTorch saved them before 0.4; load it there and "
                "save it again"
            )
        if memory.key not in wanted:
            storages.begin(memory, present)
            present -= memory.nbytes
            wanted[memory.key] = memory
            storages.reserve(memory)
        return storages[memory.key]

    found = unpickle(source, reserved, budget)
    keys = unpickle(source, _no_reference, budget)
    if not (isinstance(keys, (list, tuple)) and set(wanted) <= {k for k in keys if type(k) is str}):
        raise RuntimeError("the file is damaged: it does not list the memory that it uses")
    for key in keys:
        memory = wanted.pop(key, None) if type(key) is str else None
        if memory is None:
            raise RuntimeError(
                "the file is damaged: it lists memory that it does not use, or twice"
            )
        header = source.read(8)
        (count,) = struct.unpack("<q" if order == "little" else ">q", header.ljust(8, b"\xff"))
        if count != memory.numel or memory.nbytes > source.left:
            raise RuntimeError(
                f"the file is damaged: a storage of {memory.numel} elements is of {count} there, and "
                f"{source.left} bytes are left"
            )
        storages.fill(memory, blocks.of_bytes(source.read(memory.nbytes)))
    return found


def _no_reference(found: Any) -> Any:
    raise RuntimeError("Invalid magic number; corrupt file?")

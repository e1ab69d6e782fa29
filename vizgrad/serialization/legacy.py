"""Files that PyTorch wrote before 1.6: some pickles one after the other, then the memory."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import IO, Any

from vizgrad.serialization.storages import Block, Storages, StorageType, named
from vizgrad.serialization.unpickling import unpickle

_MAGIC = 0x1950A86A20F9469CFC6C
_VERSION = 1001


def read(file: IO[bytes], place: Callable[[Block, str], Block]) -> tuple[Any, bool]:
    """The object of such a file, and whether bfloat16 was widened; RuntimeError if it is something else."""
    if unpickle(file, _no_reference) != _MAGIC:
        raise RuntimeError("Invalid magic number; corrupt file? It is no file of torch.save")
    version = unpickle(file, _no_reference)
    if version != _VERSION:
        raise RuntimeError(f"Invalid protocol version: {version}")
    system = unpickle(file, _no_reference)
    order = "little" if system.get("little_endian", True) else "big"

    # The memory comes last, so the pickle is read twice: for what it refers to, then for good.
    begin = file.tell()
    length = file.seek(0, io.SEEK_END)
    file.seek(begin)
    wanted: dict[str, tuple[StorageType, str, int]] = {}
    sketch = Storages(lambda block, location: block, order)

    def note(found: Any) -> Block:
        kind, key, location, numel = named(found)
        if len(found) > 5 and found[5] is not None:
            raise RuntimeError(
                "the file holds views of storages, as PyTorch saved them before 0.4; load it there and "
                "save it again"
            )
        if numel * kind.itemsize > length:
            raise RuntimeError(f"the file is damaged: it is too short for {numel} elements")
        wanted[key] = kind, location, numel
        sketch.add(key, bytes(numel * kind.itemsize), kind, numel, location)
        return sketch[key]

    unpickle(file, note)
    storages = Storages(place, order)
    for key in unpickle(file, _no_reference):
        kind, location, numel = wanted[str(key)]
        (count,) = struct.unpack("<q" if order == "little" else ">q", file.read(8))
        storages.add(str(key), file.read(count * kind.itemsize), kind, numel, location)
    file.seek(begin)
    return unpickle(file, lambda found: storages[named(found)[1]]), storages.widened


def _no_reference(found: Any) -> Any:
    raise RuntimeError("Invalid magic number; corrupt file?")

"""`vizgrad.load`."""

from __future__ import annotations

import io
import os
import struct
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any, cast

from vizgrad.core.arrays import blocks
from vizgrad.core.arrays.backend import Device
from vizgrad.core.arrays.files import Bounded, Budget, size_of
from vizgrad.serialization.archive import Block, Memory, Reader, Storages, named
from vizgrad.serialization.unpickling import in_short, unpickle

# Files that PyTorch wrote before 1.6: some pickles one after the other, then the memory.

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


_ZIP = b"PK\x03\x04"


def load(
    f: str | os.PathLike[str] | IO[bytes],
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = True,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Reads what `vizgrad.save` or PyTorch's `torch.save` wrote: tensors, and containers of them.

    Nothing in the file is run. A file that names other functions or classes than those of tensors is refused
    with pickle.UnpicklingError, which says the name; see `vizgrad.serialization.add_safe_globals`.
    `map_location` says where tensors go: a device, a dict of devices, or a function of the memory and the
    device it was saved from. With `mmap` the values stay in the file until they are read; writing to them
    changes memory alone.

    `weights_only=False`, which runs whatever the file says, is refused with ValueError.
    """
    if not (weights_only or weights_only is None):
        raise ValueError(
            "load() never runs code from a file, and weights_only=False asks for that. Leave it away; if the "
            "file then names a class that you trust, pass that to vizgrad.serialization.add_safe_globals"
        )
    if pickle_module is not None:
        raise RuntimeError(
            "Can not safely load weights when explicit pickle_module is specified; leave it away"
        )
    path = Path(f) if isinstance(f, (str, os.PathLike)) else None
    given = cast("IO[bytes]", f)  # unless it is a path
    if mmap and path is None:
        raise ValueError("f must be a file path in order to use the mmap argument")
    if path is None and not (hasattr(given, "read") and hasattr(given, "seek")):
        raise AttributeError(
            f"'{type(f).__name__}' object cannot be loaded from: give a path, or a file that is seekable "
            "(read it into io.BytesIO first)"
        )
    with nullcontext(given) if path is None else path.open("rb") as file:
        begin = file.tell()
        first = file.read(len(_ZIP))
        file.seek(begin)
        if not first:
            raise EOFError("Ran out of input: the file is empty")
        place = _placing(map_location)
        budget = Budget(size_of(file))
        if first == _ZIP:
            return _from_zip(Reader(file, budget), place, path if mmap else None, budget)
        if mmap:
            raise RuntimeError(
                "mmap can only be used with files saved as zip, and this one is older"
            )
        return read(file, place, budget)


def _from_zip(
    archive: Reader, place: Callable[[Block, str], Block], mapped: Path | None, budget: Budget
) -> Any:
    """The object in the file. `mapped` is the file to map, if it is to be."""
    if archive.has("constants.pkl"):
        raise RuntimeError(
            "this is a TorchScript archive: it holds a program, and vizgrad reads tensors. Save the "
            "state_dict of the module instead"
        )
    order = (
        archive.text("byteorder").decode("ascii", "replace")
        if archive.has("byteorder")
        else "little"
    )
    if order not in ("little", "big"):
        raise RuntimeError(f"the file is damaged: it has its bytes in the order {order[:20]!r}")
    storages = Storages(place, order, budget)

    def persistent(found: Any) -> Block:
        memory = named(found)
        if memory.key in storages:
            return storages[memory.key]
        name = f"data/{memory.key}"
        storages.begin(memory, archive.size(name))
        if mapped is not None and order == sys.byteorder:
            return storages.add(memory, blocks.mapped_bytes(mapped, *archive.place(name)))
        return storages.add(memory, archive.read(name))

    return unpickle(io.BytesIO(archive.text("data.pkl")), persistent, budget)


def _placing(map_location: Any) -> Callable[[Block, str], Block]:
    """How loaded memory gets to its device."""
    if map_location is None:
        return _where_it_was
    if isinstance(map_location, dict):
        return lambda block, location: block.on(map_location.get(location, location))
    if isinstance(map_location, (str, Device, int)):
        return lambda block, location: block.on(map_location)
    if not callable(map_location):
        raise TypeError(
            "map_location is a device, a dict of devices or a function, not "
            f"{type(map_location).__name__}"
        )

    def place(block: Block, location: str) -> Block:
        found: Any = map_location(block, location)
        return _where_it_was(block, location) if found is None else found

    return place


def _where_it_was(block: Block, location: str) -> Block:
    try:
        return block.on(location)
    except RuntimeError as error:
        raise RuntimeError(
            f"the file has a tensor that was on {location}: load it with map_location='cpu'. ({error})"
        ) from error

"""`vizgrad.load`."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Any, cast

from vizgrad.core.arrays import blocks
from vizgrad.core.arrays.backend import Device
from vizgrad.core.arrays.budget import Budget
from vizgrad.core.arrays.records import size_of
from vizgrad.serialization import legacy
from vizgrad.serialization.archive import Reader
from vizgrad.serialization.storages import Block, Storages, named
from vizgrad.serialization.unpickling import unpickle

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
        return legacy.read(file, place, budget)


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
        return lambda block, location: block.on(location)
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
        return block.on(location) if found is None else found

    return place

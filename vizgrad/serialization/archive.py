"""The container: a zip file of uncompressed records, each at a multiple of 64 bytes, as PyTorch reads it."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Callable
from pathlib import PurePath
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

from vizgrad.core.arrays import blocks, dtypes
from vizgrad.core.arrays.backend import Array, Device, device_of, parse_device, to_device, to_host
from vizgrad.core.arrays.files import Budget, Records
from vizgrad.core.tensor.storage import Storage
from vizgrad.core.tensor.tensor import LEAF, Tensor, address, new_tensor

if TYPE_CHECKING:
    from vizgrad.core.arrays.backend import Array
    from vizgrad.core.arrays.dtypes import DType
    from vizgrad.core.arrays.files import Budget


_ALIGNMENT = 64
_LOCAL_HEADER = 30
#: The id of the extra field that fills the space before a record.
_PADDING_ID = b"FB"
#: A zip file has no earlier day, and equal objects give equal files.
_NO_DATE = (1980, 1, 1, 0, 0, 0)


class Writer:
    """Adds records to a zip file, in a folder named after the file."""

    def __init__(self, file: Any) -> None:
        self._zip = zipfile.ZipFile(file, "w", zipfile.ZIP_STORED)
        named = isinstance(file, (str, PurePath))
        self._folder = (PurePath(file).stem if named else "") or "archive"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._zip.close()

    def add(self, name: str, content: Any) -> None:
        """Writes bytes, or the memory of a flat array."""
        content = content if isinstance(content, bytes) else to_host(content).data
        info = zipfile.ZipInfo(f"{self._folder}/{name}", _NO_DATE)
        at = self._zip.fp.tell() if self._zip.fp else 0
        # Above 2 GiB zipfile puts 20 bytes of its own before the padding.
        large = 20 if len(content) * 1.05 > zipfile.ZIP64_LIMIT else 0
        start = at + _LOCAL_HEADER + len(info.filename.encode()) + 4 + large
        fill = -start % _ALIGNMENT
        info.extra = _PADDING_ID + struct.pack("<H", fill) + b"Z" * fill
        info.file_size = len(content)
        with self._zip.open(info, "w", force_zip64=bool(large)) as record:
            record.write(content)


class Reader:
    """The records of such a file, by name without the folder."""

    def __init__(self, file: IO[bytes], budget: Budget) -> None:
        self._records = Records(file, budget)
        found = [n for n in self._records.names if n == "data.pkl" or n.endswith("/data.pkl")]
        if not found:
            raise RuntimeError("failed reading zip archive: there is no record data.pkl in it")
        self._folder = found[0].removesuffix("data.pkl")

    def has(self, name: str) -> bool:
        return self._folder + name in self._records

    def size(self, name: str) -> int:
        """Bytes of a record, before it is read; RuntimeError when it is missing."""
        return self._records.size(self._folder + name)

    def read(self, name: str) -> Array:
        """A record as an array of bytes; RuntimeError when it is missing or damaged."""
        return self._records.read(self._folder + name)

    def text(self, name: str) -> bytes:
        return self._records.text(self._folder + name)

    def place(self, name: str) -> tuple[int, int]:
        """Where an uncompressed record is in the file, and its length."""
        return self._records.place(self._folder + name)


# The memory of saved tensors: named in a file by a class of PyTorch's, e.g. `torch.FloatStorage`.

#: The memory of a block besides its bytes.
_BLOCK = 400


class StorageType:
    """The name in a file for memory of one element type."""

    def __init__(self, dtype: DType) -> None:
        self.dtype = dtype
        self.itemsize = dtype.itemsize


DoubleStorage = StorageType(dtypes.float64)
FloatStorage = StorageType(dtypes.float32)
HalfStorage = StorageType(dtypes.float16)
LongStorage = StorageType(dtypes.int64)
IntStorage = StorageType(dtypes.int32)
ShortStorage = StorageType(dtypes.int16)
CharStorage = StorageType(dtypes.int8)
ByteStorage = StorageType(dtypes.uint8)
BoolStorage = StorageType(dtypes.bool_)
ComplexDoubleStorage = StorageType(dtypes.complex128)
ComplexFloatStorage = StorageType(dtypes.complex64)
BFloat16Storage = StorageType(dtypes.bfloat16)

#: Element type -> the name under which its memory is saved.
NAME_OF = {
    kind.dtype: name for name, kind in list(globals().items()) if isinstance(kind, StorageType)
}


class Block:
    """Loaded memory: a flat array, and the Storage that all tensors over it share.

    Also what a `map_location` function is given and may return, after `.cpu()` or `.cuda()`.
    """

    def __init__(self, array: Any) -> None:
        self.array = array
        self.storage = Storage(address(array), array.nbytes)

    @property
    def device(self) -> Device:
        return device_of(self.array)

    def on(self, device: Any) -> Block:
        """The block on `device`; itself if it is there."""
        moved = to_device(self.array, parse_device(device))
        return self if moved is self.array else Block(moved)

    def cpu(self) -> Block:
        return self.on("cpu")

    def cuda(self, device: Any = None) -> Block:
        return self.on("cuda" if device is None else device)

    def tensor(
        self, offset: int, size: tuple[int, ...], stride: tuple[int, ...], requires_grad: bool
    ) -> Tensor:
        """A leaf over a part of the memory; RuntimeError when it would lie outside."""
        out = new_tensor(blocks.laid_over(self.array, tuple(size), tuple(stride), offset))
        if not out.is_inference():
            out._storage = self.storage
        if requires_grad:
            if self.array.dtype.kind not in "fcV":
                raise RuntimeError(
                    "Only Tensors of floating point and complex dtype can require gradients; the file "
                    f"says so of one of {out.dtype.name}"
                )
            out._tracked = LEAF
        return out


class Storages:
    """The memory of one file: each read once, and put where the caller wants it."""

    def __init__(self, place: Callable[[Block, str], Block], order: str, budget: Budget) -> None:
        self._place = place
        self._order = order
        self._known: dict[str, Block] = {}
        self._budget = budget

    def __getitem__(self, key: str) -> Block:
        return self._known[key]

    def __contains__(self, key: str) -> bool:
        return key in self._known

    def begin(self, memory: Memory, present: int) -> None:
        """Before the memory is read: RuntimeError when it is not in `present` bytes, or too much."""
        if not 0 <= memory.nbytes <= present:
            raise RuntimeError(
                f"the file is damaged: a storage of {memory.numel} elements has {present} bytes, not "
                f"{memory.nbytes}"
            )
        self._budget.spend(_BLOCK)

    def add(self, memory: Memory, raw: Array) -> Block:
        """Takes the bytes of a memory."""
        block = Block(self._read(memory, raw))
        self._known[memory.key] = block = self._place(block, memory.location)
        return block

    def reserve(self, memory: Memory) -> Block:
        """Memory whose bytes come later: see `fill`."""
        self._budget.spend(memory.numel * memory.kind.dtype.itemsize)
        block = Block(blocks.zeros(memory.numel, memory.kind.dtype.np))
        self._known[memory.key] = block = self._place(block, memory.location)
        return block

    def fill(self, memory: Memory, raw: Array) -> None:
        block = self._known[memory.key]
        block.array[...] = to_device(self._read(memory, raw), block.device)

    def _read(self, memory: Memory, raw: Array) -> Array:
        return blocks.read_bytes(raw[: memory.nbytes], memory.kind.dtype.np, self._order)


class Memory(NamedTuple):
    """A memory as a pickle refers to it."""

    kind: StorageType
    key: str
    location: str
    numel: int

    @property
    def nbytes(self) -> int:
        """As it is in the file."""
        return self.numel * self.kind.itemsize


def named(found: Any) -> Memory:
    """The memory that a persistent id of a file names."""
    if not (isinstance(found, tuple) and len(found) >= 5 and found[0] == "storage"):
        raise ValueError("it refers to something outside that is no storage")
    kind, key, location, numel = found[1:5]
    if not isinstance(kind, StorageType):
        raise TypeError(f"a {type(kind).__name__} is no type of storage")
    if not (isinstance(key, str) and isinstance(location, str) and type(numel) is int):
        raise TypeError("a storage is named by its key, its device and its number of elements")
    return Memory(kind, key, location, numel)

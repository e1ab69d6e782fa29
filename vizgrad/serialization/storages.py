"""The memory of saved tensors: named in a file by a class of PyTorch's, e.g. `torch.FloatStorage`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from vizgrad.core.arrays import blocks, dtypes
from vizgrad.core.arrays.backend import Device, device_of, parse_device, to_device
from vizgrad.core.tensor.storage import Storage
from vizgrad.core.tensor.tensor import LEAF, Tensor, address, new_tensor

if TYPE_CHECKING:
    from vizgrad.core.arrays import Array
    from vizgrad.core.arrays.dtypes import DType
    from vizgrad.core.arrays.files import Budget

#: What a block takes besides its bytes.
_BLOCK = 400


class StorageType:
    """What a file calls memory of one element type."""

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

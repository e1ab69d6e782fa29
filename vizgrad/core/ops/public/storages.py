"""A tensor's memory as a sequence of bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import CPU, Device, device_of, to_device
from vizgrad.core.arrays.blocks import owner
from vizgrad.core.arrays.current_device import on
from vizgrad.core.arrays.layout import flattened
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.ops.forms import method, public
from vizgrad.core.tensor.tensor import Tensor, address

#: Numbers of a storage that are printed: of a larger one as many from its start and its end.
PRINTED = 1000


@public
class UntypedStorage:
    """A block of memory, in bytes; two are equal if they are the same block.

    `UntypedStorage(4)` is new memory with whatever is in it, `UntypedStorage([1, 2])` has these bytes.
    """

    __slots__ = ("_block",)

    _block: Any

    def __init__(self, *args: Any, device: Any = None) -> None:
        if not args:
            args = (0,)
        if len(args) != 1 or isinstance(args[0], (str, float)):
            given = ", ".join(type(a).__name__ for a in args)
            raise TypeError(
                f"UntypedStorage() takes a number of bytes, or a sequence of bytes, and got ({given})"
            )
        given = args[0]
        with on(device) as namespace:
            self._block = (
                namespace.empty(given, xp.uint8)
                if isinstance(given, int)
                else namespace.asarray(list(given)).astype(xp.uint8)
            )

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return address(self._block)

    def nbytes(self) -> int:
        return int(self._block.nbytes)

    def size(self) -> int:
        """The number of bytes."""
        return self.nbytes()

    def __len__(self) -> int:
        return self.nbytes()

    def element_size(self) -> int:
        return 1

    def type(self) -> str:
        return "vizgrad.UntypedStorage"

    @property
    def device(self) -> Device:
        return device_of(self._block)

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    def bytes(self) -> Any:
        """All bytes, as an array on the same memory."""
        return flattened(self._block).view(xp.uint8)

    def tolist(self) -> list[int]:
        """All bytes."""
        return self.bytes().tolist()

    def __iter__(self) -> Iterator[int]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        """One byte, or with a slice a storage on a part of the memory."""
        at = self._places(index)
        return storage_over(self.bytes()[at]) if isinstance(at, slice) else int(self.bytes()[at])

    def __setitem__(self, index: Any, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise RuntimeError(
                "can only set storage content with a int types, but got "
                f"{type(value).__name__} instead"
            )
        self.bytes()[self._places(index)] = value & 0xFF

    def _places(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise RuntimeError(
                    f"Trying to slice with a step of {index.step}, but only a step of 1 is supported"
                )
            return index
        if isinstance(index, bool) or not isinstance(index, int):
            raise TypeError(f"can't index a vizgrad.UntypedStorage with {type(index).__name__}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return index

    def fill_(self, value: int) -> UntypedStorage:
        """Writes one byte everywhere. No version counter rises: saved tensors do not notice."""
        self[:] = value
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> UntypedStorage:
        """Writes the bytes of a storage of the same size."""
        if len(source) != len(self):
            raise RuntimeError(
                f"size does not match, self was {len(self)} bytes but src was {len(source)} bytes"
            )
        self.bytes()[...] = source.bytes()
        return self

    def clone(self) -> UntypedStorage:
        """The same bytes in other memory."""
        return storage_over(self.bytes().copy())

    def cpu(self) -> UntypedStorage:
        """Itself, where it is on the CPU; else a copy there."""
        if not self.is_cuda:
            return self
        return storage_over(to_device(self.bytes(), CPU))

    def resize_(self, size: int) -> UntypedStorage:
        """RuntimeError for another size than it has: memory of arrays cannot grow below their tensors."""
        if size != len(self):
            raise RuntimeError(
                f"Trying to resize storage that is not resizable: from {len(self)} to {size} bytes. Resize "
                "the tensor, with `resize_` or `set_`"
            )
        return self

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and (other.data_ptr(), len(other)) == (
            self.data_ptr(), len(self),
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def __repr__(self) -> str:
        return f"{listed(self)}[vizgrad.UntypedStorage(device={self.device}) of size {len(self)}]"


def listed(storage: Any) -> str:
    """The elements of a storage, one a line; in the middle of many some are left out."""
    if len(storage) <= PRINTED:
        return " " + "\n ".join(map(str, storage)) + "\n"
    half = PRINTED // 2
    last = range(len(storage) - half, len(storage))
    shown = [*(storage[i] for i in range(half)), "...", *(storage[i] for i in last)]
    return " " + "\n ".join(map(str, shown)) + "\n"


def storage_over(block: Any) -> UntypedStorage:
    """The storage that is a block of memory."""
    made = object.__new__(UntypedStorage)
    made._block = block
    return made


@method
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The block of memory that this tensor, and all that share memory with it, lie in."""
    if is_sparse(self._array):
        raise NotImplementedError(
            "Cannot access storage of a sparse tensor: it has several, those of `indices()` and `values()`"
        )
    return storage_over(owner(self._array))

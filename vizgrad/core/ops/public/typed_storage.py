"""A tensor's memory as a sequence of elements: what programs looked at before `untyped_storage`.

Each use warns as PyTorch does, once a session. Writes raise no version counter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import CPU, Device, device_of, on, to_device
from vizgrad.core.arrays.blocks import owner
from vizgrad.core.arrays.dtypes import NAMES, DType, type_name
from vizgrad.core.arrays.layout import flattened
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import warn_once
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import check_dtype
from vizgrad.core.ops.public.creation import empty
from vizgrad.core.ops.public.from_values import tensor
from vizgrad.core.tensor.tensor import Tensor, address, new_tensor

# A tensor's memory as a sequence of bytes.

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


_CONVERSIONS = {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "bfloat16": dtypes.bfloat16, "byte": dtypes.uint8, "char": dtypes.int8, "short": dtypes.int16,
    "int": dtypes.int32, "long": dtypes.int64, "bool": dtypes.bool_,
    "complex_float": dtypes.complex64, "complex_double": dtypes.complex128,
}  # fmt: skip


def _warn() -> None:
    warn_once(
        "TypedStorage is deprecated. It will be removed in the future and UntypedStorage will be the only "
        "storage class. To look at the memory of a tensor, call tensor.untyped_storage() instead of "
        "tensor.storage()."
    )


@public
class TypedStorage:
    """A block of memory, in elements of one type. Deprecated: `UntypedStorage`.

    `TypedStorage(3, dtype=...)` is new memory with whatever is in it, `TypedStorage([1, 2], dtype=...)` has
    these elements, `TypedStorage(wrap_storage=storage, dtype=...)` is other memory read as this type.
    """

    __slots__ = ("_untyped", "dtype")

    _untyped: UntypedStorage
    dtype: DType

    def __init__(
        self,
        *args: Any,
        wrap_storage: UntypedStorage | None = None,
        dtype: Any = None,
        device: Any = None,
    ) -> None:
        _warn()
        found = check_dtype("TypedStorage", dtype)
        if wrap_storage is not None:
            if args or device is not None or found is None:
                raise RuntimeError(
                    "TypedStorage: with wrap_storage, argument 'dtype' must be specified, and nothing else"
                )
            if not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(
                    "Argument 'wrap_storage' must be UntypedStorage, but got "
                    f"{type(wrap_storage).__name__}"
                )
            self._untyped, self.dtype = wrap_storage, found
            return
        self.dtype = found or dtypes.get_default_dtype()
        given = args[0] if args else 0
        if len(args) > 1 or isinstance(given, (str, float)):
            raise TypeError("TypedStorage() takes a number of elements, or a sequence of elements")
        values = (
            empty(given, dtype=self.dtype, device=device)
            if isinstance(given, int)
            else tensor([*given], dtype=self.dtype, device=device)
        )
        self._untyped = untyped_storage(values)

    def values(self) -> Tensor:
        """All elements, as a tensor on the same memory."""
        block, size = self._untyped._block, self.element_size()
        if block.dtype == self.dtype.np:
            return new_tensor(flattened(block))
        whole = len(self) * size
        return new_tensor(self._untyped.bytes()[:whole].view(self.dtype.np))

    def untyped(self) -> UntypedStorage:
        """The same memory in bytes."""
        return self._untyped

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return self._untyped.data_ptr()

    def nbytes(self) -> int:
        return len(self._untyped)

    def element_size(self) -> int:
        """The bytes of one element."""
        return self.dtype.itemsize

    def size(self) -> int:
        """The number of elements."""
        return len(self)

    def __len__(self) -> int:
        return len(self._untyped) // self.element_size()

    @property
    def device(self) -> Device:
        return self._untyped.device

    @property
    def is_cuda(self) -> bool:
        return self._untyped.is_cuda

    @property
    def is_sparse(self) -> bool:
        return False

    def is_shared(self) -> bool:
        return False

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        """The name of its class; with a type, the elements as that type."""
        if dtype is None:
            return f"vizgrad.{self.pickle_storage_type()}"
        return self._to(dtype if isinstance(dtype, DType) else dtype.dtype)

    def pickle_storage_type(self) -> str:
        """The name of the class of storages of its type."""
        return type_name(self.dtype.name).replace("Tensor", "Storage")

    def tolist(self) -> list[Any]:
        """All elements."""
        return self.values().tolist()

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: int) -> Any:
        if isinstance(index, slice):
            raise RuntimeError(
                "slices are only supported in UntypedStorage.__getitem__: call untyped()"
            )
        if isinstance(index, bool) or not isinstance(index, int):
            raise RuntimeError(f"can't index a vizgrad.TypedStorage with {type(index).__name__}")
        if not -len(self) <= index < len(self):
            raise IndexError(f"index {index} out of range for storage of size {len(self)}")
        return self.values()[index].item()

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, bool) or not isinstance(index, (int, slice)):
            raise RuntimeError(f"can't index a vizgrad.TypedStorage with {type(index).__name__}")
        self.values()[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        """Writes one number everywhere."""
        self.values().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool | None = None) -> TypedStorage:
        """Writes the bytes of another storage, which has as many."""
        self._untyped.copy_(source._untyped if isinstance(source, TypedStorage) else source)
        return self

    def resize_(self, size: int) -> None:
        """RuntimeError for another size than it has."""
        self._untyped.resize_(size * self.element_size())

    def clone(self) -> TypedStorage:
        """The same elements in other memory."""
        return typed(self._untyped.clone(), self.dtype)

    def cpu(self) -> TypedStorage:
        """Itself, where it is on the CPU; else a copy there."""
        return typed(self._untyped.cpu(), self.dtype) if self.is_cuda else self

    def _to(self, dtype: DType) -> TypedStorage:
        if dtype is self.dtype:
            return self
        values: Any = self.values()
        return typed(untyped_storage(values.to(dtype)), dtype)

    def __repr__(self) -> str:
        return (
            f"{listed(self)}[vizgrad.TypedStorage(dtype={self.dtype}, device={self.device}) "
            f"of size {len(self)}]"
        )

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash(self._untyped)


def _conversion(name: str, dtype: DType) -> Any:
    def convert(self: TypedStorage) -> TypedStorage:
        return self._to(dtype)

    convert.__name__ = name
    convert.__qualname__ = f"TypedStorage.{name}"
    convert.__doc__ = f"The elements as {dtype.name}; itself, if they are."
    return convert


for _name, _dtype in _CONVERSIONS.items():
    setattr(TypedStorage, _name, _conversion(_name, _dtype))


def typed(storage: UntypedStorage, dtype: DType) -> TypedStorage:
    """The same memory in elements of a type."""
    made = object.__new__(TypedStorage)
    made._untyped, made.dtype = storage, dtype
    return made


class _Named(type):
    """The class of `FloatStorage` and its like, which are TypedStorages of one type."""

    dtype: DType

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype

    def __call__(
        cls, *args: Any, wrap_storage: UntypedStorage | None = None, device: Any = None
    ) -> Any:
        return TypedStorage(*args, wrap_storage=wrap_storage, dtype=cls.dtype, device=device)


def _named(name: str) -> Any:
    dtype = NAMES[name.replace("Storage", "Tensor")]
    about = f"Makes storages of {dtype}. Deprecated: `UntypedStorage`."
    made = _Named(name, (), {"dtype": dtype, "__module__": "vizgrad", "__doc__": about})
    CLASSES[dtype.name] = made
    return made


#: The element type -> the class of its storages.
CLASSES: Final[dict[str, Any]] = {}
FloatStorage = public(_named("FloatStorage"))
DoubleStorage = public(_named("DoubleStorage"))
HalfStorage = public(_named("HalfStorage"))
BFloat16Storage = public(_named("BFloat16Storage"))
ByteStorage = public(_named("ByteStorage"))
CharStorage = public(_named("CharStorage"))
ShortStorage = public(_named("ShortStorage"))
IntStorage = public(_named("IntStorage"))
LongStorage = public(_named("LongStorage"))
BoolStorage = public(_named("BoolStorage"))
ComplexFloatStorage = public(_named("ComplexFloatStorage"))
ComplexDoubleStorage = public(_named("ComplexDoubleStorage"))


@method
def storage(self: Tensor) -> TypedStorage:
    """The block of memory of this tensor, in elements of its type. Deprecated: `untyped_storage`."""
    _warn()
    return typed(untyped_storage(self), self.dtype)


@method
def storage_type(self: Tensor) -> Any:
    """The class of `storage()`. Deprecated."""
    return CLASSES[self.dtype.name]


@public
def is_storage(obj: Any, /) -> bool:
    """Is it a storage, typed or not?"""
    return isinstance(obj, (UntypedStorage, TypedStorage))

"""The facts of a tensor's memory: sizes, strides, type, device."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays import layout as arrays_layout
from vizgrad.core.arrays import layout as strides
from vizgrad.core.arrays.backend import Array, Device, device_of
from vizgrad.core.arrays.blocks import owner
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.layout import address
from vizgrad.core.arrays.sparse import is_sparse

# How elements lie in memory, as PyTorch names it: dense with strides, or only those that are not zero.


class layout:
    """The type of `Tensor.layout`."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return f"vizgrad.{self._name}"


class memory_format(layout):
    """The order of a tensor's elements in memory.

    `contiguous_format` is C order; in `channels_last` (4 dimensions) and `channels_last_3d` (5) dimension 1
    lies innermost; `preserve_format` is that of the tensor a copy is made of, or C order if it has gaps.
    """

    __slots__ = ("_rank",)

    def __init__(self, name: str, rank: int = 0) -> None:
        super().__init__(name)
        self._rank = rank

    def describes(self, array: Array) -> bool:
        """Do the elements lie so already?"""
        if self._rank:
            return array.ndim == self._rank and strides.is_channels_last(array)
        return self is preserve_format or bool(array.flags.c_contiguous)

    def suits(self, array: Array) -> bool:
        """Would `to` leave the array as it is? It asks for the order of the strides alone, not for gaps."""
        last = array.ndim in (4, 5) and strides.has_channels_innermost(array)
        return self is preserve_format or (array.ndim if last else 0) == self._rank

    def applied(self, array: Array) -> Array:
        """A copy in this order. RuntimeError for another number of dimensions than the format has."""
        out = self.empty(array.shape, array)
        out[...] = array
        return out

    def empty(self, shape: tuple[int, ...], like: Array) -> Array:
        """Memory of the type of `like`, of whose strides `preserve_format` takes the order."""
        self.check(len(shape))
        if self is preserve_format:
            return strides.empty_like_strides(like, like)
        if self._rank:
            return strides.empty_channels_last(shape, like)
        return strides.empty(shape, like)

    def check(self, ndim: int) -> None:
        """RuntimeError if a tensor of so many dimensions cannot lie so."""
        if self._rank not in (0, ndim):
            raise RuntimeError(
                f"required rank {self._rank} tensor to use {self._name} format, but this one has {ndim} "
                "dimensions"
            )


strided: layout = layout("strided")
sparse_coo: layout = layout("sparse_coo")
sparse_csr: layout = layout("sparse_csr")
sparse_csc: layout = layout("sparse_csc")
#: The name of a layout, as arrays have it -> the layout.
BY_NAME = {
    "strided": strided, "sparse_coo": sparse_coo, "sparse_csr": sparse_csr, "sparse_csc": sparse_csc,
}  # fmt: skip
contiguous_format: memory_format = memory_format("contiguous_format")
preserve_format: memory_format = memory_format("preserve_format")
channels_last: memory_format = memory_format("channels_last", 4)
channels_last_3d: memory_format = memory_format("channels_last_3d", 5)


def required(name: str, value: Any) -> memory_format:
    """The argument `memory_format=`; TypeError for anything else than one."""
    if isinstance(value, memory_format):
        return value
    kind = "NoneType" if value is None else type(value).__name__
    raise TypeError(f"{name}(): argument 'memory_format' must be vizgrad.memory_format, not {kind}")


def check_format(name: str, value: Any) -> memory_format | None:
    """The argument `memory_format=`; TypeError for anything else than one, or None."""
    return None if value is None else required(name, value)


# The shape of a tensor.


class Size(tuple[int, ...]):
    """A shape: a tuple of ints that prints as torch.Size does."""

    __slots__ = ()

    def numel(self) -> int:
        n = 1
        for length in self:
            n *= length
        return n

    def __repr__(self) -> str:
        return f"vizgrad.Size({list(self)})"


class InMemory:
    """The facts of a tensor that follow from its array alone, and from its place in its storage."""

    __slots__ = ()

    if TYPE_CHECKING:
        _array: Array
        _storage: Any

        def is_inference(self) -> bool: ...

    @property
    def shape(self) -> Size:
        return Size(self._array.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the length of dimension `dim`."""
        if dim is None:
            return Size(self._array.shape)
        return self._array.shape[errors.wrap_dim(dim, self._array.ndim)]

    def dim(self) -> int:
        return self._array.ndim

    @property
    def ndim(self) -> int:
        return self._array.ndim

    ndimension = dim

    def numel(self) -> int:
        return int(self._array.size)

    nelement = numel

    @property
    def dtype(self) -> DType:
        return dtypes.BY_NUMPY[self._array.dtype]

    @property
    def device(self) -> Device:
        return device_of(self._array)

    @property
    def is_cuda(self) -> bool:
        return self.device.type == "cuda"

    @property
    def is_cpu(self) -> bool:
        return self.device.type == "cpu"

    @property
    def layout(self) -> layout:
        return BY_NAME[getattr(self._array, "layout", "strided")]

    @property
    def is_sparse(self) -> bool:
        """Is its layout `sparse_coo`?"""
        return getattr(self._array, "layout", "") == "sparse_coo"

    @property
    def is_sparse_csr(self) -> bool:
        return getattr(self._array, "layout", "") == "sparse_csr"

    #: Devices and kinds of memory that there are none of here: old code asks for them.
    is_ipu: property = property(lambda self: False)
    is_maia: property = is_ipu
    is_meta: property = is_ipu
    is_mkldnn: property = is_ipu
    is_mps: property = is_ipu
    is_mtia: property = is_ipu
    is_nested: property = is_ipu
    is_quantized: property = is_ipu
    is_vulkan: property = is_ipu
    is_xla: property = is_ipu
    is_xpu: property = is_ipu

    # Old attributes that old code asks for: a tensor has no name, and is never volatile.

    @property
    def name(self) -> None:
        return None

    @property
    def volatile(self) -> bool:
        warnings.warn(
            "volatile was removed: it is always False, see torch.no_grad()",
            UserWarning,
            stacklevel=2,
        )
        return False

    @volatile.setter
    def volatile(self, value: Any) -> None:
        warnings.warn(
            "volatile was removed and now has no effect. Use `with torch.no_grad():` instead",
            UserWarning,
            stacklevel=2,
        )

    @property
    def itemsize(self) -> int:
        return int(self._array.itemsize)

    def element_size(self) -> int:
        return int(self._array.itemsize)

    @property
    def nbytes(self) -> int:
        return int(self._array.nbytes)

    def stride(self, dim: int | None = None) -> Any:
        """Elements (not bytes) to skip for the next index of each dimension, or of `dim`."""
        item, shape = self._array.itemsize, self._array.shape
        strides = [s // item for s in arrays_layout.byte_strides(self._array)]
        for d in range(len(shape) - 1, -1, -1):  # numpy gives a new dimension of size 1 no stride
            if shape[d] == 1 and strides[d] == 0:
                strides[d] = shape[d + 1] * strides[d + 1] if d + 1 < len(shape) else 1
        strides = tuple(strides)
        return strides if dim is None else strides[errors.wrap_dim(dim, len(strides))]

    def storage_offset(self) -> int:
        """Elements between the start of the memory block and this tensor's first element."""
        if self._storage is None:
            return 0
        origin = self._storage.origin
        if self.is_inference():
            origin = address(owner(self._array))
        return (address(self._array) - origin) // self._array.itemsize

    def data_ptr(self) -> int:
        if is_sparse(self._array):
            raise RuntimeError(
                "Cannot access data pointer of Tensor that doesn't have storage: it is sparse"
            )
        return address(self._array)

    def is_contiguous(self, memory_format: memory_format = contiguous_format) -> bool:
        """Do the elements lie without gaps in C order, or in the order of `memory_format`?"""
        if memory_format is contiguous_format:
            return bool(self._array.flags.c_contiguous) and not is_sparse(self._array)
        if memory_format is preserve_format:
            memory_format = contiguous_format
        return required("is_contiguous", memory_format).describes(self._array)

    def is_floating_point(self) -> bool:
        return self._array.dtype.kind in "fV"

    def is_complex(self) -> bool:
        return self._array.dtype.kind == "c"

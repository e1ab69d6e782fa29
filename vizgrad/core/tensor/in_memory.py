"""What a tensor says of its memory: sizes, strides, type, device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core import errors
from vizgrad.core.arrays import dtypes, layout
from vizgrad.core.arrays.backend import Array, Device, device_of
from vizgrad.core.arrays.blocks import owner
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.layout import address
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.tensor import formats

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
    """What can be said of a tensor by its array alone, and where that lies in its storage."""

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

    ndim = property(dim)
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
    def layout(self) -> formats.layout:
        return formats.BY_NAME[getattr(self._array, "layout", "strided")]

    @property
    def is_sparse(self) -> bool:
        """Is its layout `sparse_coo`?"""
        return getattr(self._array, "layout", "") == "sparse_coo"

    @property
    def is_sparse_csr(self) -> bool:
        return getattr(self._array, "layout", "") == "sparse_csr"

    #: Devices and kinds of memory that there are none of here: old code asks for them.
    is_ipu = is_maia = is_meta = is_mkldnn = is_mps = is_mtia = is_nested = property(
        lambda self: False
    )
    is_quantized = is_vulkan = is_xla = is_xpu = is_mps

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
        strides = [s // item for s in layout.byte_strides(self._array)]
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

    def is_contiguous(
        self, memory_format: formats.memory_format = formats.contiguous_format
    ) -> bool:
        """Do the elements lie without gaps in C order, or in the order of `memory_format`?"""
        if memory_format is formats.contiguous_format:
            return bool(self._array.flags.c_contiguous) and not is_sparse(self._array)
        if memory_format is formats.preserve_format:
            memory_format = formats.contiguous_format
        return formats.required("is_contiguous", memory_format).describes(self._array)

    def is_floating_point(self) -> bool:
        return self._array.dtype.kind in "fV"

    def is_complex(self) -> bool:
        return self._array.dtype.kind == "c"

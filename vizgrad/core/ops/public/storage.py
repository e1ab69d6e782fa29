"""The memory behind a tensor: looking at it, and making a tensor show other memory (spec 03)."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.arrays import xp
from vizgrad.arrays.backend import Device, device_of, to_host
from vizgrad.arrays.blocks import contiguous_strides, laid_over, owner
from vizgrad.arrays.layout import flattened
from vizgrad.function.inplace import check_history, check_write
from vizgrad.graph.edges import retaining
from vizgrad.graph.node import Node
from vizgrad.ops.forms import method, public
from vizgrad.ops.public.arguments import sizes_of
from vizgrad.ops.public.keywords import takes_tensors
from vizgrad.ops.recording import edges_of, produced_by, start
from vizgrad.tensor.duals import is_dual
from vizgrad.tensor.modes import MODES
from vizgrad.tensor.place import caller
from vizgrad.tensor.storage import show_memory
from vizgrad.tensor.tensor import Tensor, address, forget_accumulator, storage_of


@public
class UntypedStorage:
    """A block of memory, in bytes; two are equal if they are the same block."""

    __slots__ = ("_block",)

    def __init__(self, block: Any) -> None:
        self._block = block

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

    @property
    def device(self) -> Device:
        return device_of(self._block)

    def __getitem__(self, index: int) -> int:
        """One byte."""
        if not -len(self) <= index < len(self):
            raise IndexError(f"byte {index} is out of range for a storage of {len(self)} bytes")
        return to_host(self._block).tobytes()[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and other.data_ptr() == self.data_ptr()

    def __hash__(self) -> int:
        return hash(self.data_ptr())

    def __repr__(self) -> str:
        return f"vizgrad.UntypedStorage(device={self.device}) of size {len(self)}"


@method
def untyped_storage(self: Tensor) -> UntypedStorage:
    """The block of memory that this tensor, and all that share memory with it, lie in."""
    return UntypedStorage(owner(self._array))


@method
def set_(
    self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None
) -> Tensor:
    """Makes the tensor show other memory: another tensor's, or a region of a storage (in elements).

    Without arguments it becomes empty. The version counter rises. There is no derivative: backward through
    it raises RuntimeError. RuntimeError for a leaf that requires grad, and for memory of another type.
    """
    check_history(self, self.requires_grad and MODES.grad)
    if is_dual(self) or (isinstance(source, Tensor) and is_dual(source)):
        raise NotImplementedError(
            "Trying to use forward AD with set_ that does not support it: detach the tensor first"
        )
    edges = edges_of((self, source) if isinstance(source, Tensor) else (self,))
    if source is None:
        array = xp.empty((0,), self._array.dtype)
    elif isinstance(source, Tensor):
        if source.dtype is not self.dtype:
            raise RuntimeError(
                f"Could not set tensor of type {source.dtype.name} to a tensor of type {self.dtype.name}"
            )
        array = source._array
        if size is not None:
            array = _region(array, storage_offset, size, stride)
    elif not isinstance(source, UntypedStorage):
        raise TypeError(
            f"set_(): argument 'source' must be Tensor or Storage, not {type(source).__name__}"
        )
    else:
        block = source._block
        flat = flattened(block).view(self._array.dtype) if block.size else block.reshape(-1)
        count = flat.size - storage_offset if size is None else size
        array = _region(flat, storage_offset, count, stride)
    forget_accumulator(self)
    _show(self, array, "set_")
    if edges is not None:
        self._view = None  # what it shows is no part of a base any more
        with retaining(self):
            _without_derivative(self, edges)
    return self


class NotImplementedNode(Node):
    """Of what has no derivative, and may be computed nevertheless."""

    __slots__ = ()

    input_names = ("self", "source")

    def name(self) -> str:
        return "NotImplemented"

    def run(self, grad: Any) -> Any:
        raise RuntimeError(
            "derivative for set_ is not implemented: call it under no_grad, or on a detached tensor"
        )

    def run_tensors(self, grads: tuple[Any, ...]) -> Any:
        return self.run(grads)


def _without_derivative(tensor: Tensor, edges: tuple[Any, ...]) -> None:
    node: Any = object.__new__(NotImplementedNode)
    start(node, edges, tensor._array)
    produced_by(node, (tensor,))


def _region(array: Any, offset: int, size: Any, stride: Any) -> Any:
    shape = sizes_of("set_", (size,))
    strides = contiguous_strides(shape) if stride is None else sizes_of("set_", (stride,))
    return laid_over(array.reshape(-1), shape, strides, offset)


def _show(self: Tensor, array: Any, name: str) -> Tensor:
    block, before = owner(array), owner(self._array)
    if block is before:
        storage = storage_of(self)
        self._array = array
        storage.origin, storage.nbytes = address(block), block.nbytes
    else:
        show_memory(self, array, address(block), block.nbytes)
    storage_of(self).wrote(name, caller())
    return self


@method
def resize_(self: Tensor, *given: Any, size: Any = None) -> Tensor:
    """Gives the tensor another shape; new elements, if there are more, are whatever is in memory.

    Where its memory is too small the tensor moves to a larger block, which its views do not follow.
    Nothing happens if it has the shape already.
    """
    shape = sizes_of("resize_", given if size is None else (size,))
    if self.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    if is_dual(self):
        raise RuntimeError("cannot resize variables that has a forward grad: resize a clone")
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension: {list(shape)}")
    if shape == self._array.shape:
        return self  # nothing to do, and no write
    check_write(self, False)
    here, count = self._array, math.prod(shape)
    block = owner(here)
    flat = flattened(block)
    start = self.storage_offset()
    if start + count <= flat.size and block.dtype == here.dtype:
        return _show(self, laid_over(flat, shape, contiguous_strides(shape), start), "resize_")
    larger = xp.empty_like(flat, dtype=here.dtype, shape=(start + count,), subok=False)
    kept = flat.view(here.dtype)
    larger[: kept.size] = kept[: start + count]
    return _show(self, larger[start:].reshape(shape), "resize_")


@public(method=True)
@takes_tensors
def resize_as_(input: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """`resize_` to the shape of another tensor."""
    if input.requires_grad:
        raise RuntimeError("cannot resize variables that require grad")
    return resize_(input, the_template._array.shape)

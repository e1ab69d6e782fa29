"""Making a tensor show other memory: another tensor's, a storage's, a larger or smaller one (spec 03)."""

from __future__ import annotations

import math
from typing import Any

from vizgrad.core.arrays import backend, xp
from vizgrad.core.arrays.blocks import contiguous_strides, laid_over, owner
from vizgrad.core.arrays.layout import flattened
from vizgrad.core.function.inplace import check_history, check_write
from vizgrad.core.graph.edges import retaining
from vizgrad.core.graph.node import Node
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import sizes_of, takes_tensors
from vizgrad.core.ops.public.typed_storage import TypedStorage, is_storage
from vizgrad.core.ops.recording import edges_of, produced_by, start
from vizgrad.core.tensor.duals import is_dual
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.storage import show_memory
from vizgrad.core.tensor.tensor import Tensor, address, forget_accumulator, new_tensor, storage_of


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
    elif isinstance(source, TypedStorage) and source.dtype is not self.dtype:
        raise RuntimeError(
            f"Expected a Storage of type {self.dtype} or an UntypedStorage, but got one of type "
            f"{source.dtype} for argument 1 'storage'"
        )
    elif not is_storage(source):
        raise TypeError(
            f"set_(): argument 'source' must be Tensor or Storage, not {type(source).__name__}"
        )
    else:
        if isinstance(source, TypedStorage):
            source = source.untyped()
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
    """For operations without a derivative that may be computed nevertheless."""

    __slots__ = ()

    input_names = ("self", "source")
    runs_first = True

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


def _check_resizing(tensor: Tensor) -> None:
    """RuntimeError if its gradients would not fit it any more; inference mode does not ask (Y-14)."""
    if tensor.requires_grad and MODES.inference is None:
        raise RuntimeError("cannot resize variables that require grad")


@method
def resize_(self: Tensor, *given: Any, size: Any = None) -> Tensor:
    """Gives the tensor another shape; new elements, if there are more, are whatever is in memory.

    Where its memory is too small the tensor moves to a larger block, which its views do not follow.
    Nothing happens if it has the shape already.
    """
    shape = sizes_of("resize_", given if size is None else (size,))
    if not self.is_inference():  # one of those is checked as what writes to it is
        _check_resizing(self)
    if is_dual(self):
        raise RuntimeError("cannot resize variables that has a forward grad: resize a clone")
    if any(n < 0 for n in shape):
        raise RuntimeError(f"Trying to create tensor with negative dimension: {list(shape)}")
    if shape == self._array.shape:
        return self  # nothing to do, and no write
    check_write(self, False)
    forget_accumulator(self)
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
    _check_resizing(input)
    return resize_(input, the_template._array.shape)


# Page-locked memory of the host, from which copying to a device is quicker.


@method
def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    """A copy in page-locked memory; `self` if it is there already.

    RuntimeError without a device, or for a tensor that is on one.
    """
    if backend.is_pinned(self._array):
        return self
    if not backend.is_on_host(self._array):
        raise RuntimeError(
            f"cannot pin a tensor on {self.device}: only dense CPU tensors can be pinned"
        )
    return new_tensor(backend.pinned(self._array))


@method
def is_pinned(self: Tensor, device: Any = None) -> bool:
    """Is it in page-locked memory?"""
    return backend.is_pinned(self._array)

"""Questions about tensors, answered with a bool."""

from __future__ import annotations

from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.keywords import takes_tensors
from vizgrad.core.tensor.operands import not_a_tensor
from vizgrad.core.tensor.tensor import Tensor, address


@public(method=True)
@takes_tensors
def is_nonzero(input: Tensor) -> bool:
    """Is the one element not 0? RuntimeError for a tensor of none or several."""
    if input._array.size != 1:
        count = "no" if not input._array.size else "more than one"
        raise RuntimeError(f"Boolean value of Tensor with {count} value is ambiguous")
    return bool(input._array.reshape(-1)[0] != 0)


@public(method=True)
@takes_tensors
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Do the two have one shape?"""
    return input._array.shape == other._array.shape


@public(method=True)
def is_distributed(input: Tensor) -> bool:
    """Is it spread over several processes? Never here."""
    if not isinstance(input, Tensor):
        raise not_a_tensor("is_distributed", "input", 1, input)
    return False


@method
def is_shared(self: Tensor) -> bool:
    """Is its memory shared between processes? Never here, but on a GPU, whose memory always counts so."""
    return self.is_cuda


@method
@takes_tensors
def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Do the two show the same memory in the same way?"""
    a, b = self._array, tensor._array
    return address(a) == address(b) and a.shape == b.shape and a.strides == b.strides


@public(method=True)
@takes_tensors
def is_signed(input: Tensor) -> bool:
    """Can elements be negative?"""
    return input.dtype.is_signed


@public
@takes_tensors
def is_inference(input: Tensor) -> bool:
    """Was it made in inference mode?"""
    return input.is_inference()

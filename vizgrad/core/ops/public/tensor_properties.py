"""Questions about tensors, answered with a bool or a number.

A tensor as an object of a class of the user's own.

The result of an operation on it is a plain Tensor again: there is no `__torch_function__` here.
"""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.backend import is_on_device
from vizgrad.core.arrays.device_memory import USED
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.ops import shape
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import takes_tensors
from vizgrad.core.tensor.copying import leaf_over
from vizgrad.core.tensor.requirements import not_a_tensor
from vizgrad.core.tensor.state import wrong_call
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
def get_device(self: Tensor) -> int:
    """The number of the CUDA device that the tensor is on; -1 for the CPU."""
    index = self.device.index
    return -1 if index is None else index


@method
def record_stream(self: Tensor, s: Any) -> None:
    """Notes that a stream of `vizgrad.cuda`, other than the one it was made on, uses the tensor's memory.

    After the memory is freed, it is reused only after the work that this stream was given before. Raises
    NotImplementedError for a tensor of the CPU and for a sparse one, RuntimeError for what is no stream.
    """
    if not (hasattr(s, "record_event") and hasattr(s, "cuda_stream")):
        raise RuntimeError(
            f"record_stream: unknown parameter type {type(s).__name__}: a Stream is wanted"
        )
    if not is_on_device(self._array):
        kind = "a sparse tensor" if is_sparse(self._array) else "a tensor of the CPU"
        raise NotImplementedError(f"record_stream: {kind} has no stream")
    USED.note(self._array, s)


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


@public
def typename(obj: Any) -> str:
    """The type of a tensor ("vizgrad.FloatTensor"); of another object its class, and of a class or a function
    itself, with the module that it is from.
    """
    if isinstance(obj, Tensor):
        return obj.type()
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", None) or ""
    return named.__qualname__ if module in ("", "builtins") else f"{module}.{named.__qualname__}"


# A tensor as an object of a class of the user's own.


@method
def as_subclass(self: Tensor, cls: Any) -> Any:
    """A view of all of the tensor, as a `cls`; gradients pass through.

    TypeError for what is no class, or one that does not inherit from Tensor.
    """
    _check_class(cls)
    out: Any = shape.alias.record(self)
    out.__class__ = cls
    return out


def _make_subclass(cls: Any, data: Tensor, require_grad: bool = False) -> Any:
    """A leaf of class `cls` on the memory of `data`: no history, the same version counter.

    Raises as `as_subclass`, TypeError for data that is no tensor, and RuntimeError when a gradient is wanted
    for numbers that are neither floating point nor complex.
    """
    _check_class(cls)
    if not isinstance(data, Tensor):
        raise wrong_call(
            TypeError(
                f"_make_subclass(): argument 'data' (position 2) must be Tensor, not {type(data).__name__}"
            ),
            "make a Tensor of it: `vizgrad.tensor(...)`",
        )
    return leaf_over(data, require_grad, cls)


def _check_class(cls: Any) -> None:
    if not isinstance(cls, type):
        raise wrong_call(
            TypeError(f"cls must be a type (got {type(cls).__name__})"), "give it the class itself"
        )
    if not issubclass(cls, Tensor):
        raise wrong_call(
            TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible: "
                f"{cls.__name__} does not"
            ),
            f"class {cls.__name__}(Tensor): ...",
        )


Tensor._make_subclass = staticmethod(_make_subclass)

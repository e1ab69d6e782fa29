"""`FloatTensor`, `LongTensor` and their like: constructors by type, from PyTorch's early days."""

from __future__ import annotations

from typing import Any

from vizgrad.arrays import dtypes
from vizgrad.arrays.dtypes import DType
from vizgrad.ops.public.creation import empty, tensor
from vizgrad.tensor.tensor import Tensor


class TypedTensor(type):
    """The class of these constructors: a tensor of the element type is an instance of each."""

    dtype: DType

    def __call__(cls, *args: Any) -> Tensor:
        """Of one sequence of numbers, or uninitialised memory of the given sizes."""
        if not args:
            return empty(0, dtype=cls.dtype)
        first = args[0]
        if len(args) == 1 and isinstance(first, Tensor):
            if first.dtype is not cls.dtype:
                raise TypeError(
                    f"expected a tensor of {cls.dtype}, got one of {first.dtype}: use .to(dtype)"
                )
            return first
        if isinstance(first, int) or (len(args) == 1 and type(first).__name__ == "Size"):
            return empty(*args, dtype=cls.dtype)
        return tensor(first, dtype=cls.dtype)

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor) and instance.dtype is cls.dtype


def _typed(name: str, dtype: DType) -> Any:
    return TypedTensor(name, (), {"dtype": dtype, "__doc__": f"Tensors of {dtype}; use `tensor`."})


FloatTensor = _typed("FloatTensor", dtypes.float32)
DoubleTensor = _typed("DoubleTensor", dtypes.float64)
HalfTensor = _typed("HalfTensor", dtypes.float16)
ByteTensor = _typed("ByteTensor", dtypes.uint8)
CharTensor = _typed("CharTensor", dtypes.int8)
ShortTensor = _typed("ShortTensor", dtypes.int16)
IntTensor = _typed("IntTensor", dtypes.int32)
LongTensor = _typed("LongTensor", dtypes.int64)
BoolTensor = _typed("BoolTensor", dtypes.bool_)

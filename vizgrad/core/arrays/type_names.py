"""What tensors of an element type were called in PyTorch's early days, and still are in messages."""

from __future__ import annotations

from typing import Final

from vizgrad.core.arrays import dtypes
from vizgrad.core.arrays.dtypes import DType

#: Those with a constructor of the name.
CONSTRUCTORS: Final[dict[str, DType]] = {
    "FloatTensor": dtypes.float32, "DoubleTensor": dtypes.float64, "HalfTensor": dtypes.float16,
    "BFloat16Tensor": dtypes.bfloat16, "ByteTensor": dtypes.uint8, "CharTensor": dtypes.int8,
    "ShortTensor": dtypes.int16, "IntTensor": dtypes.int32, "LongTensor": dtypes.int64,
    "BoolTensor": dtypes.bool_,
}  # fmt: skip
NAMES: Final[dict[str, DType]] = CONSTRUCTORS | {
    "ComplexFloatTensor": dtypes.complex64,
    "ComplexDoubleTensor": dtypes.complex128,
}
_NAME_OF = {dtype.name: name for name, dtype in NAMES.items()}


def type_name(dtype: str) -> str:
    """What tensors of the element type of that name are called."""
    return _NAME_OF.get(dtype) or dtype.capitalize() + "Tensor"

"""Element types and type promotion, by PyTorch's rules (spec T-1 ... T-5).

numpy's promotion differs (int64 + float32 gives float64 there, float32 here), so `result_type`
of numpy is never asked.

numpy has no bfloat16 and no float8: their arrays come from `ml_dtypes`, which is imported when one of these
types is first used. The `kind` of such an array is "V" (float8_e5m2 says "f").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import numpy as np

#: The type of one size, one dim or one index: for typing tools a number of numpy's is an int.
INTS = int if TYPE_CHECKING else (int, np.integer)


class DType:
    """One element type, e.g. `vizgrad.float32`.

    `np` is the numpy dtype, `category` 0 bool, 1 integer, 2 floating, 3 complex.
    """

    __slots__ = ("__weakref__", "category", "itemsize", "name", "np", "rank")

    name: str
    np: np.dtype[Any]
    category: int
    rank: int
    itemsize: int

    def __init__(self, name: str, category: int, rank: int) -> None:
        self.name = name
        self.np = np.dtype(name)
        self.category = category
        self.rank = rank
        self.itemsize = self.np.itemsize

    @property
    def is_floating_point(self) -> bool:
        return self.category == 2

    @property
    def is_complex(self) -> bool:
        return self.category == 3

    @property
    def is_signed(self) -> bool:
        return self.category >= 2 or self.np.kind == "i"

    def to_real(self) -> DType:
        """The type of the parts of complex numbers; of other types the type itself."""
        return to_real(self)

    def to_complex(self) -> DType:
        """The type of complex numbers with parts of this type; RuntimeError if there is none."""
        if self.category < 2:
            raise RuntimeError(
                f"Unknown Complex ScalarType for {self.name}: no complex type has such parts"
            )
        return _COMPLEX_OF.get(self, self)

    def __repr__(self) -> str:
        return f"vizgrad.{self.name}"

    def __reduce__(self) -> tuple[object, ...]:
        return (by_name, (self.name,))


class NarrowDType(DType):
    """A floating type that numpy does not compute with: operations do so in float32."""

    #

    __slots__ = ()

    def __init__(self, name: str, itemsize: int) -> None:
        self.name = name
        self.category = 2
        self.rank = 0
        self.itemsize = itemsize

    def __getattr__(self, name: str) -> Any:
        if name != "np":
            raise AttributeError(name)
        _use_narrow_types()
        return self.np


bool_: Final = DType("bool", 0, 0)
uint8: Final = DType("uint8", 1, 0)
int8: Final = DType("int8", 1, 1)
int16: Final = DType("int16", 1, 2)
int32: Final = DType("int32", 1, 3)
int64: Final = DType("int64", 1, 4)
float16: Final = DType("float16", 2, 0)
float32: Final = DType("float32", 2, 1)
float64: Final = DType("float64", 2, 2)
complex64: Final = DType("complex64", 3, 1)
complex128: Final = DType("complex128", 3, 2)
bfloat16: Final = NarrowDType("bfloat16", 2)
float8_e4m3fn: Final = NarrowDType("float8_e4m3fn", 1)
float8_e4m3fnuz: Final = NarrowDType("float8_e4m3fnuz", 1)
float8_e5m2: Final = NarrowDType("float8_e5m2", 1)
float8_e5m2fnuz: Final = NarrowDType("float8_e5m2fnuz", 1)
float8_e8m0fnu: Final = NarrowDType("float8_e8m0fnu", 1)

_NARROW: Final = (
    bfloat16, float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu,
)  # fmt: skip
ALL: Final = (
    bool_, uint8, int8, int16, int32, int64, float16, float32, float64, complex64, complex128,
    *_NARROW,
)  # fmt: skip
_BY_NAME: Final = {d.name: d for d in ALL}
#: numpy dtype -> DType. numpy's built-in dtypes are singletons, so this is a lookup by identity.
BY_NUMPY: Final[dict[Any, DType]] = {d.np: d for d in ALL if not isinstance(d, NarrowDType)}
#: The numpy dtypes of narrow types; empty until the first of them is used.
NARROW: Final[set[Any]] = set()
#: Called when that happens.
WHEN_NARROW: Final[list[Callable[[], None]]] = []
_REAL_OF: Final = {complex64: float32, complex128: float64}
_COMPLEX_OF: Final[dict[DType, DType]] = {
    float16: complex64, bfloat16: complex64, float32: complex64, float64: complex128,
}  # fmt: skip

_default: DType = float32


def by_name(name: str) -> DType:
    return _BY_NAME[name]


def _use_narrow_types() -> None:
    source = import_module("ml_dtypes")
    for dtype in _NARROW:
        dtype.np = np.dtype(getattr(source, dtype.name))
        BY_NUMPY[dtype.np] = dtype
        NARROW.add(dtype.np)
    for tell in WHEN_NARROW:
        tell()


def from_numpy(dtype: np.dtype) -> DType:
    """The DType of a numpy dtype; TypeError when there is none (strings, objects, ...)."""
    try:
        return BY_NUMPY[dtype]
    except KeyError:
        if dtype.name in _BY_NAME and not NARROW:  # the first such array is the user's own
            _use_narrow_types()
            return from_numpy(dtype)
        raise TypeError(
            f"can't convert an array of dtype {dtype} to a tensor; the supported types are: "
            + ", ".join(d.name for d in ALL)
        ) from None


def canonical(array: Any) -> Any:
    """The same memory, with numpy's own object for its type.

    An array that was pickled has a type equal to it but not the same, and types are compared by identity.
    Raises TypeError when no tensor can have the type.
    """
    own = from_numpy(array.dtype).np
    if array.dtype is own:
        return array
    return array.mapped(canonical) if hasattr(array, "mapped") else array.view(own)


def get_default_dtype() -> DType:
    return _default


def set_default_dtype(dtype: DType) -> None:
    """Sets the type of `tensor(1.0)` and of float results of integer ops; floating types only."""
    global _default
    if not isinstance(dtype, DType) or dtype.category != 2:
        raise TypeError(
            f"only floating-point types are supported as the default type, got {dtype!r}"
        )
    _default = dtype


def promote_types(type1: DType, type2: DType) -> DType:
    """The smallest type both can be cast to without loss of category."""
    # T-2
    a, b = type1, type2
    if not (isinstance(a, DType) and isinstance(b, DType)):
        position, wrong = (2, b) if isinstance(a, DType) else (1, a)
        raise TypeError(
            f"promote_types(): argument 'type{position}' (position {position}) must be vizgrad.dtype, not "
            f"{type(wrong).__name__}"
        )
    if a is b:
        return a
    if is_float8(a) or is_float8(b):
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {a.name} and {b.name}: "
            "convert one with .to(dtype)"
        )
    if a.category != b.category:
        low, high = (a, b) if a.category < b.category else (b, a)
        if high is complex64 and low is float64:
            return complex128
        return high
    if a.category == 1 and (a is uint8 or b is uint8):
        other = b if a is uint8 else a
        return int16 if other is int8 else other
    if a.rank == b.rank:  # bfloat16 and float16: neither holds the other's values
        return float32
    return a if a.rank > b.rank else b


def is_float8(dtype: DType) -> bool:
    """Is it one of the types that only hold values: nothing can be computed with them?"""
    return dtype.itemsize == 1 and dtype.category == 2


def of_scalar(value: object) -> DType | None:
    """The type a number stands for in promotion, one of numpy's, too; None when it is not a number."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, float):
        return _default
    if isinstance(value, complex):
        return _COMPLEX_OF[_default]
    if isinstance(value, np.generic):
        return of_scalar(value.item())
    return None


def result_type(dimensioned: list[DType], zero_dim: list[DType], scalars: list[DType]) -> DType:
    """Promotion with priorities (spec T-3): tensors with dimensions, then 0-dim ones, then numbers.

    A lower group counts only if its category is higher than that of all groups above it. A number
    then takes part with the default type of its category.
    """
    result: DType | None = None
    for group in (dimensioned, zero_dim, scalars):
        if not group:
            continue
        own = group[0]
        for d in group[1:]:
            own = promote_types(own, d)
        if result is None:
            result = own
        elif own.category > result.category:
            # a complex number beside floats has their width: f32 with a complex128 0-dim is complex64
            result = _COMPLEX_OF.get(result, own) if own.category == 3 else own
    if result is None:
        raise ValueError("result_type needs at least one operand")
    return result


def to_real(dtype: DType) -> DType:
    return _REAL_OF.get(dtype, dtype)


def to_float(dtype: DType) -> DType:
    """The type of `exp`, `sqrt`, true division... on `dtype` (spec T-4)."""
    return dtype if dtype.category >= 2 else _default


# `finfo` and `iinfo`: the limits of number types, as PyTorch names them.


def _limits(dtype: DType) -> Any:
    """numpy's description of a floating type, or that of the library that has the type."""
    if isinstance(dtype, NarrowDType):
        return import_module("ml_dtypes").finfo(dtype.np)
    return np.finfo(dtype.np)


def _resolution(eps: float) -> float:
    """A one in the last decimal place that all numbers near 1 have."""
    return float(f"1e{math.ceil(math.log10(eps))}")


class finfo:
    """Limits of a floating-point type (of a complex one: of its parts); the default type without one.

    Raises TypeError for integers and bool.
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")

    def __init__(self, type: DType | None = None) -> None:
        wanted = get_default_dtype() if type is None else type
        if wanted.category < 2:
            raise TypeError(
                "torch.finfo() requires a floating point input type. Use torch.iinfo to handle "
                f"'{wanted!r}'"
            )
        limits = _limits(to_real(wanted))
        self.bits: int = limits.bits
        self.eps: float = float(limits.eps)
        self.max: float = float(limits.max)
        self.min: float = float(limits.min)
        self.smallest_normal: float = float(limits.smallest_normal)
        self.tiny: float = self.smallest_normal
        self.resolution: float = _resolution(self.eps)
        self.dtype: str = to_real(wanted).name

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        numbers = ", ".join(f"{name}={getattr(self, name):g}" for name in names)
        return f"finfo({numbers}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


class iinfo:
    """Limits of an integer type. Raises TypeError for bool, floating-point and complex types."""

    __slots__ = ("bits", "dtype", "max", "min")

    def __init__(self, type: DType) -> None:
        if type.category > 1:
            raise TypeError(
                "torch.iinfo() requires an integer input type. Use torch.finfo to handle "
                f"'{type!r}'"
            )
        if type.category == 0:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        limits = np.iinfo(type.np)
        self.bits: int = limits.bits
        self.max: int = int(limits.max)
        self.min: int = int(limits.min)
        self.dtype: str = type.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and other.dtype == self.dtype

    def __hash__(self) -> int:
        return hash(self.dtype)


# The class names of tensors by element type in PyTorch's early days, and still in messages.

#: Those with a constructor of the name.
CONSTRUCTORS: Final[dict[str, DType]] = {
    "FloatTensor": float32, "DoubleTensor": float64, "HalfTensor": float16,
    "BFloat16Tensor": bfloat16, "ByteTensor": uint8, "CharTensor": int8,
    "ShortTensor": int16, "IntTensor": int32, "LongTensor": int64,
    "BoolTensor": bool_,
}  # fmt: skip
NAMES: Final[dict[str, DType]] = CONSTRUCTORS | {
    "ComplexFloatTensor": complex64,
    "ComplexDoubleTensor": complex128,
}
_NAME_OF = {dtype.name: name for name, dtype in NAMES.items()}


def type_name(dtype: str) -> str:
    """The class name of tensors with the element type of that name."""
    return _NAME_OF.get(dtype) or dtype.capitalize() + "Tensor"

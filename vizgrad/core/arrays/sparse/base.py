"""The common part of COO and compressed arrays: they look like arrays, and refuse unsupported operations.

scipy's library of sparse matrices (on a device cupyx's) is imported when it is first needed.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from math import prod
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from vizgrad.core.arrays.backend import namespace_of
from vizgrad.core.arrays.kernels.memory import numbers
from vizgrad.core.arrays.layout import address

Array = Any


def library(array: Array) -> Any:
    """The library of sparse matrices for arrays of this kind."""
    prefix = "" if namespace_of(array) is np else "cupyx."
    return import_module(prefix + "scipy.sparse")


def computed(array: Array) -> tuple[Array, Callable[[Array], Array]]:
    """The array in a type that the library computes in, and the way back: it has no short floats."""
    own = array.dtype
    if own.itemsize >= 4 or own.kind in "iu":
        return array, lambda result: result
    return array.astype(np.float32), lambda result: result.astype(own)


# Sums of rows by number, as products with a sparse matrix.


def sum_rows(values: Array, place: Array, count: int) -> Array:
    """out[place[i]] += values[i], for `count` rows of any shape; equal places add up."""
    rest = values.shape[1:]
    if values.dtype.kind == "b":
        return sum_rows(values.astype(np.int64), place, count) != 0
    flat, back = computed(values.reshape(values.shape[0], prod(rest)))
    ones = np.ones_like(flat, shape=(values.shape[0],))
    columns = numbers(place, values.shape[0])
    matrix = library(values).coo_matrix((ones, (place, columns)), (count, values.shape[0])).tocsr()
    return back(matrix @ flat).reshape(count, *rest)


class SparseUnsupported(NotImplementedError):
    """An operation that sparse arrays of this layout do not have."""

    def __init__(self, name: str, layout: str) -> None:
        backend = {"strided": "CPU", "sparse_coo": "SparseCPU"}.get(layout, "SparseCsrCPU")
        instead = "Call .to_dense() first, or work on .values()."
        if layout == "strided":
            instead = "Call .to_sparse() first."
        super().__init__(
            f"Could not run 'aten::{name}' with arguments from the '{backend}' backend: `{name}` is not "
            f"supported for tensors of layout {layout}. {instead}"
        )
        self.layout = layout


#: "ufunc" and "function" -> the handler of numpy calls with sparse arrays. The files that hold the rules
#: enter their handlers; importing the package imports them.
HANDLERS: dict[str, Callable[..., Any]] = {}


class _Flags:
    """The counterpart of `ndarray.flags`, for code that asks before copying or writing."""

    c_contiguous = True
    f_contiguous = False
    writeable = True


class SparseArray:
    """An array of `shape` that stores `values`, elements or blocks of them; all others are zero.

    A subclass says where the values are. It can be replaced as a whole (``a[...] = b``): that is how
    tensors are written in place.
    """

    __slots__ = ("shape", "values")

    layout: str
    #: Never None: its parts may be memory with another owner, so no code may keep it without a copy.
    base = ()
    flags = _Flags()

    values: Array
    shape: tuple[int, ...]

    if TYPE_CHECKING:  # given below

        def __add__(self, other: Any) -> Any: ...
        def __mul__(self, other: Any) -> Any: ...

    # --- what it looks like ---------------------------------------------------------------------

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.values.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Zeros, as PyTorch has it: there is no step from one element to the next."""
        return (0,) * len(self.shape)

    @property
    def data(self) -> Any:
        """Its values' memory: what tells two of them apart."""
        return _Memory(self.values)

    @property
    def nbytes(self) -> int:
        return sum(int(part.nbytes) for part in self.parts())

    @property
    def nnz(self) -> int:
        """How many values are stored, equal places counted each."""
        return self.values.shape[0]

    def __len__(self) -> int:
        return self.shape[0]

    # --- for subclasses ---------------------------------------------------------------------------

    def parts(self) -> tuple[Array, ...]:
        """The arrays it consists of, the values last."""
        raise NotImplementedError

    def with_values(self, values: Array, shape: tuple[int, ...] | None = None) -> Self:
        """Other values at the same places."""
        raise NotImplementedError

    def as_coo(self) -> Any:
        """The same array as COO."""
        raise NotImplementedError

    def dense(self) -> Array:
        """All elements."""
        raise NotImplementedError

    def mapped(self, function: Callable[[Array], Array]) -> Self:
        """The same with every part replaced (moved to a device, copied)."""
        raise NotImplementedError

    def assign(self, other: Any) -> None:
        """Becomes `other`, which has the same layout and shape."""
        raise NotImplementedError

    def dot(self, other: Any) -> Array:
        return np.matmul(self, other)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Array:
        return np.add.reduce(self, axis=axis, keepdims=keepdims)

    # --- copies -------------------------------------------------------------------------------------

    def copy(self, order: str = "C") -> Self:
        return self.mapped(lambda part: part.copy())

    def astype(self, dtype: Any, order: str = "K", copy: bool = True) -> Self:
        if not copy and self.dtype == dtype:
            return self
        return self.with_values(self.values.astype(dtype))

    def __setitem__(self, key: Any, value: Any) -> None:
        if key is not Ellipsis:
            raise TypeError(
                "Cannot assign to a sparse tensor: its places are not memory of their own"
            )
        if not isinstance(value, SparseArray) and not np.ndim(value):
            if value != 0:
                raise SparseUnsupported("fill_", self.layout)
            value = np.zeros_like(self)
        if getattr(value, "layout", "strided") != self.layout:
            raise RuntimeError(
                f"copy_() between dense and sparse Tensors is not implemented! Found self: {self.layout}, "
                f"src: {getattr(value, 'layout', 'strided')}"
            )
        self.assign(value.astype(self.dtype, copy=False))

    def __getitem__(self, key: Any) -> Any:
        if key is Ellipsis:
            return self.with_values(self.values)
        raise SparseUnsupported("index", self.layout)

    # --- numpy --------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return HANDLERS["ufunc"](self.layout, ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return HANDLERS["function"](self.layout, function, args, options)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(
            f"can't convert a tensor of layout {self.layout} to numpy. Use Tensor.to_dense() first."
        )

    def __getattr__(self, name: str) -> Any:
        """Only for what is not there: an array's attribute that sparse ones do not have."""
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(name, name=name, obj=self)
        raise SparseUnsupported(name, self.layout)

    def __bool__(self) -> bool:
        raise SparseUnsupported("bool", self.layout)

    def __iter__(self) -> Any:
        raise SparseUnsupported("unbind", self.layout)

    __hash__ = object.__hash__


class _Memory:
    """Where values lie; see `vizgrad.core.arrays.layout.address`."""

    def __init__(self, values: Array) -> None:
        self.ptr = address(values)


def _binary(ufunc: Any) -> tuple[Any, Any, Any]:
    def forward(self: Any, other: Any) -> Any:
        return ufunc(self, other)

    def backward(self: Any, other: Any) -> Any:
        return ufunc(other, self)

    def in_place(self: Any, other: Any) -> Any:
        self[...] = ufunc(self, other)
        return self

    return forward, backward, in_place


for _name, _ufunc in {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide,
    "floordiv": np.floor_divide, "mod": np.remainder, "pow": np.power, "matmul": np.matmul,
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
}.items():  # fmt: skip
    _forward, _backward, _in_place = _binary(_ufunc)
    setattr(SparseArray, f"__{_name}__", _forward)
    setattr(SparseArray, f"__r{_name}__", _backward)
    setattr(SparseArray, f"__i{_name}__", _in_place)
for _name, _ufunc in {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal,
}.items():  # fmt: skip
    setattr(SparseArray, f"__{_name}__", _binary(_ufunc)[0])
for _name, _ufunc in {"neg": np.negative, "abs": np.absolute, "invert": np.invert}.items():
    setattr(SparseArray, f"__{_name}__", lambda self, _ufunc=_ufunc: _ufunc(self))


def is_sparse(array: object) -> bool:
    return isinstance(array, SparseArray)


def stored(array: Array) -> Array:
    """The values of a sparse array; a dense one as it is."""
    return array.values if isinstance(array, SparseArray) else array


def dense(array: Array) -> Array:
    """All elements of a sparse array; a dense one as it is."""
    return array.dense() if isinstance(array, SparseArray) else array

"""The array of a tensor that stands for others: a shape and a type, without elements."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NoReturn

from vizgrad.core.arrays import layout, xp
from vizgrad.core.arrays.sparse.base import SparseArray, stored
from vizgrad.core.function.transform_tensor import Wrapped, wrap
from vizgrad.core.tensor.state import wrong_call

if TYPE_CHECKING:
    from vizgrad.core.tensor.tensor import Tensor


#: Functions of numpy's that look at the shape and type alone.
_MAKERS = frozenset({"zeros_like", "ones_like", "empty_like", "full_like"})


class Elementless:
    """The common part of stand-ins for dense and for sparse arrays."""

    __slots__ = ()

    __array_priority__ = 10000

    if TYPE_CHECKING:
        _owner: Wrapped
        shape: tuple[int, ...]
        dtype: Any
        strides: Any

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return prod(self.shape)

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def flags(self) -> _Flags:
        return _Flags(self.size == 0 or _in_c_order(self.shape, self.strides, self.itemsize))

    @property
    def values(self) -> Any:
        """Where it lies: an array without elements, on the device of those that it stands for."""
        owner: Any = self._owner
        while isinstance(owner, Wrapped):
            owner = owner.value
        array = stored(owner._array)
        return array[:0] if array.ndim else array

    def as_tensor(self) -> Tensor:
        """A tensor over the same elements, without history."""
        owner = self._owner
        if vars(owner).get("new"):  # made for this
            return owner
        return wrap(owner.level, owner.value.detach(), owner)

    def _refuse(self, wanted: str) -> NoReturn:
        raise self._owner.level.unreadable(self._owner, wanted)

    def __getattr__(self, name: str) -> Any:
        # what arrays of numpy do not have either is asked for to tell them from others
        if name.startswith("__") or name in ("layout", "mapped", "get"):
            raise AttributeError(name)
        self._refuse(name)

    def __array__(self, *_: Any, **__: Any) -> Any:
        self._refuse("numpy")

    def __array_ufunc__(self, *_: Any, **__: Any) -> Any:
        self._refuse(_[0].__name__)

    def __array_function__(self, function: Any, _: Any, args: Any, kwargs: Any) -> Any:
        name = function.__name__
        if name == "arange":  # of a place beside this one
            return function(*args, **kwargs)
        if args and args[0] is self:
            if name in _MAKERS:
                return self._made(function, args[1:], kwargs)
            if name == "reshape" and kwargs.get("copy") is False:  # can it be a view?
                plan = layout.restrided(xp.empty(1, self.dtype), self.shape, self.strides)
                return function(plan, *args[1:], **kwargs)
        return self._refuse(name)

    def _made(self, function: Any, args: Any, kwargs: dict[str, Any]) -> StandIn:
        shape = kwargs.pop("shape", None)
        shape = (
            self.shape if shape is None else (shape,) if isinstance(shape, int) else tuple(shape)
        )
        level = self._owner.level
        owner: Any = level.made(
            self._owner, lambda array, shape: function(array, *args, **kwargs, shape=shape), shape
        )
        return level.stand_in(owner)

    def __getitem__(self, key: Any) -> Any:
        self._refuse("[]")

    def __setitem__(self, key: Any, value: Any) -> None:
        if not vars(self._owner).get("new") or key is not Ellipsis or isinstance(value, StandIn):
            self._refuse("[] =")
        owner: Any = self._owner
        while isinstance(owner, Wrapped):
            owner = owner.value
        owner._array[...] = value

    def __bool__(self) -> bool:
        return self._refuse("bool()")

    def __index__(self) -> int:
        return self._refuse("int()")

    def __iter__(self) -> Any:
        self._refuse("iter()")

    def __len__(self) -> int:
        return self.shape[0]

    def __eq__(self, other: object) -> Any:
        self._refuse("==")

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class StandIn(Elementless):
    """Shape and type of an array whose elements nobody may look at."""

    __slots__ = ("_owner", "dtype", "shape", "strides")

    def __init__(
        self, owner: Wrapped, shape: tuple[int, ...], strides: tuple[int, ...], dtype: Any
    ) -> None:
        self._owner = owner
        self.shape = shape
        self.strides = strides
        self.dtype = dtype


class SparseStandIn(Elementless, SparseArray):  # pyright: ignore[reportIncompatibleMethodOverride]
    """The same of a sparse array."""

    __slots__ = ("_dtype", "_owner", "layout")

    def __init__(self, owner: Wrapped, shape: tuple[int, ...], dtype: Any, layout: str) -> None:
        self._owner = owner
        self.shape = shape
        self._dtype = dtype
        self.layout = layout

    @property
    def dtype(self) -> Any:
        return self._dtype

    def _unknown(self, name: str) -> NoReturn:
        raise wrong_call(
            RuntimeError(
                f"Batching rule not implemented for aten::{name}: where values are stored differs between "
                "examples."
            ),
            "call .to_dense() first, or do it outside of vmap",
        )

    @property
    def coalesced(self) -> bool:
        self._unknown("is_coalesced")

    @property
    def nnz(self) -> int:
        self._unknown("_nnz")

    @property
    def indices(self) -> Any:
        self._unknown("indices")

    def parts(self) -> Any:
        self._unknown("_values")


class _Flags:
    writeable = owndata = aligned = True

    def __init__(self, c_contiguous: bool) -> None:
        self.c_contiguous = c_contiguous
        self.f_contiguous = False


def _in_c_order(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    step = itemsize
    for n, stride in zip(reversed(shape), reversed(strides), strict=True):
        if n != 1 and stride != step:
            return False
        step *= n
    return True

"""Tensors of numbers that are given: nested lists, arrays, other tensors, buffers (spec T-7, T-30)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dlpack, dtypes, layout, xp
from vizgrad.core.arrays.backend import (
    check_type,
    device_of,
    is_array,
    is_on_device,
    parse_device,
    to_device,
)
from vizgrad.core.arrays.dtypes import DType
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.arrays.layout import shaped
from vizgrad.core.function.transform_tensor import Wrapped, like_batch
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import (
    check_dtype,
    check_number,
    element,
    is_number,
    number_of,
    takes_tensors,
)
from vizgrad.core.ops.public.creation import (
    _np_dtype,
    empty,
    empty_strided,
    full,
    made,
    nothing_in,
    ones,
    only_memory,
    zeros,
)
from vizgrad.core.ops.shape import clone
from vizgrad.core.tensor.in_memory import check_format, memory_format, preserve_format
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor

#: The usual items of nested lists: they need no further check.
_NUMBERS = frozenset({float, int, bool, complex})
#: Values that offer no memory.
_PLAIN = _NUMBERS | {list, tuple}


def _is_nest(values: Any) -> bool:
    """Is it a list, or any other sequence (a deque, a class of one's own with a length and items)?"""
    kind = type(values)
    if kind is list or kind is tuple:
        return True
    if kind in _NUMBERS:
        return False
    return isinstance(values, (list, tuple)) or (
        hasattr(kind, "__getitem__")
        and hasattr(kind, "__len__")
        and not hasattr(kind, "keys")
        and not isinstance(values, (str, bytes, Tensor, xp.generic))
        and not is_array(values)
    )


def _infer(values: Any) -> DType | None:
    """The type nested values ask for: the highest category wins; None when there are none."""
    if _is_nest(values):
        found: DType | None = None
        for value in values:
            inner = dtypes.of_scalar(value) if value.__class__ in _NUMBERS else _infer(value)
            if inner is not None and inner is not found:
                found = inner if found is None else dtypes.promote_types(found, inner)
        return found
    if isinstance(values, Tensor):
        return values.dtype
    if isinstance(values, xp.generic) or is_array(values):
        return dtypes.from_numpy(values.dtype)
    own = dtypes.of_scalar(values)
    if own is None:
        if isinstance(values, (str, bytes)):
            raise TypeError(f"new(): invalid data type '{type(values).__name__}': {values!r}")
        raise RuntimeError(f"Could not infer dtype of {type(values).__name__}")
    return own


def _plain(values: Any, kind: str) -> Any:
    """Nested lists as numbers, for an array of `kind`: what is a tensor in them must be one number."""
    if _is_nest(values):
        return [v if v.__class__ in _NUMBERS else _plain(v, kind) for v in values]
    if isinstance(values, Tensor):
        if values._array.size != 1:
            raise _not_a_number(values, kind)
        return values._array.item()
    return values


def _not_a_number(tensor: Tensor, kind: str) -> Exception:
    cls, what = ValueError, "only one element tensors can be converted to Python scalars"
    if kind in "iub":
        cls = TypeError
        what = "only integer tensors of a single element can be converted to an index"
    return wrong_call(
        cls(f"{what}; this one has shape {list(tensor._array.shape)}"),
        "use stack() for a list of tensors",
    )


def _check_lengths(values: Any, depth: int = 0) -> None:
    if not _is_nest(values) or not len(values):
        return
    first = _len(values[0])
    for value in values:
        if _len(value) != first:
            raise ValueError(
                f"expected sequence of length {first} at dim {depth + 1} (got {_len(value)})"
            )
        _check_lengths(value, depth + 1)


def _len(value: Any) -> int | None:
    return len(value) if _is_nest(value) else None


def _odd_one(values: Any) -> Any:
    """The first thing that is no number."""
    if not _is_nest(values):
        return values
    found = (_odd_one(v) for v in values)
    return next((v for v in found if dtypes.of_scalar(v) is None), values)


# A number too large for its type is inf.
_new_array = quiet(xp.array)
_converted = quiet(lambda array, dtype, copy: array.astype(dtype, copy=copy))


def _truth_of_no_number(data: Any, dtype: DType) -> bool:
    return dtype is dtypes.bool_ and not is_number(data)


def _of_another_library(data: Any) -> Any:
    """Its array, over the same memory, where it offers one; else the same object."""
    array = dlpack.shared(data)
    return data if array is None else array


def _array_of(data: Any, dtype: DType | None, copy: bool) -> Any:
    if isinstance(data, Tensor):
        data = data._array
    elif not (data.__class__ in _PLAIN or is_array(data)):
        data = _of_another_library(data)
    if is_array(data):
        wanted = dtypes.from_numpy(data.dtype) if dtype is None else dtype
        if copy or data.dtype != wanted.np:
            return _converted(data, wanted.np, copy=copy)
        return dtypes.canonical(data)
    if (
        dtype is not None
        and not _is_nest(data)
        and (data is None or _truth_of_no_number(data, dtype))
    ):
        raise TypeError(f"must be real number, not {type(data).__name__}")
    if dtype is None or _is_nest(data):
        found = _infer(data)
        if dtype is None:
            dtype = found or dtypes.get_default_dtype()
    values = _plain(data, dtype.np.kind)
    try:
        return _new_array(_elements(values, dtype.np), dtype.np)
    except (ValueError, TypeError):
        _check_lengths(data)
        wrong = type(_odd_one(data)).__name__
        raise TypeError(f"must be real number, not {wrong}") from None


def _elements(values: Any, dtype: Any) -> Any:
    """Nested numbers as they are written into an integer type (`element`); numpy would cut some silently."""
    if dtype.kind not in "iu":
        return values
    if _is_nest(values):
        return [_elements(v, dtype) for v in values]
    return element(values, dtype) if isinstance(values, (int, float)) else values


@public
def tensor(
    data: Any,
    *,
    dtype: DType | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A leaf with a copy of `data`: a number, nested sequences of numbers, an array or a tensor.

    The type is that of the data: int64, bool, the default float type, or the array's own.
    """
    # T-7
    if data.__class__ is Wrapped:
        copied = data.detach().clone()
        return copied if dtype is None else copied.to(dtype)
    array = _array_of(data, check_dtype("tensor", dtype), copy=True)
    if array.base is not None:
        array = array.copy()
    return made(to_device(array, parse_device(device)), requires_grad)


@public
def as_tensor(data: Any, *, dtype: DType | None = None, device: Any = None) -> Tensor:
    """`data` as a tensor, without a copy where that is possible: a tensor is returned as it is."""
    if isinstance(data, Tensor):
        return data.to(device=device, dtype=dtype)
    array = _array_of(data, check_dtype("as_tensor", dtype), copy=False)
    return made(to_device(array, parse_device(device)))


@public
def asarray(
    obj: Any, *, dtype: DType | None = None, device: Any = None, copy: bool | None = None,
    requires_grad: bool | None = None,
) -> Tensor:  # fmt: skip
    """`obj` as a tensor: of its memory where that is possible, with `copy` never, with copy=False always.

    An array of another library stays on its device, where none is named. A tensor's history is kept unless
    `requires_grad` is False. ValueError where copy=False cannot be.
    """
    if isinstance(obj, Tensor):
        return _tensor_again(obj, check_dtype("asarray", dtype), device, copy, requires_grad)
    if obj.__class__ not in _PLAIN and not is_array(obj):
        obj = _of_another_library(obj)
    if device is None and is_array(obj):
        device = device_of(obj)
    array = to_device(
        _array_of(obj, check_dtype("asarray", dtype), copy=False), parse_device(device)
    )
    if copy or (copy is False and not _shares(array, obj)):
        if copy is False:
            raise ValueError(
                f"asarray(): can't alias {type(obj).__name__} into a tensor of {array.dtype.name} without a "
                "copy: leave copy=None"
            )
        array = array.copy()
    return made(array, bool(requires_grad))


def _shares(array: Any, obj: Any) -> bool:
    # nothing has no place to tell it by
    same = is_array(obj) and array.dtype == obj.dtype
    return same and (not array.size or xp.may_share_memory(array, obj))


def _tensor_again(
    tensor: Tensor, dtype: Any, device: Any, copy: bool | None, requires_grad: bool | None
) -> Tensor:
    inherits = tensor.requires_grad and requires_grad is not False
    if inherits and dtype is not None and dtype.category < 2:
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients: give "
            f"requires_grad=False to have the values as {dtype.name}"
        )
    out = tensor.to(device=device, dtype=dtype)
    if out is not tensor and copy is False:
        raise ValueError(
            f"asarray(): can't alias tensor with dtype {tensor.dtype.name} on {tensor.device} into "
            f"{dtype or tensor.dtype} on {device or tensor.device}: leave copy=None"
        )
    if out is tensor and copy:
        out = tensor.clone()
    if requires_grad is False and out.requires_grad:
        return out.detach()
    return out.wanting_grad() if requires_grad else out


@public
def from_numpy(ndarray: Any) -> Tensor:
    """A tensor that shares the array's memory."""
    if not isinstance(ndarray, xp.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    return new_tensor(dtypes.canonical(ndarray))


@public
@takes_tensors
def frombuffer(
    buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """A tensor over the memory of an object with the buffer protocol, from byte `offset` on."""
    if dtype is None:
        raise TypeError("frombuffer(): argument 'dtype' must be vizgrad.dtype, not NoneType")
    found = _np_dtype("frombuffer", dtype)
    try:
        length = memoryview(buffer).nbytes
    except TypeError as error:
        raise ValueError(f"object does not implement Python buffer protocol: {error}") from None
    if not length or not count:
        raise ValueError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ValueError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length "
            f"({length} bytes) minus 1"
        )
    return made(xp.frombuffer(buffer, found, count, offset), requires_grad)


# Tensors of the shape, type or device of another (spec T-30).


def _like(name: str, value: Any) -> Any:
    def function(
        input: Tensor,
        *,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
        **_: Any,
    ) -> Tensor:
        form = check_format(name, _.pop("memory_format", None))
        layout = _.pop("layout", None) if value != 1 else None
        if _:
            only_memory(name, **_)
        array = input._array
        # None goes in only where it is asked for
        wanted = array.dtype if dtype is None else check_dtype(name, dtype).np  # pyright: ignore[reportOptionalMemberAccess]
        out = memory_like(array, wanted, form)
        if value is not None:
            out[...] = value
        if device is not None:
            out = to_device(out, parse_device(device))
        return (
            made(out, requires_grad)
            if layout is None
            else nothing_in(name, layout, out, requires_grad)
        )

    function.__name__ = function.__qualname__ = name
    return takes_tensors(function)


def memory_like(array: Any, dtype: Any, form: memory_format | None = None) -> Any:
    """Uninitialised memory in the order `form`, or of the strides of `array`."""
    if type(array) is not xp.ndarray and is_on_device(array):
        check_type(xp.dtype(dtype))
    if form is not None and form is not preserve_format:
        return form.empty(array.shape, shaped(xp.empty_like, array, dtype=dtype, shape=()))
    if array.flags.c_contiguous:
        return xp.empty_like(array, dtype=dtype, order="C")
    order = "C" if layout.overlaps_itself(array) else "K"
    return xp.empty_like(array, dtype=dtype, order=order)


zeros_like = public(_like("zeros_like", 0))


ones_like = public(_like("ones_like", 1))


empty_like = public(_like("empty_like", None))


zeros_like.__doc__ = "Zeros of the shape and type of `input`."


ones_like.__doc__ = "Ones of the shape and type of `input`."


empty_like.__doc__ = "Memory of the shape and type of `input`, with whatever is in it."


@public
@takes_tensors
def full_like(
    input: Tensor,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    **_: Any,
) -> Tensor:
    """One number everywhere, in the shape and type of `input`."""
    form = _.pop("memory_format", None)
    if _:
        only_memory("full_like", **_)
    out = empty_like(input, dtype=dtype, device=device, memory_format=form)
    value = number_of(fill_value)
    check_number("full_like", "fill_value", value)
    out._array[...] = element(value, out._array.dtype)
    return made(out._array, requires_grad) if requires_grad else out


@method(name="new_tensor")
def new_tensor_method(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`tensor(data)` of the type of `self`."""
    return tensor(
        data, dtype=dtype or self.dtype, device=device or self.device, requires_grad=requires_grad
    )


def _for_each_example(made: Tensor, like: Tensor) -> Tensor:
    """Memory of its own for each example of which `like` is one: so what differs can be written to it."""
    own = clone.record(like_batch(made, like))
    return own.wanting_grad() if made.requires_grad else own


#: The parameters of functions that make tensors, which methods lack.
_NOT_OF_NEW = {"memory_format", "out"}


def _new(factory: Any, name: str) -> Any:
    def filled(
        self: Tensor, *args: Any, dtype: Any = None, device: Any = None, **options: Any
    ) -> Tensor:
        if options and options.keys() & _NOT_OF_NEW:
            only_memory(name, **options)
        made = factory(*args, dtype=dtype or self.dtype, device=device or self.device, **options)
        return made if self.__class__ is not Wrapped else _for_each_example(made, self)

    filled.__name__ = filled.__qualname__ = name
    filled.__doc__ = f"`{name.removeprefix('new_')}` of the type and on the device of `self`."
    return method(filled)


new_zeros = _new(zeros, "new_zeros")


new_ones = _new(ones, "new_ones")


new_empty = _new(empty, "new_empty")


new_full = _new(full, "new_full")


@method
def new_empty_strided(
    self: Tensor, size: Any, stride: Any, *, dtype: Any = None, layout: Any = None, device: Any = None,
    requires_grad: bool = False, pin_memory: bool | None = None,
) -> Tensor:  # fmt: skip
    """`empty_strided` of the type and on the device of this tensor."""
    made = empty_strided(
        size, stride, dtype=dtype or self.dtype, layout=layout, device=device or self.device,
        requires_grad=requires_grad, pin_memory=pin_memory,
    )  # fmt: skip
    return made if self.__class__ is not Wrapped else _for_each_example(made, self)

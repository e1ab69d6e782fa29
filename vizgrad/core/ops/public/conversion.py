"""Other types, other devices, numpy, and out of the graph (spec T-13, T-32, V-55)."""

from __future__ import annotations

import builtins
from typing import Annotated, Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import Device, device_of, parse_device, placed, to_host
from vizgrad.core.arrays.dtypes import NAMES, DType, type_name
from vizgrad.core.arrays.layout import can_sum_to
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.errors import explained
from vizgrad.core.function.failing import broadcast_error
from vizgrad.core.function.inplace import write
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.function.typing import WrappedNumber, result_dtype
from vizgrad.core.ops import copying, shape
from vizgrad.core.ops.forms import method, public
from vizgrad.core.ops.public.arguments import check_number, element, own_number, takes_tensors
from vizgrad.core.tensor import in_memory
from vizgrad.core.tensor.modes import MODES
from vizgrad.core.tensor.requirements import ZeroDim, not_a_tensor
from vizgrad.core.tensor.source_location import caller
from vizgrad.core.tensor.storage import LooseInferenceStorage, tick
from vizgrad.core.tensor.tensor import RESULT, UNTRACKED, Tensor, new_tensor, rare_of, storage_of

_ndarray = xp.ndarray
_PYTHON_TYPES: dict[Any, DType] = {
    builtins.float: dtypes.float64,
    builtins.int: dtypes.int64,
    builtins.bool: dtypes.bool_,
}


def _by_name(
    dtype: Any = None, device: Any = None, non_blocking: Any = False, copy: Any = False,
    memory_format: Any = None,
) -> tuple[Any, Any, Any, Any]:  # fmt: skip
    return dtype, device, copy, in_memory.check_format("to", memory_format)


@method
def to(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """`to(dtype)`, `to(device)`, `to(device, dtype)` or `to(other)`; `self` if nothing changes.

    Keywords: `dtype`, `device`, `copy`, `memory_format`; `non_blocking` is accepted.
    """
    dtype = device = form = None
    copy = False
    if kwargs:
        dtype, device, copy, form = _by_name(**kwargs)
    elif len(args) == 1 and isinstance(args[0], DType):
        return copying.converted(self, args[0].np)
    given, flags = list(args), []
    while len(given) > 1 and isinstance(given[-1], builtins.bool):
        flags.insert(0, given.pop())
    first, second = (*given, None, None)[:2]
    asked: DType | None = _dtype_of(second)
    if isinstance(first, Tensor) and kwargs.keys().isdisjoint(("dtype", "device")):
        dtype, device = first.dtype, first.device
        most = 1
    elif _dtype_of(first) is not None and kwargs.keys().isdisjoint(("dtype", "device")):
        dtype = _dtype_of(first)
        most = 1
    else:
        device, dtype = (device if first is None else first), (dtype if asked is None else asked)
        # flags stand behind the dtype
        most = 0 if (second is not None and asked is None) or (flags and len(given) < 2) else 2
    if len(given) > most or len(flags) > 2 or not _is_device(device):
        names = ", ".join(a.__class__.__name__ for a in args)
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({names}): give a dtype, a device and "
            "a dtype, or another tensor"
        )
    if len(flags) > 1:
        copy = flags[1]
    return _moved(self, device, dtype, copy, form)


def _is_device(value: Any) -> builtins.bool:
    number = isinstance(value, builtins.int) and not isinstance(value, builtins.bool)
    return value is None or number or isinstance(value, (str, Device))


def _dtype_of(value: Any) -> DType | None:
    """The type that is asked for, if one is: also by one of Python's."""
    if isinstance(value, DType):
        return value
    return _PYTHON_TYPES.get(value) if isinstance(value, builtins.type) else None


def _moved(self: Tensor, device: Any, dtype: Any, copy: Any, form: Any) -> Tensor:
    result = self
    if device is not None:
        here, there = device_of(self._array), placed(parse_device(device))
        if here is not there and here != there:
            result = copying.to_device.record(result, device=there, source=here)
    if form is not None:
        kind = result._array.dtype if dtype is None else dtype.np
        copied = kind != result._array.dtype
        if not (form.describes if copied else form.suits)(result._array):
            result = copying.without_history(result, kind)
            return copying.to_copy_in.record(result, dtype=kind, memory_format=form)
    if dtype is not None:
        result = copying.converted(result, dtype.np)
    return (
        copying.to_copy.record(self, dtype=self._array.dtype) if copy and result is self else result
    )


def _converter(name: str, dtype: DType) -> Any:
    def convert(self: Tensor, memory_format: Any = None) -> Tensor:
        if memory_format is not None:
            return to(self, dtype, memory_format=memory_format)
        target = dtype.np
        return self if self._array.dtype == target else copying.converted(self, target)

    convert.__name__ = convert.__qualname__ = name
    convert.__doc__ = f"`to(vizgrad.{dtype.name})`."
    return method(convert)


float = _converter("float", dtypes.float32)
double = _converter("double", dtypes.float64)
half = _converter("half", dtypes.float16)
bfloat16 = _converter("bfloat16", dtypes.bfloat16)
int = _converter("int", dtypes.int32)
long = _converter("long", dtypes.int64)
short = _converter("short", dtypes.int16)
char = _converter("char", dtypes.int8)
byte = _converter("byte", dtypes.uint8)
bool = _converter("bool", dtypes.bool_)
cfloat = _converter("cfloat", dtypes.complex64)
cdouble = _converter("cdouble", dtypes.complex128)


@method
def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    return to(self, "cpu", memory_format=memory_format)


@method
def cuda(
    self: Tensor, device: Any = None, non_blocking: Any = False, memory_format: Any = None
) -> Tensor:
    return to(self, "cuda" if device is None else device, memory_format=memory_format)


@method
def type(self: Tensor, dtype: Any = None, non_blocking: Any = False) -> Any:
    """Without an argument the name of the tensor's type; else `to(dtype)`, also of "LongTensor"."""
    if dtype is None:
        place = "" if self.device.type == "cpu" else "cuda."
        place += "sparse." if self.is_sparse else ""
        return f"vizgrad.{place}{type_name(self.dtype.name)}"
    if isinstance(dtype, str):
        wanted = dtype.rpartition(".")[2]
        dtype = NAMES.get(wanted)
        if dtype is None:
            raise ValueError(f"invalid type: {wanted!r}")
    if dtype is Tensor:
        return to(self, dtypes.get_default_dtype())
    if hasattr(dtype, "layout"):  # LongTensor stands for int64
        return to(self, dtype.device, dtype.dtype)
    if not isinstance(dtype, DType) and dtype not in _PYTHON_TYPES:
        raise TypeError("dtype must be a type, str, or dtype object")
    return to(self, dtype)


@method
@takes_tensors
def type_as(self: Tensor, other: Tensor) -> Tensor:
    return to(self, other.dtype)


@method
def numpy(self: Tensor, *, force: Any = False) -> Any:
    """The tensor's memory as a numpy array: shared, so writes are seen, but not counted.

    Where grad mode is on, RuntimeError for a tensor that requires grad.
    """
    # V-3, E-97
    array = self._array
    if array.__class__ is _ndarray and not self._tracked and array.dtype not in dtypes.NARROW:
        return array
    if self.__class__ is Wrapped:
        raise self.level.unreadable(self, "numpy()")
    if is_sparse(array):
        raise TypeError(
            f"can't convert {self.layout} layout tensor to numpy. Use Tensor.to_dense() first."
        )
    if force:
        return to_host(self._array)
    if MODES.grad and self.requires_grad:
        raise explained(
            RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() "
                "instead."
            ),
            kind="cut-detach",
            fix="call .detach().numpy(): what numpy does with the values cannot be recorded",
            title="numpy() of a tensor that requires grad",
        )
    if device_of(self._array).type != "cpu":
        raise TypeError(
            f"can't convert {self.device} device type tensor to numpy. Use Tensor.cpu() to copy "
            "the tensor to host memory first."
        )
    if self._array.dtype in dtypes.NARROW:
        raise TypeError(
            f"Got unsupported ScalarType {self.dtype.name}: numpy has no such type; call .float() first"
        )
    return self._array


@public(method=True)
def detach(input: Tensor) -> Tensor:
    """The same memory without history, with the same version counter."""
    # V-55
    if not isinstance(input, Tensor):
        raise not_a_tensor("detach", "input", 1, input)
    out = new_tensor(input._array)
    storage = storage_of(input)
    if MODES.inference is None and input.is_inference():
        storage = LooseInferenceStorage(storage)
    out._storage = storage
    return out


@public(method=True)
@takes_tensors
def detach_(input: Tensor) -> Tensor:
    """Forgets the history, in place; a leaf no longer requires grad. In inference mode it does nothing."""
    if MODES.inference is not None:
        return input
    if input.__class__ is Wrapped:
        vars(input)["value"] = input.detach().value
        return input
    if input._view is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using "
            "DistributedDataParallel ... or "
            "this view is an output of a function that returns multiple views, clone it first."
        )
    if input._edge is not None and input._tracked == RESULT:
        # a node that saved it must look twice (V-24); no version is counted
        rare = rare_of(input)
        rare.detached = storage_of(input).last_write = tick()
        rare.detached_at = caller()
    input._edge = None
    input._tracked = UNTRACKED
    if input._rare is not None:
        input._rare.tangents = None
    return input


@public(method=True)
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy, recorded, in the order of `memory_format`; without one in that of `input` if it is dense."""
    if memory_format is None or memory_format is in_memory.preserve_format:
        return shape.clone.record(input)
    return shape.clone_in.record(
        input, memory_format=in_memory.check_format("clone", memory_format)
    )


@method
def copy_(
    self: Tensor, src: Any = None, non_blocking: builtins.bool = False, *, other: Any = None
) -> Tensor:
    """Writes `src` (or `other`), a tensor or a number, broadcast and converted, into `self`."""
    if other is not None:
        src = other
    if not isinstance(src, Tensor):
        if not isinstance(src, (builtins.int, builtins.float, complex)):
            raise TypeError(
                f"copy_(): argument 'other' (position 1) must be Tensor, not {src.__class__.__name__}"
            )
        src = new_tensor(xp.asarray(src))
    have, want = src._array.shape, self._array.shape
    if have != want and not can_sum_to(want, have):
        raise broadcast_error(want, have) or RuntimeError(
            f"output with shape {list(want)} doesn't match the broadcast shape {list(have)}"
        )
    return write(copying.copy, self, src, name="copy_")


@public(method=True)
@takes_tensors
def fill_(
    input: Tensor,
    value: Annotated[
        Any,
        ZeroDim(
            "fill_ only supports 0-dimension value tensor but got tensor with {ndim} dimensions."
        ),
    ],
) -> Tensor:
    """Writes one number everywhere."""
    if isinstance(value, Tensor):
        return write(copying.fill, input, own_number(input, value), name="fill_")
    check_number("fill_", "value", value)
    value = element(value, input._array.dtype)
    return write(copying.fill_number, input, name="fill_", value=value)


@public(method=True)
def zero_(input: Tensor) -> Tensor:
    """Writes zeros."""
    return write(copying.zero, input, name="zero_")


@public
def is_tensor(obj: Any) -> Any:
    return isinstance(obj, Tensor)


@public
@takes_tensors
def is_floating_point(input: Tensor) -> Any:
    return input.is_floating_point()


@public
@takes_tensors
def is_complex(input: Tensor) -> Any:
    return input.is_complex()


@public
@takes_tensors
def numel(input: Tensor) -> Any:
    return input.numel()


@public
def result_type(tensor: Any, other: Any) -> DType:
    """The type an operation on the two would compute in."""

    def operand(value: Any) -> Tensor:
        if isinstance(value, Tensor):
            return value
        kind = dtypes.of_scalar(value)
        if kind is None:
            raise TypeError(
                f"result_type(): expected Tensors or numbers, got {value.__class__.__name__}"
            )
        return new_tensor(xp.zeros((), kind.np), WrappedNumber)

    return result_dtype((operand(tensor), operand(other)))


@public
def can_cast(from_: DType, to: DType) -> Any:
    """May a result of type `from_` be written into a tensor of type `to`?"""
    for position, (name, each) in enumerate((("from_", from_), ("to", to)), 1):
        if not isinstance(each, DType):
            raise TypeError(
                f"can_cast(): argument '{name}' (position {position}) must be vizgrad.dtype, not "
                f"{each.__class__.__name__}"
            )
    return from_.category <= to.category

"""Bringing operands of different types together, off the fast path (spec T-2 ... T-6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import beside, device_of, is_array, on_device_of
from vizgrad.core.arrays.dtypes import NARROW, DType
from vizgrad.core.arrays.errstate import nameless
from vizgrad.core.arrays.graph_capture import capture
from vizgrad.core.function.transform_tensor import Wrapped
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor, new_tensor

if TYPE_CHECKING:
    from vizgrad.core.function.declared import Declared


class WrappedNumber(Tensor):
    """A Python number as an operand: lowest priority in promotion (T-3), saved as the number."""

    __slots__ = ()

    _is_stand_in = True


_HALF = dtypes.float16.np
_numbers: dict[tuple[float, Any], WrappedNumber] = {}
_NUMBERS_KEPT = 4096


def number(value: Any, beside: Any) -> Any:
    """`value` as a 0-dim tensor to stand beside `beside`, of its type where the category allows.

    An array next to a cached 0-dim array costs half of what it costs next to a Python float.
    """
    try:
        array = beside._array
    except AttributeError:
        return value
    dtype = array.dtype
    if type(array) is not xp.ndarray and not isinstance(beside, Wrapped):
        return _number_on_device(value, array)
    if (dtype.kind == "f" and not isinstance(value, complex)) or (
        dtype.kind == "i" and value.__class__ is int
    ):
        key: tuple[Any, Any] = (value, dtype)
        known = _numbers.get(key)
        if known is not None:
            return known
        # a factor or divisor of halves keeps its digits: `core/function/bfloat16.py`
        made = _wrap(value, dtypes.float32.np if dtype is _HALF else dtype)
        # 0.0 and -0.0 are one key, and no NaN is ever found again
        if value and value == value and len(_numbers) < _NUMBERS_KEPT:
            _numbers[key] = made
        return made
    if isinstance(value, xp.generic):
        return number(value.item(), beside)
    return _wrap(value, _type_beside(value, dtype))


def _type_beside(value: Any, dtype: Any) -> Any:
    """The type of a number of another category than elements of `dtype` are: as exact as those."""
    if dtype.kind == "c" and isinstance(value, (float, complex)):
        return dtype if isinstance(value, complex) else xp.finfo(dtype).dtype
    if dtype.kind == "f" and dtype.itemsize == 8 and isinstance(value, complex):
        return dtypes.complex128.np
    own = dtypes.of_scalar(value)
    assert own is not None
    return own.np


def _wrap(value: Any, dtype: Any) -> WrappedNumber:
    if dtype.kind in "iu" and isinstance(value, int) and not isinstance(value, bool):
        info = xp.iinfo(dtype)
        if not info.min <= value <= info.max:
            if dtype.itemsize == 8:
                raise wrong_call(
                    RuntimeError(f"value cannot be converted to type {dtype} without overflow"),
                    "convert the tensor to a floating type first",
                )
            dtype = xp.dtype("int64")
    with xp.errstate(over="ignore"):
        made = cast("WrappedNumber", new_tensor(xp.asarray(value, dtype), WrappedNumber))
    made._storage = None  # a number is no inference tensor, wherever it was first met
    return made


_device_numbers: dict[tuple[Any, ...], WrappedNumber] = {}


def _number_on_device(value: Any, array: Any) -> WrappedNumber:
    """`number` beside an array of a device: kept there, so that it is copied to it once."""
    own = dtypes.of_scalar(value)
    assert own is not None
    of_array = dtypes.from_numpy(array.dtype)
    keeps = own.category <= of_array.category and array.dtype not in NARROW
    dtype = array.dtype if keeps else _type_beside(value, array.dtype)
    if dtype is _HALF:
        dtype = dtypes.float32.np  # as beside an array of the host
    key = (value, type(value), dtype, device_of(array))
    made = _device_numbers.get(key)
    if made is None:
        made = _wrap(value, dtype)
        with on_device_of(array):
            made._array = beside(array, made._array)
        if capture() is not None:  # of memory that the graph keeps
            return made
        if value and value == value and len(_device_numbers) < _NUMBERS_KEPT:
            _device_numbers[key] = made
    return made


def coerce(op: Declared, *operands: Any) -> tuple[Any, ...]:
    """Operands as Tensors; TypeError for what is neither Tensor nor number, or a number out of place."""
    tensors = [o for o in operands if isinstance(o, Tensor)]
    if not tensors or (op.numbers == "none" and len(tensors) < len(operands)):
        raise type_error(op, *operands)
    if op.numbers == "second" and not isinstance(operands[0], Tensor):
        raise type_error(op, *operands)
    out: list[Any] = []
    for operand in operands:
        if isinstance(operand, Tensor):
            out.append(operand)
        elif isinstance(operand, xp.generic):
            out.append(number(operand.item(), tensors[0]))
        elif (own := dtypes.of_scalar(operand)) is not None:
            if own.category:  # a bool is one beside anything
                out.append(number(operand, tensors[0]))
            else:
                out.append(_wrap(operand, own.np))
        elif is_array(operand):
            out.append(new_tensor(operand))
        else:
            raise type_error(op, *operands)
    return tuple(out)


def refuse_complex(op: Declared, array: Any) -> NotImplementedError:
    """The error for complex numbers, which have no order."""
    return wrong_call(
        NotImplementedError(
            f'"{op.name}" not implemented for {dtypes.from_numpy(array.dtype).name}: it is defined for '
            "real numbers only"
        ),
        "take .abs(), .real or .imag",
        "cut-dtype",
    )


def refuse_integers(op: Declared, array: Any) -> NotImplementedError:
    """The error for integers and bools."""
    return wrong_call(
        NotImplementedError(
            f'"{op.name}" not implemented for {dtypes.from_numpy(array.dtype).name}: its results are '
            "fractions"
        ),
        "convert the tensor with .float()",
        "cut-dtype",
    )


def type_error(op: Declared, *operands: Any) -> TypeError:
    """The error of PyTorch's binding for operands that are no tensors."""
    for name, operand in zip(op.inputs, operands, strict=False):
        if not isinstance(operand, Tensor):
            return wrong_call(
                TypeError(
                    f"{op.name}(): argument '{name}' must be Tensor, not {type(operand).__name__}"
                ),
                "make a Tensor of it: `vizgrad.tensor(...)`",
            )
    return wrong_call(
        TypeError(f"{op.name}(): unsupported operands"), "give it Tensors and numbers"
    )


def result_dtype(tensors: tuple[Tensor, ...], as_float: bool = False) -> DType:
    """The type an elementwise operation computes in."""
    groups: tuple[list[DType], list[DType], list[DType]] = ([], [], [])
    for t in tensors:
        which = 2 if isinstance(t, WrappedNumber) else 1 if t.dim() == 0 else 0
        groups[which].append(t.dtype)
    dtype = dtypes.result_type(*groups)
    return dtypes.to_float(dtype) if as_float else dtype


_NO_BOOLS = {"sub", "sub_scaled", "rsub"}


def refuse_bools(op: Declared, operands: tuple[Any, ...]) -> None:
    """RuntimeError for a difference of which an operand is bool."""
    if op.name in _NO_BOOLS and any(t._array.dtype.kind == "b" for t in operands):
        raise wrong_call(
            RuntimeError(
                "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                "invert a mask, use the `~` or `logical_not()` operator instead."
            ),
            "convert the bool tensor with .to(dtype)",
            "cut-dtype",
        )


@nameless  # numbers may be beyond the type: they are infinite in it
def arrays_for(op: Declared, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The operands' arrays in the type the operation computes in; RuntimeError if types must agree."""
    if op.typing == "same":
        found = [t.dtype for t in operands]
        raise wrong_call(
            RuntimeError(
                f"expected all operands of {op.name} to have the same dtype, but got: "
                + " and ".join(d.name for d in found)
            ),
            "convert one with .to(dtype)",
        )
    refuse_bools(op, operands)
    dtype = result_dtype(operands, op.typing == "float").np
    return tuple(t._array.astype(dtype, copy=False) for t in operands)

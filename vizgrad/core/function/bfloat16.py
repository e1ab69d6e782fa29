"""Operations on bfloat16: computed in float32, the result rounded once, as on a processor without it (X-11).

Compiled functions call these only where a narrow type is among the operands, and hold the question only
once a program has used such a type. Products and quotients of float16 with one number come here, too: the
number is not rounded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vizgrad.core.arrays import dtypes, xp
from vizgrad.core.arrays.backend import as_array
from vizgrad.core.arrays.dtypes import NARROW, DType, from_numpy
from vizgrad.core.arrays.sparse import is_sparse
from vizgrad.core.function.typing import arrays_for, refuse_bools, result_dtype
from vizgrad.core.tensor.state import wrong_call

if TYPE_CHECKING:
    from vizgrad.core.function.declared import Declared

_WIDE = dtypes.float32.np

#: Where a second operand of one element keeps its digits, and the result is rounded once.
BY_NUMBER = frozenset({"mul", "div", "div_rounded", "floor_divide", "floor_divide_number"})

#: Where every step is rounded to the type itself, or the result is the next of its numbers.
_BY_STEPS = frozenset({"nextafter", "div_rounded", "floor_divide", "floor_divide_number"})

#: Where, beside parameters in float32, all results but the first (means, variances) stay in float32.
_WITH_STATISTICS = frozenset({"layer_norm", "group_norm", "batch_norm"})


def widened(op: Declared, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    """The numpy dtype of the result, or None if it is no narrow one; then the arrays to compute with.

    Raises NotImplementedError for float8, with which nothing is computed, and what `arrays_for` raises.
    """
    found = [t._array.dtype for t in operands]
    if op.typing in ("promote", "float"):
        common = result_dtype(operands, op.typing == "float")
        arrays = [t._array for t in operands]
        number = op.name in BY_NUMBER and arrays[1].size == 1
        if not isinstance(common, dtypes.NarrowDType):
            if number and common is dtypes.float16:
                return (common.np, _wide(arrays[0], common.np), _in_single(arrays[1]))
            return (None, *arrays_for(op, operands))
        _refuse_float8(op, common)
        refuse_bools(op, operands)
        if not number and op.name in _BY_STEPS:
            return (None, *(a.astype(common.np, copy=False) for a in arrays))
        return (
            common.np,
            _wide(arrays[0], common.np),
            *(_in_single(a) if number else _wide(a, common.np) for a in arrays[1:]),
        )
    if op.typing == "same" and any(d is not found[0] for d in found):
        return (None, *arrays_for(op, operands))
    narrow = [from_numpy(d) for d in found if d in NARROW]
    for dtype in narrow:
        _refuse_float8(op, dtype)
    arrays = (a.astype(_WIDE) if a.dtype in NARROW else a for a in (t._array for t in operands))
    mixed = op.name in _WITH_STATISTICS and _WIDE in found
    return (Statistics(narrow[0].np) if mixed else narrow[0].np, *arrays)


class Statistics:
    """The type of a first result, beside others that are not rounded."""

    __slots__ = ("dtype",)

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype


def _in_single(array: Any) -> Any:
    with xp.errstate(over="ignore"):
        return array.astype(_WIDE)


def _wide(array: Any, common: Any) -> Any:
    """In float32; values that `common` has not are rounded first. Only factors and divisors are not."""
    if array.dtype is not common:
        with xp.errstate(over="ignore"):
            array = array.astype(common)
    return array.astype(_WIDE)


def _refuse_float8(op: Declared, dtype: DType) -> None:
    if dtypes.is_float8(dtype) and op.name not in _OF_FLOAT8:
        raise wrong_call(
            NotImplementedError(f'"{op.name}" not implemented for {dtype.name}'),
            "convert it with .float() first: float8 types only hold values",
            "cut-dtype",
        )


#: Operations that are no arithmetic: the sign, places, comparisons.
_OF_FLOAT8 = {
    "abs", "eq", "ne", "isnan", "isinf", "where", "index", "cat", "stack", "gather", "index_select",
}  # fmt: skip


def narrowed(result: Any, dtype: Any) -> Any:
    """A kernel's result for widened operands, rounded to `dtype`; integers and bools as they are."""
    if dtype.__class__ is Statistics:
        return (narrowed(result[0], dtype.dtype), *result[1:])
    if result.__class__ is tuple:
        return tuple([narrowed(each, dtype) for each in result])
    if result.dtype != _WIDE:
        return result
    if is_sparse(result):
        return result.astype(dtype)
    with xp.errstate(over="ignore"):
        return as_array(result.astype(dtype))


def wide(array: Any) -> Any:
    """For formulas: `array` in float32 if its type is narrow."""
    return array.astype(_WIDE) if array.dtype in NARROW else array

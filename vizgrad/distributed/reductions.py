"""ReduceOp: how the values of all ranks become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from functools import reduce
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.errstate import quiet
from vizgrad.core.tensor.state import wrong_call
from vizgrad.core.tensor.tensor import Tensor


class ReduceOp(Enum):
    """SUM, AVG (the sum by how many ranks there are), PRODUCT, MIN and MAX; for whole numbers BAND, BOR,
    BXOR.
    """

    SUM = "SUM"
    AVG = "AVG"
    PRODUCT = "PRODUCT"
    MIN = "MIN"
    MAX = "MAX"
    BAND = "BAND"
    BOR = "BOR"
    BXOR = "BXOR"


_PAIRWISE: dict[ReduceOp, Callable[[Any, Any], Any]] = {
    ReduceOp.SUM: xp.add,
    ReduceOp.AVG: xp.add,
    ReduceOp.PRODUCT: xp.multiply,
    ReduceOp.MIN: xp.minimum,
    ReduceOp.MAX: xp.maximum,
    ReduceOp.BAND: xp.bitwise_and,
    ReduceOp.BOR: xp.bitwise_or,
    ReduceOp.BXOR: xp.bitwise_xor,
}
_BITWISE = frozenset((ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR))


def check_reduction(name: str, op: ReduceOp, tensor: Tensor) -> None:
    """Raises for a reduction that elements of this type do not have: `name` is the collective."""
    dtype = tensor.dtype
    if not isinstance(op, ReduceOp):
        raise wrong_call(
            TypeError(f"{name}: expected a ReduceOp, got {type(op).__name__}"),
            "give one of vizgrad.distributed.ReduceOp, e.g. ReduceOp.SUM",
        )
    if dtype.is_complex and op not in (ReduceOp.SUM, ReduceOp.AVG):
        raise wrong_call(
            ValueError(f"{name} does not support {op.name} on complex tensors"),
            "reduce the parts: view_as_real(tensor)",
        )
    if op in _BITWISE and dtype.category > 1:
        raise wrong_call(
            RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype {dtype}"),
            "reduce a tensor of whole numbers or of bool",
        )
    if op is ReduceOp.AVG and dtype.category < 2:
        raise wrong_call(
            RuntimeError(f"result type Float can't be cast to the desired output type {dtype}"),
            "reduce with SUM, and divide",
        )


@quiet
def reduced(op: ReduceOp, values: Sequence[Any]) -> Any:
    """One array of arrays of one type, from left to right: the order of ranks. The type stays."""
    total = reduce(_PAIRWISE[op], values)
    if op is ReduceOp.AVG:
        total = total / xp.asarray(len(values), total.dtype)
    return total.astype(values[0].dtype, copy=False)

"""Calls that end or stop PyTorch's own process: they are not made."""

from __future__ import annotations

import math

from tests.fuzz.calls import Call
from tests.fuzz.values import Given

#: Elements that a result may have.
MOST = 2**24


def fatal(call: Call) -> bool:
    """Does PyTorch read or write outside of its memory, loop for ever, or take all memory there is?"""
    check = _CHECKS.get(call.operation)
    return check is not None and check(call)


def _no_rows(call: Call) -> bool:
    """The backward of `pdist` of no rows reads what is not there."""
    operand = call.operands()[0]
    return operand.grad and not operand.count


def _last_offset_alone(call: Call) -> bool:
    """The maximum of no bags: `offsets` is the end alone."""
    asked = ("mode", "max") in call.words and ("include_last_offset", True) in call.words
    return asked and any(g.count == 1 for g in call.operands()[2:])


def _other_shape(call: Call) -> bool:
    """`triu` writes a batch into a resized `out` with its old strides."""
    operand = call.operands()[0]
    return any(out.shape != operand.shape for out in call.outs) and len(operand.shape) > 2


def _many(call: Call) -> bool:
    """As many elements as `repeats` says are made."""
    repeats = [v for g in call.operands()[-1:] for v in g.values if math.isfinite(v.real)]
    return sum(abs(v) for v in repeats) > MOST


def _without_end(call: Call) -> bool:
    """Infinite rates and chances: PyTorch draws until the sum is reached, which is never."""
    values = (v for arg in call.args if isinstance(arg, Given) for v in arg.values)
    return not all(math.isfinite(abs(v)) for v in values)


_CHECKS = {
    "F.pdist": _no_rows,
    "pdist": _no_rows,
    "F.embedding_bag": _last_offset_alone,
    "triu": _other_shape,
    "tril": _other_shape,
    "repeat_interleave": _many,
    "poisson": _without_end,
    "binomial": _without_end,
}

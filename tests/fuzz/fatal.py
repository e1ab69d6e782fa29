"""Calls that end or stop PyTorch's own process: they are not made."""

from __future__ import annotations

import math

from tests.fuzz.calls import Call
from tests.fuzz.draw import LIMITS
from tests.fuzz.transforms import Transformed
from tests.fuzz.values import Given

#: Elements that a result may have.
MOST = 2**24


def fatal(call: Call) -> bool:
    """Does PyTorch read or write outside of its memory, loop for ever, or take all memory there is?"""
    check = _degree if "polynomial" in call.operation else _CHECKS.get(call.operation)
    return check is not None and (check is _length or bool(call.operands())) and check(call)


def _no_rows(call: Call) -> bool:
    """The backward of `pdist` of no rows reads what is not there."""
    operand = call.operands()[0]
    return operand.grad and not operand.count


def _last_offset_alone(call: Call) -> bool:
    """The maximum of no bags: `offsets` is the end alone."""
    asked = ("mode", "max") in call.words and ("include_last_offset", True) in call.words
    return asked and any(g.count == 1 for g in call.operands()[2:])


def _bags(call: Call) -> bool:
    """No bags but an end, or bags of batches in batches, for which PyTorch reads outside of its memory."""
    nested = isinstance(call, Transformed) and len(call.batches) > 1
    return nested or _last_offset_alone(call)


def _other_batch(call: Call) -> bool:
    """`triu` writes a batch into a resized `out` with its old strides, and takes a batch of several dims for one."""
    operand = call.operands()[0]
    rank = len(operand.shape)
    return any(
        (rank > 2 and out.shape != operand.shape) or (rank > 3 and out.memory == "turned")
        for out in call.outs
    )


def _many(call: Call) -> bool:
    """As many elements as `repeats` says are made."""
    repeats = [v for g in call.operands()[-1:] for v in g.values if math.isfinite(v.real)]
    return sum(abs(v) for v in repeats) > MOST


def _without_end(call: Call) -> bool:
    """Infinite rates and chances: PyTorch draws until the sum is reached, which is never."""
    values = (v for arg in call.args if isinstance(arg, Given) for v in arg.values)
    return not all(math.isfinite(abs(v)) for v in values)


def _least(call: Call) -> bool:
    """The least integer divided by -1, which is none."""
    return any(
        LIMITS[g.dtype][0] in g.values for g in call.operands() if g.dtype in ("int64", "int32")
    )


def _least_cut(call: Call) -> bool:
    """The same, where the quotient is cut."""
    return ("rounding_mode", "trunc") in call.words and _least(call)


def _negative(call: Call) -> bool:
    """A size below 0 beside one of 0: PyTorch makes a tensor of it, which nobody can read."""
    return any(isinstance(v, int) and v < 0 for v in call.args)


def _count(call: Call) -> bool:
    """As many counts as the largest number says."""
    return any(abs(v) > MOST for v in call.operands()[0].values if math.isfinite(abs(v)))


def _label(call: Call) -> bool:
    """A label that is no class is where PyTorch reads, and where its backward writes."""
    scores, *labels = call.operands()[:2]
    most = scores.shape[-1] - 1 if scores.grad and scores.shape else 1e6
    return any(not (0 if scores.grad else -1e6) <= v <= most for g in labels for v in g.values)


def _degree(call: Call) -> bool:
    """As many steps as a polynomial's degree."""
    degrees = [
        *call.args[1:],
        *(v for _, v in call.words),
        *(v for g in call.operands()[-1:] for v in g.values),
    ]
    return any(isinstance(v, (int, float)) and abs(v) > 1e6 for v in degrees)


def _length(call: Call) -> bool:
    """As many elements as a range is long."""
    given = (*call.args, *(v for _, v in call.words))
    numbers = [v.values[0] if isinstance(v, Given) else v for v in given]
    return any(isinstance(v, (int, float)) and MOST < abs(v) < math.inf for v in numbers)


_CHECKS = {
    "arange": _length,
    "range": _length,
    "linspace": _length,
    "logspace": _length,
    "bincount": _count,
    "T.resize_": _negative,
    "gcd": _least,
    "div": _least_cut,
    "divide": _least_cut,
    "lcm": _least,
    "F.ctc_loss": _label,
    "ctc_loss": _label,
    "lu_unpack": _other_batch,
    "F.pdist": _no_rows,
    "pdist": _no_rows,
    "F.embedding_bag": _bags,
    "triu": _other_batch,
    "tril": _other_batch,
    "repeat_interleave": _many,
    "poisson": _without_end,
    "binomial": _without_end,
}

"""Products that are not finite: which factor is to blame."""

from __future__ import annotations

import re
from math import isinf

from vizgrad.debugger.explain.cause import Cause, Operand, Phrase, cause
from vizgrad.debugger.explain.wording import Words, call
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.notes import Note

_ELEMENTWISE = frozenset({"mul", "rmul", "imul", "multiply"})
_OF_MATRICES = frozenset(
    {"matmul", "rmatmul", "mm", "bmm", "mv", "dot", "linear", "addmm", "baddbmm", "einsum", "inner"}
)


#: How it is written: `math.inf`, `float("inf")`.
_INFINITY = re.compile(r"\binf(inity)?\b", re.IGNORECASE)


def of(birth: Note, given: float | None, nan: bool, passed: Phrase) -> Cause | None:
    """None where it is no product, or no factor is known to be the cause. `given`: what the operand that was
    looked at has at the first place.
    """
    op = birth.op.strip("_")
    if nan and op in _ELEMENTWISE and given is not None and (given == 0.0 or isinf(given)):
        return _zero_times_infinity(birth, passed)
    if not nan and op in _ELEMENTWISE | _OF_MATRICES:
        return _overflow(birth, passed)
    return None


def _zero_times_infinity(birth: Note, passed: Phrase) -> Cause | None:
    factors = source_expressions.factors(birth.site)
    at = _infinite(birth, factors) if len(factors) == 2 else None
    if at is None:
        return None
    infinite, zero = factors[at], factors[1 - at]
    return cause(
        "nonfinite-forward", "zero-times-infinity", birth.site, infinite,
        call=call(birth), infinite=infinite, zero=zero, passed=passed, operand=Operand(infinite),
    )  # fmt: skip


def _infinite(birth: Note, factors: list[str]) -> int | None:
    """Which of two factors it is, where one is not finite and the other is; None if that is not known."""
    odd = [not size < float("inf") for size in birth.sizes]
    if len(odd) == 2:
        return odd.index(True) if odd[0] != odd[1] else None
    if len(odd) != 1:
        return None
    named = [bool(_INFINITY.search(text)) for text in factors]
    if not odd[0] and named[0] != named[1]:
        return named.index(True)
    tensor = {"__mul__": 0, "__imul__": 0, "__rmul__": 1}.get(birth.op)
    if tensor is None:
        return None
    return tensor if odd[0] else 1 - tensor


def _overflow(birth: Note, passed: Phrase) -> Cause | None:
    """Finite factors, and an infinite product."""
    sizes = birth.sizes
    if len(sizes) < 2 or not all(size < float("inf") for size in sizes):
        return None
    at = max(range(len(sizes)), key=lambda each: sizes[each])
    written = source_expressions.operands(birth.site)
    named = len(written) == len(sizes) and len(written[at]) <= source_expressions.SHORT
    shown = written[at] if named else Words("one of the operands")
    return cause(
        "nonfinite-forward", "product-overflowed", birth.site, shown,
        call=call(birth), factor=shown, size=sizes[at], passed=passed, operand=Operand(shown, sizes[at]),
    )  # fmt: skip

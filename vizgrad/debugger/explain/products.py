"""Products that are not finite: which factor is to blame."""

from __future__ import annotations

import re
from math import isinf
from typing import NamedTuple

from vizgrad.debugger.explain.wording import Words, call, code, line, number
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.notes import Note

_ELEMENTWISE = frozenset({"mul", "rmul", "imul", "multiply"})
_OF_MATRICES = frozenset(
    {"matmul", "rmatmul", "mm", "bmm", "mv", "dot", "linear", "addmm", "baddbmm", "einsum", "inner"}
)


#: How it is written: `math.inf`, `float("inf")`.
_INFINITY = re.compile(r"\binf(inity)?\b", re.IGNORECASE)


class Blamed(NamedTuple):
    """The factor, and what is said of it."""

    culprit: str
    story: str
    fix: str


def of(birth: Note, given: float | None, nan: bool) -> Blamed | None:
    """None where it is no product, or no factor is known to be the cause. `given`: what the operand that was
    looked at has at the first place.
    """
    op = birth.op.strip("_")
    if nan and op in _ELEMENTWISE and given is not None and (given == 0.0 or isinf(given)):
        return _zero_times_infinity(birth)
    if not nan and op in _ELEMENTWISE | _OF_MATRICES:
        return _overflow(birth)
    return None


def _zero_times_infinity(birth: Note) -> Blamed | None:
    factors = source_expressions.factors(birth.site)
    at = _infinite(birth, factors) if len(factors) == 2 else None
    if at is None:
        return None
    infinite, zero = factors[at], factors[1 - at]
    return Blamed(
        infinite,
        f"{call(birth)} made NaN on {line(birth.site)}: `{infinite}` is infinite where `{zero}` is 0, and "
        "0 * inf is NaN",
        f"do not multiply by `{infinite}`: take a large finite number in its place, or choose with where()",
    )


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


def _overflow(birth: Note) -> Blamed | None:
    """Finite factors, and an infinite product."""
    sizes = birth.sizes
    if len(sizes) < 2 or not all(size < float("inf") for size in sizes):
        return None
    at = max(range(len(sizes)), key=lambda each: sizes[each])
    written = source_expressions.operands(birth.site)
    named = len(written) == len(sizes) and len(written[at]) <= source_expressions.SHORT
    shown = written[at] if named else Words("one of the operands")
    return Blamed(
        shown,
        f"{call(birth)} overflowed on {line(birth.site)}: values of {code(shown)} are as large as "
        f"{number(sizes[at])}, and the result is infinite",
        f"scale {code(shown)} down, or compute in a wider type: the result is too large for its type",
    )

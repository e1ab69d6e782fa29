"""Products that are not finite: which factor is to blame."""

from __future__ import annotations

from math import isinf
from typing import NamedTuple

from vizgrad.debugger.explain.wording import Words, call, code, line, number
from vizgrad.debugger.watch import source_expressions
from vizgrad.debugger.watch.notes import Note

_ELEMENTWISE = frozenset({"mul", "rmul", "imul", "multiply"})
_OF_MATRICES = frozenset(
    {"matmul", "rmatmul", "mm", "bmm", "mv", "dot", "linear", "addmm", "baddbmm", "einsum", "inner"}
)


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
        return _zero_times_infinity(birth, given)
    if not nan and op in _ELEMENTWISE | _OF_MATRICES:
        return _overflow(birth)
    return None


def _zero_times_infinity(birth: Note, given: float) -> Blamed | None:
    looked_at = source_expressions.operand(birth.site, birth.op.strip("_"))
    factors = source_expressions.factors(birth.site)
    if len(factors) != 2 or looked_at not in factors:
        return None
    other = factors[1] if factors[0] == looked_at else factors[0]
    infinite, zero = (other, looked_at) if given == 0.0 else (looked_at, other)
    return Blamed(
        infinite,
        f"{call(birth)} made NaN on {line(birth.site)}: `{infinite}` is infinite where `{zero}` is 0, and "
        "0 * inf is NaN",
        f"do not multiply by `{infinite}`: take a large finite number in its place, or choose with where()",
    )


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

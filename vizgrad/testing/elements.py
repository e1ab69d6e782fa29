"""Where two arrays differ, element by element, in PyTorch's words."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`count` of `total` elements differ by more than is allowed. Each `difference` is the greatest, with the
    index where it is.
    """

    count: int
    total: int
    absolute: tuple[float, tuple[int, ...]]
    relative: tuple[float, tuple[int, ...]]
    rtol: float
    atol: float

    def brief(self) -> str:
        """In one line."""
        return (
            f"{self.count} of {self.total} elements, by at most {self.absolute[0]:.3g} at "
            f"{list(self.absolute[1])}, {self.relative[0]:.3g} of it at {list(self.relative[1])}"
        )

    def lines(self) -> list[str]:
        amount = f"{self.count} / {self.total} ({self.count / self.total:.1%})"
        lines = [f"Mismatched elements: {amount}"]
        for kind, (size, index), allowed in (
            ("absolute", self.absolute, self.atol),
            ("relative", self.relative, self.rtol),
        ):
            lines.append(
                f"Greatest {kind} difference: {size} at index {index} (up to {allowed} allowed)"
            )
        return lines


def mismatch(
    actual: Any, expected: Any, rtol: float, atol: float, *, equal_nan: bool
) -> Mismatch | None:
    """The elements of two arrays of one shape with ``|actual - expected| > atol + rtol * |expected|``. None:
    there is none.
    """
    a, b = wide(actual), wide(expected)
    same = (a == b) | (xp.isnan(a) & xp.isnan(b) if equal_nan else xp.zeros(a.shape, bool))
    with xp.errstate(invalid="ignore", over="ignore", divide="ignore"):
        off = xp.abs(a - b)
        close = same | (xp.isfinite(off) & (off <= atol + rtol * xp.abs(b)))
        if bool(xp.all(close)):
            return None
        off = xp.where(same, 0.0, xp.where(xp.isnan(off), inf, off))
        part = xp.where(off == 0, 0.0, off / xp.abs(b))
        part = xp.where(xp.isnan(part), inf, part)
    return Mismatch(
        int(xp.count_nonzero(~close)),
        int(close.size),
        _greatest(xp.where(close, 0.0, off)),
        _greatest(xp.where(close, 0.0, part)),
        rtol,
        atol,
    )


def wide(array: Any) -> Any:
    """In the widest type of its kind, on the host."""
    host = to_host(array) if hasattr(array, "dtype") else xp.asarray(array)
    return host.astype(xp.complex128 if host.dtype.kind == "c" else xp.float64)


def _greatest(values: Any) -> tuple[float, tuple[int, ...]]:
    at = xp.unravel_index(int(xp.argmax(values)), values.shape)
    return float(values[at]), tuple(int(each) for each in at)

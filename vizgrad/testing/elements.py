"""Where two arrays differ, element by element, in PyTorch's words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from vizgrad.core.arrays import xp
from vizgrad.core.arrays.backend import to_host

#: A number, and the index where it is.
Greatest = tuple[float, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`count` of `total` elements differ by more than `rtol` and `atol` allow; the greatest differences."""

    count: int
    total: int
    absolute: Greatest
    relative: Greatest
    rtol: float
    atol: float

    def brief(self) -> str:
        """In one line."""
        return (
            f"{self.count} of {self.total} elements, by at most {self.absolute[0]:.3g} at "
            f"{list(self.absolute[1])}, {self.relative[0]:.3g} of it at {list(self.relative[1])}"
        )

    def text(self) -> str:
        """In PyTorch's words."""
        share = f"{self.count} / {self.total} ({self.count / self.total:.1%})"
        lines = _differences(self.absolute, self.relative, self.rtol, self.atol)
        return _head("Tensor-likes", self.rtol, self.atol) + "\n".join(
            [f"Mismatched elements: {share}", *lines]
        )


def mismatch(
    actual: Any, expected: Any, rtol: float, atol: float, *, equal_nan: bool
) -> Mismatch | None:
    """The elements of two arrays of one shape with ``|actual - expected| > atol + rtol * |expected|``. None:
    there is none.
    """
    a, b = wide(actual), wide(expected)
    same = (a == b) | (xp.isnan(a) & xp.isnan(b) if equal_nan else xp.zeros(a.shape, bool))
    with xp.errstate(invalid="ignore", over="ignore", divide="ignore"):
        off, size = xp.abs(a - b), xp.abs(b)
        close = same | (xp.isfinite(off) & xp.isfinite(size) & (off <= atol + rtol * size))
        if bool(xp.all(close)):
            return None
        absolute = xp.where(close, off.dtype.type(0), off)
        relative = off / size if off.dtype.char in "fd" else (off / size).astype(xp.float32)
        relative = xp.where(close, relative.dtype.type(0), relative)
    total = int(close.size)
    found = _greatest(absolute), _greatest(relative)
    return Mismatch(total - int(xp.count_nonzero(close)), total, *found, rtol, atol)


def scalar_text(actual: Any, expected: Any, rtol: float, atol: float) -> str:
    """The same of two numbers."""
    off = abs(actual - expected)
    relative = float("inf") if expected == 0 else off / abs(expected)
    lines = _differences((off, ()), (relative, ()), rtol, atol, of_scalars=True)
    return _head("Scalars", rtol, atol) + "\n".join(
        [f"Expected {expected} but got {actual}.", *lines]
    )


def _head(what: str, rtol: float, atol: float) -> str:
    return f"{what} are not {'close' if rtol or atol else 'equal'}!\n\n"


def _differences(
    absolute: Greatest, relative: Greatest, rtol: float, atol: float, *, of_scalars: bool = False
) -> Iterator[str]:
    for kind, (size, index), allowed in (
        ("absolute", absolute, atol),
        ("relative", relative, rtol),
    ):
        up_to = f" (up to {allowed} allowed)" if rtol or atol else ""
        if of_scalars:
            yield f"{kind.title()} difference: {size}{up_to}"
        else:
            yield f"Greatest {kind} difference: {size} at index {index}{up_to}"


def wide(array: Any) -> Any:
    """On the host, in a type that its differences fit into."""
    host = to_host(array) if hasattr(array, "dtype") else xp.asarray(array)
    if host.dtype.char in "fdFD":
        return host
    return host.astype(xp.int64 if host.dtype.kind in "iub" else xp.float32)


def _greatest(values: Any) -> Greatest:
    at = xp.unravel_index(int(xp.argmax(values)), values.shape)
    found = values[at]
    return found.item(), tuple(int(each) for each in at)

"""The findings of gradcheck: where backward and differences part, in readable form.

Rows are elements of the input, columns elements of the output.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, NamedTuple

from vizgrad.autograd.jacobians import agreeing
from vizgrad.core.arrays import Array, xp

#: Rows and columns of a heat map: of larger matrices each cell is the largest of a block.
ROWS, COLUMNS = 16, 24
_SHADES = "·░▒▓█"


class Step(NamedTuple):
    """The worst element by differences of another width: `numerical` is None where the function failed."""

    eps: float
    numerical: complex | None
    apart: float


@dataclass(frozen=True, eq=False)
class Mismatch:
    """Two Jacobians of one output in one input, on the host. `part`: what was looked at of complex ones."""

    output: int
    input: int
    part: str
    input_shape: tuple[int, ...]
    output_shape: tuple[int, ...]
    numerical: Array
    analytical: Array
    eps: float
    atol: float
    rtol: float
    steps: tuple[Step, ...] = ()
    #: Where the analytical one comes from.
    by: Literal["backward", "forward mode"] = "backward"

    @property
    def difference(self) -> Array:
        """How far each element is apart: infinitely where one is NaN and the other is not."""
        with xp.errstate(all="ignore"):
            apart = xp.nan_to_num(abs(self.analytical - self.numerical), nan=math.inf)
        return xp.where(agreeing(self.analytical, self.numerical, 0.0, 0.0), 0.0, apart)

    @property
    def wrong(self) -> Array:
        """Which elements are further apart than the tolerance allows."""
        return ~agreeing(self.analytical, self.numerical, self.atol, self.rtol)

    @property
    def worst(self) -> tuple[int, int]:
        """(row, column) of the element that is furthest apart, of those that are wrong."""
        at = int(xp.where(self.wrong, self.difference, -1.0).argmax())
        row, column = divmod(at, self.numerical.shape[1])
        return row, column

    def allowed(self, value: complex) -> float:
        return self.atol + self.rtol * abs(value)

    def message(self) -> str:
        """The first lines, as PyTorch has them, and the worst element."""
        row, column = self.worst
        of = (
            f"While considering the {self.part} part of complex outputs only, " if self.part else ""
        )
        how = "" if self.by == "backward" else "computed with forward mode "
        return (
            f"{of}Jacobian {how}mismatch for output {self.output} with respect to input {self.input},\n"
            f"numerical:{_tensor(self.numerical)}\nanalytical:{_tensor(self.analytical)}\n"
            f"The worst is element {row} of the input, element {column} of the output: "
            f"{self.numerical[row, column]} by differences, {self.analytical[row, column]} by {self.by}."
        )

    def __str__(self) -> str:
        count, size = int(self.wrong.sum()), self.wrong.size
        row, column = self.worst
        here = (
            f"{place('input', row, self.input_shape)}, {place('output', column, self.output_shape)}"
        )
        which = f"Output {self.output} in input {self.input}"
        lines = [
            f"{which}: {count} of {size} elements are wrong, the worst at {here}.",
            self.pattern(),
            "",
            self.heat_map(),
        ]
        if self.steps:
            lines += ["", self.steps_table(), self.verdict()]
        return "\n".join(lines)

    # --- what it may be -----------------------------------------------------------------------------

    def pattern(self) -> str:
        """A sentence on the simple relation between the two matrices, if there is one."""
        a, n = self.analytical, self.numerical
        if not a.any():
            return "Backward gives zeros everywhere: does its result reach this input?"
        if a.shape[0] == a.shape[1] and _alike(a, n.T):
            return "Backward gives the transposed matrix."
        turn = -1j if self.part == "imaginary" else 1  # seen with the gradient i
        if a.dtype.kind == "c" and _alike(a * turn, (n * turn).conj()):
            return "Backward gives the conjugate: PyTorch's convention is grad * conj(derivative)."
        with xp.errstate(all="ignore"):
            factor = (a * n.conj()).sum() / (n * n.conj()).sum()
        if factor.real == factor.real and _alike(a, n * factor):
            shown = factor.real if abs(factor.imag) < 1e-6 * abs(factor) else factor
            return f"Backward gives {shown:.6g} times the differences everywhere."
        return "No simple factor is between them."

    def verdict(self) -> str:
        """What the widths of differences say: is the gradient at fault, or are the differences?"""
        known = [step for step in self.steps if step.numerical is not None]
        agreed = [s for s in known if s.apart <= self.allowed(s.numerical or 0.0)]
        if agreed:
            best = min(agreed, key=lambda step: step.apart)
            return (
                f"They agree at eps={best.eps:g}: the differences were at fault, not the gradient. Check "
                f"with eps={best.eps:g}."
            )
        finite = [step for step in known if math.isfinite(step.apart)]
        if not finite:
            return "No width gives finite numbers: the function is not finite beside this point."
        least = min(step.apart for step in finite)
        steady = [step for step in finite if step.apart <= 1.1 * least]
        if len(steady) >= 3:
            return (
                "No width brings them together, and over many they are equally far apart: the gradient is "
                "wrong."
            )
        narrow = min(finite, key=lambda step: step.eps)
        if narrow.apart <= least:
            return (
                "They come closer the narrower the differences: the function bends sharply here, or has a "
                "kink."
            )
        return "They never agree: wide differences err by bending, narrow ones by rounding."

    # --- pictures -----------------------------------------------------------------------------------

    def heat_map(self) -> str:
        """Three matrices of shades beside each other: backward, differences, and how far they are apart."""
        top = max(_largest(self.analytical), _largest(self.numerical))
        with xp.errstate(all="ignore"):
            excess = self.difference / (self.atol + self.rtol * abs(self.numerical))
        excess = xp.where(self.wrong, excess, 0.0)
        pictures = [
            _picture(self.by, _pooled(abs(self.analytical)), lambda v: _level(v, top)),
            _picture("differences", _pooled(abs(self.numerical)), lambda v: _level(v, top)),
            _picture("apart", _pooled(excess), _times),
        ]
        labels = [" " * 8] + [
            f"{_span(n, self.numerical.shape[0]):>7} " for n in range(_count(self))
        ]
        rows = [
            label + "   ".join(parts).rstrip()
            for label, *parts in zip(labels, *pictures, strict=True)
        ]
        legend = (
            f"{'':8}{_SHADES[1:]}: up to {top:.3g}, ·: 0, ?: NaN. apart: · within the tolerance, ░ up to 10 "
            "times it, ▒ 100, ▓ 1000, █ more"
        )
        return "\n".join([*rows, legend])

    def steps_table(self) -> str:
        """How the worst element moves with the width of the differences."""
        row, column = self.worst
        lines = [
            f"{'eps':>9}  {'by differences':>22}  apart from {self.analytical[row, column]:.6g}"
        ]
        for step in self.steps:
            mark = "  <- used" if step.eps == self.eps else ""
            if step.numerical is None:
                lines.append(f"{step.eps:>9.0e}  {'(the function fails)':>22}{mark}")
                continue
            good = "  agrees" if step.apart <= self.allowed(step.numerical) else ""
            lines.append(f"{step.eps:>9.0e}  {step.numerical:>22.9g}  {step.apart:.2e}{good}{mark}")
        return "\n".join(lines)


def place(what: str, number: int, shape: Sequence[int]) -> str:
    """`input[1, 2]`, for the element of that number in C order."""
    if not shape:
        return what
    at = [int(n) for n in xp.unravel_index(number, tuple(shape))]
    return f"{what}{at}"


def _tensor(array: Array) -> str:
    from vizgrad.core.tensor.tensor import new_tensor

    return str(new_tensor(array))


def _alike(a: Array, b: Array) -> bool:
    return bool(agreeing(a, b, 1e-3 * _largest(b), 0.0).all())


def _largest(array: Array) -> float:
    finite = abs(array[xp.isfinite(array)])
    return float(finite.max()) if finite.size else 0.0


def _blocks(length: int, most: int) -> list[slice]:
    count = min(length, most)
    edges = [length * n // count for n in range(count + 1)] if count else []
    return [slice(a, b) for a, b in pairwise(edges)]


def _pooled(values: Array) -> list[list[float]]:
    rows, columns = _blocks(values.shape[0], ROWS), _blocks(values.shape[1], COLUMNS)
    return [[float(values[r, c].max()) for c in columns] for r in rows]


def _count(found: Mismatch) -> int:
    return len(_blocks(found.numerical.shape[0], ROWS))


def _span(number: int, length: int) -> str:
    rows = _blocks(length, ROWS)[number]
    return str(rows.start) if rows.stop - rows.start == 1 else f"{rows.start}-{rows.stop - 1}"


def _level(value: float, top: float) -> str:
    if value != value:
        return "?"
    if value == 0 or not top:
        return _SHADES[0]
    return _SHADES[min(4, max(1, math.ceil(4 * min(value / top, 1.0))))]


def _times(value: float) -> str:
    """A shade for how many times the tolerance something is."""
    if value == 0:
        return _SHADES[0]
    return _SHADES[min(4, max(1, math.ceil(math.log10(min(value, 1e9)))))]


def _picture(title: str, values: list[list[float]], shade: Any) -> list[str]:
    """The title, and a line for each row; narrow matrices have cells of two characters."""
    times = 2 if values and len(values[0]) <= COLUMNS // 2 else 1
    rows = ["".join(shade(v) * times for v in row) for row in values]
    width = max([len(title), *map(len, rows)])
    return [title.ljust(width), *(row.ljust(width) for row in rows)]

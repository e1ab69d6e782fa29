"""Arrays in numbers, and how a person names one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from vizgrad.core.arrays.matrix_blocks import Blocks

#: Which array of a node: what arrived at slot `nr`, or waits there; entry `nr` of what it sent out, as it was
#: computed and as it was delivered; a leaf's `.grad`, now and around its visit; a saved value by its name.
ArrayKind = Literal[
    "incoming", "waiting", "computed", "routed", "grad", "grad_before", "grad_after", "saved"
]


@dataclass(frozen=True, slots=True)
class Tangent:
    """The tangent beside an array under one level of forward mode: how the array changes along it.

    Shape and type are the array's; `norm`, `values` and `phases` are as in a `TensorSummary`.
    """

    norm: float | None = None
    values: tuple[float, ...] | None = None
    phases: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class TensorSummary:
    """Statistics of one array, of the absolute values of a complex one. Computed once and cheap to keep.

    `norm` is over all elements: NaN if one is NaN, otherwise inf if one is infinite, 0 if there are none;
    None if nobody has looked. `min`, `max` and `mean` are over the finite elements, None without any.
    `values` holds all elements in row-major order when there are at most 8.

    Only who looks closely is told more: `histogram` counts finite elements in equal bins from `min` to `max`;
    `heat` is the array as a matrix in blocks, None if it is empty; `phases` are those of complex `values`, in
    radians.
    """

    shape: tuple[int, ...]
    dtype: str
    device: str
    bytes: int
    norm: float | None = None
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    zeros: int = 0
    nans: int = 0
    infs: int = 0
    histogram: tuple[int, ...] = ()
    heat: Blocks | None = None
    values: tuple[float, ...] | None = None
    phases: tuple[float, ...] | None = None
    #: A "sparse_coo" tensor and the like store `nnz` values: `bytes` are theirs and their places';
    #: norm, min, max, mean and histogram are over them (equal places added up), `heat` is empty.
    layout: str = "strided"
    nnz: int | None = None
    #: The tangents of a gradient in forward mode: one for each level, the outermost first. It goes
    #: down, as the gradient.
    tangents: tuple[Tangent, ...] = ()


@dataclass(frozen=True, slots=True)
class ArrayName:
    """An array that can be looked at: `nr` of `kind`, or a saved value `name`, of a node."""

    node: int
    kind: ArrayKind
    nr: int = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an array of this `shape`. `at` has an index for each dimension before the last two, or None:
    all of it, one under another in the rows of the matrix. `blocks` is None where there is nothing.

    `text` makes it again with numpy: all of it, or, if it was `cut`, the first part.
    """

    shape: tuple[int, ...]
    dtype: str
    at: tuple[int | None, ...]
    blocks: Blocks | None
    text: str
    cut: bool = False


# Arrays and sizes of memory as people read them.


def array_text(shape: tuple[int, ...], dtype: str) -> str:
    """``[3, 4] float32``."""
    return f"{list(shape)} {dtype}".rstrip()


def few(texts: Iterable[str], most: int = 6) -> str:
    """The first of them with commas between, and how many more there are."""
    known = tuple(texts)
    more = [f"and {len(known) - most:,} more"] if len(known) > most else []
    return ", ".join([*known[:most], *more])


def count_of(number: int, what: str) -> str:
    """``1 node``, ``1,200 nodes``."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def bytes_text(size: int) -> str:
    """``24 B``, ``3.1 kB``, ``120 MB`` (1 kB = 1000 B): enough digits to compare, as in the live view."""
    if abs(size) < 1000:
        return f"{size} B"
    value, unit = size / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if abs(value) >= 999.5:
            value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if abs(value) < 9.95 else f"{value:.0f} {unit}"

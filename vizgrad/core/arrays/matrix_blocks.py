"""An array as a small matrix of blocks, each told by its element of the largest magnitude.

One that is large, or not finite, shows wherever it is, where a mean would hide it. Nothing as large as the
array is copied, and of a device's array only the finished blocks are read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

import numpy as np

from vizgrad.core.arrays.backend import Array, beside, is_on_host, near, to_host
from vizgrad.core.arrays.chunks import CHUNK, TRANSFER, once
from vizgrad.core.arrays.errstate import quiet

#: Blocks along a side, at most.
SIDE = 32


@dataclass(frozen=True, slots=True)
class Blocks:
    """A part of a matrix: `rows` and `columns` are its first and the one behind its last.

    A block has `size` elements (rows, columns), those at the end may have fewer. `values` has its element of
    the largest magnitude, to six digits: NaN if one of its elements is NaN, otherwise inf or -inf if one is
    infinite. For complex numbers it is the magnitude, and `phases` has the angle, in radians.
    """

    rows: tuple[int, int]
    columns: tuple[int, int]
    size: tuple[int, int]
    values: tuple[tuple[float, ...], ...]
    phases: tuple[tuple[float, ...], ...] = ()


def matrix_shape(shape: tuple[int, ...]) -> tuple[int, int]:
    """For an array as a matrix: all dimensions but the last are its rows; with a single dimension there
    is one row.
    """
    return prod(shape[:-1]), shape[-1] if shape else 1


@near
@quiet
def blocks(
    array: Array,
    rows: tuple[int, int] | None = None,
    columns: tuple[int, int] | None = None,
) -> Blocks | None:
    """The part of the array as a matrix; by default all of it. None where there is nothing."""
    height, width = matrix_shape(array.shape)
    rows, columns = within(rows, height), within(columns, width)
    if rows[0] == rows[1] or columns[0] == columns[1]:
        return None
    size = _size(rows), _size(columns)
    found = [_row_of_blocks(strips, size[1]) for strips in _strips(array, rows, columns, size[0])]
    read = to_host(np.stack(found))  # the one transfer
    if array.dtype.kind == "c":
        return Blocks(rows, columns, size, _told(np.absolute(read)), _told(np.angle(read)))
    low, high = read[:, 0].astype(np.float64), read[:, 1].astype(np.float64)
    return Blocks(rows, columns, size, _told(np.where(-low > high, low, high)))


def matrix_part(array: Array, rows: tuple[int, int], columns: tuple[int, int]) -> Array:
    """These rows and columns of the array as a matrix: a copy if they are not beside each other."""
    pieces = list(_pieces(array, *rows, columns))
    return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def within(part: tuple[int, int] | None, length: int) -> tuple[int, int]:
    """The range of `part` that lies inside of `length`."""
    if part is None:
        return 0, length
    first = min(max(part[0], 0), length)
    return first, min(max(part[1], first), length)


def _size(part: tuple[int, int]) -> int:
    """Elements along a side of a block."""
    return -((part[0] - part[1]) // SIDE)


def _told(values: np.ndarray) -> tuple[tuple[float, ...], ...]:
    """To six digits, which is more than a picture shows; whole numbers as they are."""
    return tuple(
        tuple(v if v.is_integer() else float(f"{v:.6g}") for v in row) for row in values.tolist()
    )


def _row_of_blocks(strips: Iterator[Array], width: int) -> Array:
    """The statistics of each block of a row, whose elements come in pieces."""
    best: Array = None
    for strip in strips:
        found = _strongest(strip, width) if strip.dtype.kind == "c" else _extremes(strip, width)
        if best is None:
            best = found
        elif strip.dtype.kind == "c":
            best = _stronger(best, found)
        else:
            best = np.stack([np.minimum(best[0], found[0]), np.maximum(best[1], found[1])])
    return best


# --- pieces -------------------------------------------------------------------------------------------


def _strips(
    array: Array, rows: tuple[int, int], columns: tuple[int, int], height: int
) -> Iterator[Iterator[Array]]:
    """For each row of blocks the pieces of the matrix that it has, all with all of its columns."""
    for start in range(rows[0], rows[1], height):
        yield _pieces(array, start, min(start + height, rows[1]), columns)


def _pieces(array: Array, start: int, stop: int, columns: tuple[int, int]) -> Iterator[Array]:
    """Rows `start` to `stop` of the array as a matrix: memory of the array where they lie side by side."""
    part = slice(*columns)
    if array.ndim < 2:
        yield array.reshape(1, -1)[:, part]
    elif array.ndim == 2:
        yield array[start:stop, part]
    elif array.flags.c_contiguous:
        yield array.reshape(-1, array.shape[-1])[start:stop, part]
    else:
        step = max(1, (CHUNK if is_on_host(array) else TRANSFER) // (columns[1] - columns[0]))
        for first in range(start, stop, step):
            last = min(first + step, stop)
            places = np.unravel_index(np.arange(first, last), array.shape[:-1])
            yield array[..., part][tuple(beside(array, place) for place in places)]


# --- real numbers -------------------------------------------------------------------------------------


def _extremes(piece: Array, width: int) -> Array:
    """The least and the largest element of each block."""
    count = -(-piece.shape[1] // width)
    own, _ = once(piece)
    if own.shape[1] < piece.shape[1]:  # one column that stands there again and again
        own, width = np.broadcast_to(own, (own.shape[0], count)), 1
    whole = own.shape[1] // width
    main = own[:, : whole * width].reshape(own.shape[0], whole, width)
    rest = own[:, whole * width :]
    found: list[Array] = []
    for extreme in ("min", "max"):
        parts = [getattr(main, extreme)(axis=(0, 2))]
        if rest.shape[1]:
            parts.append(getattr(rest, extreme)().reshape(1))
        found.append(np.concatenate(parts))
    return np.stack(found)


# --- complex numbers ----------------------------------------------------------------------------------


def _strongest(piece: Array, width: int) -> Array:
    """The element of the largest magnitude of each block, in double: else a magnitude may not be finite."""
    own, _ = once(piece)
    if own.shape[1] < piece.shape[1]:
        return np.broadcast_to(_strongest(own, 1), (-(-piece.shape[1] // width),))
    blocks = [own[:, start : start + width] for start in range(0, own.shape[1], width)]
    return np.concatenate([_strongest_of(block) for block in blocks])


def _strongest_of(block: Array) -> Array:
    """One element, in pieces that are no large copies."""
    size = CHUNK if is_on_host(block) else TRANSFER
    across = min(block.shape[1], size)
    down = max(1, size // across)
    best: Array = None
    for top in range(0, block.shape[0], down):
        for left in range(0, block.shape[1], across):
            piece = block[top : top + down, left : left + across].astype(np.complex128).reshape(-1)
            found = np.take(piece, np.absolute(piece).argmax().reshape(1))
            best = found if best is None else _stronger(best, found)
    return best


def _stronger(a: Array, b: Array) -> Array:
    """The one of the larger magnitude of each two; NaN before all others."""
    less = (np.absolute(a) < np.absolute(b)) | (np.isnan(b) & ~np.isnan(a))
    return np.where(less, b, a)

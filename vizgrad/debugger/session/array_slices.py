"""Parts of an array, as a view asks for them."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays.files import MOST_WRITTEN, first_part, numpy_text
from vizgrad.core.arrays.matrix_blocks import blocks, matrix_part, matrix_shape, within
from vizgrad.debugger.model import Part

#: First, and behind the last.
Range = tuple[int, int]


def part_of(
    array: Any,
    at: tuple[int | None, ...] = (),
    rows: Range | None = None,
    columns: Range | None = None,
) -> Part:
    """The array at these indices of its leading dimensions, and of that these rows and columns.

    An index out of range counts as not chosen. Takes no copy of the array, and reads little from a device.
    """
    leading = array.shape[:-2]
    chosen = tuple(
        index if index is not None and 0 <= index < length else None
        for index, length in zip((*at, *[None] * len(leading)), leading, strict=False)
    )
    seen = array[tuple(slice(None) if index is None else index for index in chosen)]
    height, width = matrix_shape(seen.shape)
    rows, columns = within(rows, height), within(columns, width)
    text, cut = _text(seen, rows, columns)
    return Part(
        tuple(array.shape), str(array.dtype), chosen, blocks(seen, rows, columns), text, cut
    )


def _text(seen: Any, rows: Range, columns: Range) -> tuple[str, bool]:
    whole = (rows, columns) == tuple((0, length) for length in matrix_shape(seen.shape))
    if not whole:
        shape = rows[1] - rows[0], columns[1] - columns[0]
        few = first_part(shape, MOST_WRITTEN)
        seen = matrix_part(seen, (rows[0], rows[0] + few[0]), (columns[0], columns[0] + few[1]))
        text, written = numpy_text(seen)
    else:
        shape = tuple(seen.shape)
        text, written = numpy_text(seen)
    if written == shape:
        return text, False
    return f"{text}  # cut: the first {list(written)} of {list(shape)}", True

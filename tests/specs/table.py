"""All rows, and their cases (a row with one of its samples)."""

from __future__ import annotations

from . import (
    collections,
    complexes,
    decompositions,
    elementwise,
    indexing,
    products,
    reductions,
    shapes,
    special,
)
from .row import Row, Sample

ROWS: list[Row] = [
    *elementwise.ROWS,
    *reductions.ROWS,
    *shapes.ROWS,
    *indexing.ROWS,
    *products.ROWS,
    *decompositions.ROWS,
    *collections.ROWS,
    *complexes.ROWS,
    *special.ROWS,
]

CASES: list[tuple[Row, Sample]] = [(row, sample) for row in ROWS for sample in row.samples]

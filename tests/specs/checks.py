"""A row is one test: all that is to hold of it, with all its samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tests.fixtures.folded import Folded

from .row import Row, Sample

Check = Callable[[Row, Sample], None]


def check_row(row: Row, *checks: Check, samples: Iterable[Sample] | None = None) -> None:
    """Runs every check with every sample (of the row, or these); fails with all that failed, by name."""
    with Folded() as case:
        for sample in row.samples if samples is None else samples:
            for check in checks:
                with case(check.__name__, sample.name):
                    check(row, sample)

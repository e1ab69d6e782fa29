"""The operations of a run, for `debug=True`: which, of what shape and type, on which line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest
from typing import Any, NamedTuple

from vizgrad.core.errors import place_of
from vizgrad.core.tensor.modes import add_listener, remove_listener
from vizgrad.core.tensor.source_location import Site


class Ran(NamedTuple):
    """One operation that was recorded."""

    what: str
    site: Site | None

    def __str__(self) -> str:
        place = place_of(self.site)
        return f"{self.what} at {place}" if place else self.what


@contextmanager
def noting(log: list[Ran]) -> Iterator[None]:
    """Within the block, enters each operation that this thread records into `log`."""

    def listener(node: Any, outputs: Any) -> None:
        meta = node.meta(0)
        log.append(Ran(f"{node.name()} {list(meta.shape)} {meta.dtype}", node.site))

    add_listener(listener)
    try:
        yield
    finally:
        remove_listener(listener)


def first_difference(before: list[Ran], again: list[Ran]) -> str:
    """Both lists beside each other from shortly before where they part; empty if they are the same."""
    pairs = list(zip_longest(before, again))
    parted = next(
        (n for n, (a, b) in enumerate(pairs) if a is None or b is None or a.what != b.what), None
    )
    if parted is None:
        return ""
    counts = f"{len(before)} operations then, {len(again)} now"
    lines = [f"operation {parted} of the recomputation is another than in the forward ({counts}):"]
    for n, (a, b) in enumerate(pairs[max(parted - 2, 0) : parted + 3], max(parted - 2, 0)):
        mark = ">" if n == parted else " "
        lines += [
            f"{mark} {n} forward:       {a or '(none)'}",
            f"{mark}   recomputation: {b or '(none)'}",
        ]
    return "\n".join(lines)

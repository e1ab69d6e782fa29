"""Ranks in sentences: which ones, and what several of them report."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby


def ranks_text(ranks: Sequence[int], most: int | None = None) -> str:
    """``rank 1``, ``ranks 0, 2 and 3``, ``ranks 0-62``; ``40 ranks`` of more than `most` spans."""
    spans = _spans(sorted(ranks))
    if len(ranks) == 1:
        return f"rank {spans[0]}"
    if most is not None and len(spans) > most:
        return f"{len(ranks)} ranks"
    return f"ranks {' and '.join(filter(None, (', '.join(spans[:-1]), spans[-1])))}"


def _spans(ranks: Sequence[int]) -> list[str]:
    """Three and more in a row are written as one."""
    rows = [
        [rank for _, rank in row]
        for _, row in groupby(enumerate(ranks), key=lambda pair: pair[1] - pair[0])
    ]
    return [
        part
        for row in rows
        for part in ([f"{row[0]}-{row[-1]}"] if len(row) > 2 else [str(rank) for rank in row])
    ]


def all_text(count: int) -> str:
    """``both ranks``, ``all 4 ranks``."""
    return "both ranks" if count == 2 else f"all {count:,} ranks"


def on_ranks(ranks: Sequence[int], count: int | None = None) -> str:
    """``on rank 1 only``, ``on both ranks``, ``on ranks 0 and 2``. `count`: of all ranks, where these are
    some of them.
    """
    if count is None or len(ranks) == count:
        return f"on {all_text(len(ranks))}" if len(ranks) != 1 else f"on rank {ranks[0]}"
    only = " only" if len(ranks) == 1 else ""
    return f"on {ranks_text(ranks)}{only}"

"""Ranks in sentences: which ones, and what several of them report."""

from __future__ import annotations

from collections.abc import Sequence

from vizgrad.debugger.model.figures import ranks_text as ranks_text


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

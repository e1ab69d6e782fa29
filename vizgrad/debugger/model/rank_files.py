"""Names of the files that each rank of a run writes for itself."""

from __future__ import annotations

import re
from pathlib import Path

_RANK = re.compile(r"\brank(\d+)\b")


def rank_path(path: Path, rank: int) -> Path:
    """``run.rank1.vgtrace`` for ``run.vgtrace``."""
    return path.with_name(f"{path.stem}.rank{rank}{path.suffix}")


def rank_of(path: Path) -> int:
    """ValueError where the name says none."""
    numbers = _RANK.findall(path.stem)
    if not numbers:
        raise ValueError(f"the name of {path.name!r} does not say its rank (run.rank1.vgtrace)")
    return int(numbers[-1])

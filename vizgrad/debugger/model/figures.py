"""Numbers, times and ranks in words: of the model, and of all that is made of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby


def number_text(value: float | None, digits: int = 4) -> str:
    """`digits` significant digits, without trailing zeros, as in the live view: ``0.25``, ``1.5e-7``,
    ``NaN``, ``inf``; ``undefined`` for None.
    """
    if value is None:
        return "undefined"
    if math.isnan(value):
        return "NaN"
    if not math.isfinite(value) or value == 0:
        return "0" if value == 0 else str(float(value))
    rounded = float(f"{value:.{digits}g}")
    if 1e-3 <= abs(rounded) < 1e5:
        return _without_zeros(f"{rounded:.{digits + 2}f}")
    mantissa, _, exponent = f"{value:.{min(digits, 3) - 1}e}".partition("e")
    return f"{_without_zeros(mantissa)}e{int(exponent)}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def seconds_text(seconds: float) -> str:
    """``12.5 µs``, ``3.2 ms``, ``1.7 s``."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 1 or unit == "µs":
            return f"{number_text(seconds * factor, 3)} {unit}"
    raise AssertionError("unreachable: the last unit takes everything")


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

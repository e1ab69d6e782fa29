"""Where vizgrad keeps more for a backward than PyTorch, refuses what PyTorch allows, or is spoilt in silence."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzz.compare import Difference, near
from tests.fuzz.saved import Saved
from tests.fuzz.saved_observe import observed

#: Bytes beyond PyTorch's that are none: a number that is an attribute there is an array here.
FEW = 16


def differences(torch: Any, vizgrad: Any, call: Saved) -> list[Difference]:
    theirs, ours = observed(torch, call), observed(vizgrad, call)
    if not theirs or not ours:
        return []  # where one refuses, or records nothing, the call alone is looked at
    found = []
    for what in theirs.keys() & ours.keys():
        there, here = theirs[what], ours[what]
        if what.startswith("write"):
            found += _after_a_write(what, theirs, ours)
        elif what == "again":
            if here == "refused" and there != "refused":
                found.append(Difference("again refused", "allowed", "refused"))
            elif here != "refused" and not alike(here, ours["gradients"]):
                found.append(Difference("again other", ours["gradients"], here))
        elif what in ("held", "kept") and sum(here) > sum(there) + FEW:
            found.append(Difference(what, there, here))
    return sorted(found, key=lambda each: each.what)


def _after_a_write(what: str, theirs: dict[str, Any], ours: dict[str, Any]) -> list[Difference]:
    there, here = theirs[what], ours[what]
    place = what.removeprefix("write ")
    if "unwritable" in (there, here):
        return []
    bytes_of = [sum(seen["held"]) for seen in (theirs, ours)]
    if here == "refused":
        if there == "refused" or not alike(there, theirs["gradients"]):
            return []
        both = [
            f"{word}, {n} bytes held" for word, n in zip(("allowed", here), bytes_of, strict=True)
        ]
        return [Difference(f"refused after a write to {place}", *both)]
    if not alike(here, ours["gradients"]):
        said = there if there == "refused" else "allowed"
        return [Difference(f"spoilt by a write to {place}", said, here)]
    return []


def alike(one: list[Any], other: list[Any]) -> bool:
    """The same arrays; sums may be taken in another order, for memory lies elsewhere each time."""
    return len(one) == len(other) and all(
        (a is None and b is None)
        or (a is not None and b is not None and near(a, b, 16 * float(np.finfo(a.dtype).eps), 1.0))
        for a, b in zip(one, other, strict=True)
    )

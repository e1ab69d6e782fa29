"""Networks: where PyTorch and vizgrad differ, and why."""

from __future__ import annotations

import re

import numpy as np

from tests.fuzz.compare import Difference
from tests.fuzz.networks import Network
from tests.fuzz.open import OPEN_NETWORKS

#: What PyTorch says where it has no derivative, no kernel, or a processor without the instructions of one.
LACKING = ("is not implemented", "not implemented for", "could not create a primitive")

#: A bicubic image that may keep its size: PyTorch's gradient copies it, its value does not (Y-62).
MAY_STAY = re.compile(r"Upsample\((size=|scale_factor=1\.).*'bicubic'")


def _of_nothing(text: str, found: Difference) -> bool:
    """A normalization leaves of equal elements 0, or their rounding, which is divided by its own mean here."""
    divided = "Norm" in text and "x / x.abs().mean()" in text
    sides = [each for each in (found.theirs, found.ours) if isinstance(each, np.ndarray)]
    return divided and any(bool(np.isnan(each).all()) for each in sides if each.dtype.kind in "fc")


def _roots_of_nearly_nothing(text: str, found: Difference) -> bool:
    """The sign of a sum of odd powers hangs on the last digit where it is nearly 0, and with it whether its root is NaN."""
    there, here = found.theirs, found.ours
    both = isinstance(there, np.ndarray) and isinstance(here, np.ndarray)
    if "LPPool" not in text or not both or there.shape != here.shape or there.dtype.kind != "f":
        return False
    finite = np.isfinite(there) & np.isfinite(here)
    sums = there[finite] ** 3, here[finite] ** 3
    return bool(np.isclose(*sums, 2e-2, 2e-2 * np.abs(sums[0]).max(initial=0)).all())


def known_network(network: Network, found: Difference) -> bool:
    """Derivatives that PyTorch has not, what is refused on purpose, and what is open."""
    text, ours = "\n".join(network.source()), str(found.ours)
    if any(layer in text and word in ours for layer, word in OPEN_NETWORKS):
        return True
    if MAY_STAY.search(text) and not isinstance(found.theirs, Exception) and found.ours is not None:
        return True
    if _of_nothing(text, found) or _roots_of_nearly_nothing(text, found):
        return True
    # a part of which each run gives other values (a power iteration) is refused on purpose: its gradient would be wrong
    if "different values than during the forward" in ours:
        return True
    lacking = any(phrase in str(found.theirs) for phrase in LACKING)
    # without a primitive PyTorch ends where vizgrad goes on, and may meet what is wrong with the network itself
    farther = found.ours is None or LACKING[-1] in str(found.theirs)
    return isinstance(found.theirs, Exception) and lacking and farther

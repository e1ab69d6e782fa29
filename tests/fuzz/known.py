"""Where PyTorch is wrong, noisy or says nothing: what is not compared, and why."""

from __future__ import annotations

from tests.fuzz.calls import Call
from tests.fuzz.compare import Difference
from tests.fuzz.known_entry import Known
from tests.fuzz.known_of_all import OF_ALL
from tests.fuzz.known_of_elements import OF_ELEMENTS
from tests.fuzz.known_of_layers import OF_LAYERS
from tests.fuzz.known_of_matrices import OF_MATRICES
from tests.fuzz.operations import operations

KNOWN: tuple[Known, ...] = (*OF_ALL, *OF_ELEMENTS, *OF_MATRICES, *OF_LAYERS)


def known(call: Call, difference: Difference) -> bool:
    return any(each.covers(call, difference) for each in KNOWN)


def random_values(call: Call, difference: Difference) -> bool:
    """Of operations that draw, only the form is compared."""
    words = ("value", "gradient", "plain gradient", "second", "kind")
    drawn = operations()[call.operation].random
    return drawn and (difference.kind in words or difference.kind.endswith(" after"))

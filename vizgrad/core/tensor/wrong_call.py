"""The explanation of a call that cannot be understood: the line of the call, and how to call it."""

from __future__ import annotations

from vizgrad.core.errors import E, explained, place_of
from vizgrad.core.tensor.source_location import caller


def wrong_call(error: E, fix: str, kind: str = "wrong-call") -> E:
    """`error`, blamed on the nearest line outside vizgrad; raise what this returns."""
    return explained(error, kind=kind, culprit=place_of(caller()), fix=fix)

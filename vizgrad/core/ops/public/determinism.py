"""Results that are the same bit for bit each time, also on a device (spec T-89)."""

from __future__ import annotations

from vizgrad.core.arrays.kernels import places
from vizgrad.core.ops.forms import public


@public
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Lets scattered additions on a device happen in a fixed order, which sorts and takes longer.

    On the CPU the order is always fixed. `warn_only` changes nothing: no operation lacks such a form.
    """
    places.deterministic = bool(mode)


@public
def are_deterministic_algorithms_enabled() -> bool:
    return places.deterministic

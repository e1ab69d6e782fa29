"""The default generators of random numbers, as torch.random."""

from __future__ import annotations

from collections.abc import Generator as _Steps
from collections.abc import Iterable
from contextlib import contextmanager
from typing import Any

from vizgrad import cuda
from vizgrad.core.arrays import random as _random
from vizgrad.core.ops.public.generators import get_rng_state as get_rng_state
from vizgrad.core.ops.public.generators import initial_seed as initial_seed
from vizgrad.core.ops.public.generators import manual_seed as manual_seed
from vizgrad.core.ops.public.generators import seed as seed
from vizgrad.core.ops.public.generators import set_rng_state as set_rng_state

#: The generator of the CPU from which numbers are drawn where no other is given.
default_generator = _random.default_generator()


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None, enabled: bool = True, device_type: str | None = None
) -> _Steps[None]:
    """Within the block numbers are drawn that do not count outside: afterwards the default generators of the
    CPU and of the `devices` (all of a GPU's, where none are named) are where they were.

    RuntimeError for a `device_type` other than "cpu" and "cuda".
    """
    if device_type not in (None, "cpu", "cuda"):
        raise RuntimeError(f"fork_rng has no device type {device_type!r}: it knows cpu and cuda")
    if not enabled:
        yield
        return
    if device_type == "cpu" or not cuda.is_available():
        devices = ()
    elif devices is None:
        devices = range(cuda.device_count())
    before = get_rng_state()
    on_devices = [(device, cuda.get_rng_state(device)) for device in devices]
    try:
        yield
    finally:
        set_rng_state(before)
        for device, state in on_devices:
            cuda.set_rng_state(state, device)

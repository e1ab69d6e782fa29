"""Seeds and states of the generators of devices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays.backend import Device
from vizgrad.core.arrays.random import Generator, default_generator
from vizgrad.core.ops.public.generators import get_state, set_state
from vizgrad.core.tensor.tensor import Tensor
from vizgrad.cuda.devices import current_device, device_count, is_available, number_of


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current device; nothing happens without one."""
    if is_available():
        _generator(current_device()).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices."""
    for number in range(device_count()):
        _generator(number).manual_seed(int(seed))


def seed() -> None:
    """Seeds the generator of the current device with a number that nobody chose."""
    if is_available():
        _generator(current_device()).seed()


def seed_all() -> None:
    """Seeds the generators of all devices with one number that nobody chose."""
    if is_available():
        manual_seed_all(_generator(0).seed())


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return _generator(current_device()).initial_seed()


def get_rng_state(device: Any = "cuda") -> Tensor:
    """Seed and offset of the device's generator as 16 bytes (uint8, on the CPU), as torch.cuda gives them."""
    return get_state(_generator(number_of(device)))


def get_rng_state_all() -> list[Tensor]:
    """`get_rng_state` of each device."""
    return [get_rng_state(number) for number in range(device_count())]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Goes back to a state of `get_rng_state`, PyTorch's too.

    TypeError for anything but bytes, RuntimeError for other than 16.
    """
    set_state(_generator(number_of(device)), new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """`set_rng_state` of each device, in order."""
    for number, state in enumerate(new_states):
        set_rng_state(state, number)


def _generator(number: int) -> Generator:
    return default_generator(Device("cuda", number))

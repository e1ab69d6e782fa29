"""Seeds of the generators of devices."""

from __future__ import annotations

from vizgrad.core.arrays.backend import Device
from vizgrad.core.arrays.random import Generator, default_generator
from vizgrad.cuda.devices import current_device, device_count, is_available


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


def _generator(number: int) -> Generator:
    return default_generator(Device("cuda", number))

"""Seeds and states of the generators of devices."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from vizgrad.core.arrays.backend import CPU, Device
from vizgrad.core.arrays.dtypes import uint8
from vizgrad.core.arrays.random import Generator, default_generator
from vizgrad.core.ops.public.from_values import tensor
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
    state = _generator(number_of(device)).get_state()
    parts = (state["seed"] % 2**64, state["offset"])
    return tensor(list(b"".join(n.to_bytes(8, "little") for n in parts)), dtype=uint8, device=CPU)


def get_rng_state_all() -> list[Tensor]:
    """`get_rng_state` of each device."""
    return [get_rng_state(number) for number in range(device_count())]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Goes back to a state of `get_rng_state`, PyTorch's too. RuntimeError for anything but 16 bytes."""
    found = bytes(new_state.tolist()) if new_state.dtype is uint8 else b""
    if len(found) != 16:
        raise RuntimeError("RNG state must be a uint8 tensor of 16 bytes: seed and offset")
    seed, offset = (int.from_bytes(found[at : at + 8], "little") for at in (0, 8))
    _generator(number_of(device)).set_state({"seed": seed, "offset": offset})


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """`set_rng_state` of each device, in order."""
    for number, state in enumerate(new_states):
        set_rng_state(state, number)


def _generator(number: int) -> Generator:
    return default_generator(Device("cuda", number))

"""Generators of random numbers, their seeds and their states (spec T-30)."""

from __future__ import annotations

from typing import Any

from vizgrad.core.arrays import dtypes, random, xp
from vizgrad.core.arrays.backend import parse_device
from vizgrad.core.arrays.random import Generator as _Generator
from vizgrad.core.ops.forms import public
from vizgrad.core.tensor.tensor import Tensor, new_tensor


@public
class Generator(_Generator):
    """A source of random numbers with a state of its own; pass it as `generator=`."""

    def __init__(self, device: Any = None) -> None:
        super().__init__(parse_device("cpu" if device is None else device))


@public
def manual_seed(seed: int) -> _Generator:
    """Seeds the default generators of all devices; returns that of the CPU."""
    return random.seed_all(int(seed))


@public
def seed() -> int:
    """Seeds the default generator with a number that nobody chose; returns it."""
    return random.default_generator().seed()


@public
def initial_seed() -> int:
    return random.default_generator().initial_seed()


@public
def get_rng_state() -> Tensor:
    """The state of the default generator of the CPU as bytes (uint8), for `set_rng_state`. They are numpy's,
    fewer than PyTorch's, which cannot be read here.
    """
    return get_state(random.default_generator())


@public
def set_rng_state(new_state: Tensor) -> None:
    """Goes back to a state of `get_rng_state`.

    TypeError for anything but bytes, RuntimeError for another number of them.
    """
    set_state(random.default_generator(), new_state)


def get_state(self: _Generator) -> Tensor:
    """The state as bytes (uint8, on the CPU), for `set_state`."""
    return new_tensor(xp.frombuffer(bytearray(self.state_bytes()), xp.uint8))


def set_state(self: _Generator, new_state: Tensor) -> _Generator:
    """Goes back to a state that `get_state` gave; returns the generator.

    TypeError for anything but bytes, RuntimeError for another number of them.
    """
    if not isinstance(new_state, Tensor):
        raise TypeError(f"expected a vizgrad.ByteTensor, but got {type(new_state).__name__}")
    if new_state.dtype is not dtypes.uint8 or new_state.is_cuda:
        raise TypeError(
            f"RNG state must be a vizgrad.ByteTensor, on the CPU; this one has {new_state.dtype}"
        )
    kind = "CUDA" if self.device.type == "cuda" else "CPU"
    if new_state.numel() != self.state_size:
        raise RuntimeError(
            f"Expected a {kind}GeneratorImplState of size {self.state_size} but found the input RNG state "
            f"size to be {new_state.numel()}: the state is of another device, or another library"
        )
    return self.restore_bytes(bytes(new_state.tolist()))


def clone_state(self: _Generator) -> _Generator:
    """A generator of its own that goes on from the same state."""
    return Generator(self.device).restore(self.snapshot())


for _attached in (get_state, set_state, clone_state):
    setattr(_Generator, _attached.__name__, _attached)

"""Random numbers: one generator per program and device, or the user's own (spec T-30).

On the CPU the sequences are numpy's, not PyTorch's; the same seed gives the same numbers. On a device
numbers are those of PyTorch there (see `philox.py`), and the state is a seed and an offset. Gamma, Poisson
and binomial numbers are cupy's, from a seed that is drawn for each call.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from ctypes import string_at
from functools import wraps
from inspect import signature
from itertools import accumulate
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import CPU, Array, Device, namespace_for, on, placed, to_host
from vizgrad.core.arrays.philox import Philox


class Generator:
    """A source of random numbers with a state of its own, as torch.Generator."""

    def __init__(self, device: Device = CPU) -> None:
        self.device = device
        self._seed = 67280421310721  # PyTorch's default seed: a fresh program is reproducible
        self._source: Any = None
        self._philox = None if device.type == "cpu" else Philox(self._seed)

    def manual_seed(self, seed: int) -> Generator:
        """Starts again from `seed` (taken modulo 2**64); returns self."""
        if self._philox is not None:
            self._philox.restart(int(seed))
        self._seed = int(seed)
        self._source = None
        return self

    def seed(self) -> int:
        """Starts again from a seed that nobody chose; returns it."""
        self.manual_seed(int.from_bytes(os.urandom(8), "little") >> 1)
        return self._seed

    def initial_seed(self) -> int:
        return self._seed

    @property
    def source(self) -> Any:
        """numpy's Generator; of a device cupy's, made anew, from a seed that is drawn."""
        if self._philox is not None:
            with on(self.device) as library:
                drawn = self._philox.integers(library, 0, 2**62, (1,))
                return library.random.default_rng(int(to_host(drawn)[0]))
        if self._source is None:
            self._source = np.random.Generator(np.random.PCG64(self._seed % 2**64))
        return self._source

    def get_offset(self) -> int:
        """How far the generator of a device is on in its sequence. RuntimeError for the CPU's."""
        return self.philox.state()[1]

    def set_offset(self, offset: int) -> None:
        """Goes to a place in the sequence of a device, a multiple of 4. RuntimeError for the CPU's."""
        if offset < 0 or offset % 4:
            raise RuntimeError(f"offset must be a multiple of 4, but got {offset}")
        self.philox.restart(self._seed, int(offset))

    @property
    def philox(self) -> Philox:
        """RuntimeError for the generator of the CPU."""
        if self._philox is None:
            raise RuntimeError("the generator of the CPU has no offset: that of a CUDA device has")
        return self._philox

    def snapshot(self) -> Any:
        """The state as plain data; see `restore`."""
        if self._philox is not None:
            return {"seed": self._seed, "offset": self._philox.state()[1]}
        return {"seed": self._seed, "bits": self.source.bit_generator.state}

    def restore(self, state: Any) -> Generator:
        """Goes back to a state that `snapshot` gave."""
        self.manual_seed(state["seed"])
        if self._philox is not None:
            self._philox.offset = state["offset"]
        else:
            self.source.bit_generator.state = state["bits"]
        return self

    def noted(self) -> Callable[[], object]:
        """Notes the state; what this returns goes back to it. Before the first number that is the seed."""
        if self._philox is None and self._source is None:
            seed = self._seed
            return lambda: self.manual_seed(seed)
        state = self.snapshot()
        return lambda: self.restore(state)

    @property
    def state_size(self) -> int:
        """Bytes of `state_bytes`."""
        return sum(_OF_THE_CPU if self._philox is None else _OF_A_DEVICE)

    def state_bytes(self) -> bytes:
        """The state as bytes: the seed and the offset of a device, the seed and numpy's state of the CPU."""
        state = self.snapshot()
        if self._philox is not None:
            numbers = (state["seed"], state["offset"])
        else:
            bits = state["bits"]
            inner = bits["state"]
            numbers = (
                state["seed"], inner["state"], inner["inc"], bits["has_uint32"], bits["uinteger"],
            )  # fmt: skip
        sizes = _OF_THE_CPU if self._philox is None else _OF_A_DEVICE
        return b"".join(
            (number % 256**size).to_bytes(size, "little")
            for number, size in zip(numbers, sizes, strict=True)
        )

    def restore_bytes(self, state: bytes) -> Generator:
        """Goes back to a state that `state_bytes` gave; there must be `state_size` of them."""
        sizes = _OF_THE_CPU if self._philox is None else _OF_A_DEVICE
        ends = list(accumulate(sizes))
        numbers = [
            int.from_bytes(state[end - size : end], "little")
            for end, size in zip(ends, sizes, strict=True)
        ]
        if self._philox is not None:
            return self.restore({"seed": numbers[0], "offset": numbers[1]})
        seed, inner, inc, has_uint32, uinteger = numbers
        bits = {
            "bit_generator": "PCG64", "state": {"state": inner, "inc": inc},
            "has_uint32": has_uint32, "uinteger": uinteger,
        }  # fmt: skip
        return self.restore({"seed": seed, "bits": bits})


#: Bytes of each number of a state: of the CPU the seed, PCG64's state and increment, whether half a word is
#: left, and that half; of a device the seed and the offset.
_OF_THE_CPU, _OF_A_DEVICE = (8, 16, 16, 8, 8), (8, 8)

_default: dict[Device, Generator] = {}
#: The seed that was given to all devices, if one was.
_seeds: list[int] = []


def default_generator(device: Device = CPU) -> Generator:
    device = placed(device)
    made = _default.get(device)
    if made is None:
        made = _default[device] = Generator(device)
        if _seeds:
            made.manual_seed(_seeds[-1])
    return made


def generators() -> list[Generator]:
    """The default generators of all devices that have been used."""
    return [default_generator(), *(each for device, each in _default.items() if device != CPU)]


class SharedState:
    """The state of the generator behind `numpy.random.seed` and its like, which a program's parts share.

    To read it takes a tenth of a millisecond, which a step of a training would feel: where its memory is what
    it was when it was last read, the state is that.
    """

    def __init__(self) -> None:
        self._memory = b""
        self._state: Any = None

    def noted(self, *, exact: bool = False) -> Callable[[], None]:
        """Notes it; what this returns sets it. A normal number that was drawn with the one before and waits
        shows in no memory: with `exact` the state is read.
        """
        memory = _memory_of_shared()
        if exact or self._state is None or not memory or memory != self._memory:
            self._memory, self._state = memory, np.random.get_state()  # noqa: NPY002
        state = self._state
        return lambda: np.random.set_state(state)  # noqa: NPY002


#: Bytes of the state of a Mersenne twister: 624 words, and the place among them.
_TWISTER = 2500


def _memory_of_shared() -> bytes:
    """Empty of another kind of generator."""
    source = np.random.get_bit_generator()  # pyright: ignore[reportAttributeAccessIssue]  no stub
    if type(source) is not np.random.MT19937:
        return b""
    return string_at(source.ctypes.state_address, _TWISTER)


def seed_all(seed: int) -> Generator:
    """Seeds the generators of all devices, also those not used yet; returns that of the CPU."""
    _seeds[:] = [seed]
    for generator in _default.values():
        generator.manual_seed(seed)
    return default_generator().manual_seed(seed)


def _numbers(
    what: str, shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None,
    *given: float,
) -> Array:  # fmt: skip
    """Numbers of a device, from the distribution `what` with these parameters."""
    philox = _of(generator, device).philox
    return philox.numbers(namespace_for(device), what, shape, np.dtype(dtype), *given)


def _of(generator: Generator | None, device: Device) -> Generator:
    """RuntimeError for a generator of another kind of device."""
    if generator is None:
        return default_generator(device)
    if generator.device.type != device.type:
        raise RuntimeError(
            f"Expected a '{device.type}' device type for generator but found '{generator.device.type}'"
        )
    return generator


def _source(generator: Generator | None, device: Device) -> Any:
    return _of(generator, device).source


def _there(draw: Callable[..., Array]) -> Callable[..., Array]:
    """Draws while the device that `draw` is given is the current one."""
    at = list(signature(draw).parameters).index("device")

    @wraps(draw)
    def drawn(*given: Any) -> Array:
        if given[at].type == "cpu":
            return draw(*given)
        with on(given[at]):
            return draw(*given)

    return drawn


def _float_type(dtype: Any) -> Any:
    return dtype if dtype in (np.float32, np.float64) else np.float32


def _part(dtype: Any) -> Any:
    return np.dtype("float32" if dtype.itemsize == 8 else "float64")


@_there
def uniform(
    shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None,
    low: float = 0.0, high: float = 1.0,
) -> Array:  # fmt: skip
    """From [low, high); of complex numbers both parts from [0, 1), times high - low, plus low."""
    if np.dtype(dtype).kind == "c":
        made = uniform((*shape, 2), _part(dtype), device, generator).view(dtype)[..., 0]
    elif device.type != "cpu":
        philox = _of(generator, device).philox
        return philox.uniform(namespace_for(device), shape, np.dtype(dtype), low, high)
    else:
        made = _source(generator, device).random(shape, dtype=_float_type(dtype))
        made = np.asarray(made) if isinstance(made, float) else made
        made = made.astype(dtype, copy=False)
    return made if (low, high) == (0, 1) else made * (high - low) + low


@_there
def normal(
    shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None,
    mean: float = 0.0, std: float = 1.0,
) -> Array:  # fmt: skip
    """With this mean and standard deviation; of complex numbers each part has half of the variance, and
    `mean` is that of both parts.
    """
    kind = np.dtype(dtype)
    if kind.kind == "c":
        both = normal((*shape, 2), _part(dtype), device, generator)
        both *= both.dtype.type(math.sqrt(0.5))
        made = both.view(dtype)[..., 0]
        return made if (mean, std) == (0, 1) else made * std + kind.type(complex(mean, mean))
    if device.type != "cpu":
        return _numbers("normal", shape, dtype, device, generator, mean, std)
    made = _source(generator, device).standard_normal(shape, dtype=_float_type(dtype))
    made = np.asarray(made) if isinstance(made, float) else made
    made = made.astype(dtype, copy=False)
    return made if (mean, std) == (0, 1) else made * std + kind.type(mean)


@_there
def log_normal(
    shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None,
    mean: float, std: float,
) -> Array:  # fmt: skip
    """Numbers whose logarithm is normal with this mean and standard deviation."""
    if device.type != "cpu":
        return _numbers("log_normal", shape, dtype, device, generator, mean, std)
    return np.exp(mean + std * normal(shape, np.float64, device, generator))


@_there
def cauchy(
    shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None,
    median: float, sigma: float,
) -> Array:  # fmt: skip
    """From the Cauchy distribution with this median; `sigma` is half of its width at half of its height."""
    if device.type != "cpu":
        return _numbers("cauchy", shape, dtype, device, generator, median, sigma)
    drawn = uniform(shape, np.float64, device, generator)
    return median + sigma * np.tan(math.pi * (drawn - 0.5))


@_there
def geometric(
    shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None, chance: float
) -> Array:
    """How many trials there are until the first success, from 1."""
    if device.type != "cpu":
        return _numbers("geometric", shape, dtype, device, generator, chance)
    drawn = uniform(shape, np.float64, device, generator)
    return np.ceil(np.log1p(-drawn) / math.log1p(-chance)).clip(1)


@_there
def bernoulli(
    shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None, chance: float
) -> Array:
    """1 with this probability, else 0."""
    if device.type != "cpu":
        return _numbers("bernoulli", shape, dtype, device, generator, chance)
    return uniform(shape, np.float64, device, generator) < chance


@_there
def chosen(
    chances: Array, like: Array, kind: Any, device: Device, generator: Generator | None
) -> Array:
    """1 with the probability of each element, else 0. On the CPU numbers of type `kind` are drawn; on a
    device the elements are those of `like`, in the order in which they lie in memory.
    """
    if device.type != "cpu":
        return _of(generator, device).philox.chosen(namespace_for(device), chances, like)
    return uniform(chances.shape, kind, device, generator) < chances


@_there
def kept(like: Array, chance: float, device: Device, generator: Generator | None) -> Array:
    """The factors of dropout for an array of a device: 1 / chance with this probability, else 0."""
    return _of(generator, device).philox.kept(namespace_for(device), like, chance)


@_there
def integers(
    low: int,
    high: int,
    shape: tuple[int, ...],
    dtype: Any,
    device: Device,
    generator: Generator | None,
    short: bool = False,
) -> Array:
    """From low, ..., high - 1. With `short` each of a device's is made of one word, where that is enough."""
    if device.type != "cpu":
        philox, library = _of(generator, device).philox, namespace_for(device)
        if short and low == 0 and high < 2**32:
            return philox.words(library, high, shape).astype(dtype, copy=False)
        return philox.integers(library, low, high, shape).astype(dtype, copy=False)
    made = _source(generator, device).integers(low, high, shape, dtype=np.int64)
    return np.asarray(made).astype(dtype, copy=False)


@_there
def permutation(n: int, dtype: Any, device: Device, generator: Generator | None) -> Array:
    if device.type != "cpu":
        made = _of(generator, device).philox.permutation(namespace_for(device), n)
        return made.astype(dtype, copy=False)
    return _source(generator, device).permutation(n).astype(dtype, copy=False)


@_there
def exponential(
    shape: tuple[int, ...], dtype: Any, device: Device, generator: Generator | None,
    rate: float = 1.0,
) -> Array:  # fmt: skip
    if device.type != "cpu":
        rate = rate if dtype == np.float64 else float(np.float32(rate))
        return _numbers(
            "exponential", shape, dtype, device, generator, 1 / rate if rate else math.inf
        )
    made = _source(generator, device).standard_exponential(shape, dtype=_float_type(dtype))
    made = np.asarray(made) if isinstance(made, float) else made
    return made.astype(dtype, copy=False) / rate


@_there
def multinomial(
    weights: Array, samples: int, replacement: bool, device: Device, generator: Generator | None
) -> Array:
    """`samples` positions per row, drawn with probabilities proportional to the rows of `weights`."""
    rows, n = weights.shape
    if device.type != "cpu":
        return _places(weights, samples, replacement, device, generator)
    weights = weights.astype(np.float64)
    if not replacement:  # the smallest of exponential waiting times: a draw without putting back
        with np.errstate(all="ignore"):  # what has no weight, or hardly any, is never drawn
            waits = exponential((rows, n), np.float64, device, generator) / weights
        return np.argsort(waits, axis=1, kind="stable")[:, :samples].astype(np.int64)
    ends = np.cumsum(weights, axis=1)
    points = uniform((rows, samples), np.float64, device, generator) * ends[:, -1:]
    found = (points[:, :, None] >= ends[:, None, :]).sum(axis=2)
    return np.minimum(found, n - 1).astype(np.int64)


def _places(
    weights: Array, samples: int, replacement: bool, device: Device, generator: Generator | None
) -> Array:
    """`multinomial` on a device, in the type of `weights`: with replacement by their running sums, else, and
    for one sample, the largest quotients by exponential numbers.
    """
    if replacement and samples > 1:
        return _of(generator, device).philox.of_rows(namespace_for(device), weights, samples)
    waits = exponential(weights.shape, weights.dtype, device, generator)
    found = (weights / waits).astype(np.promote_types(weights.dtype, np.float32))
    if samples == 1:
        return np.argmax(found, axis=1).reshape(-1, 1)
    return np.argsort(-found, axis=1, kind="stable")[:, :samples]


@_there
def standard_gamma(shapes: Array, device: Device, generator: Generator | None) -> Array:
    """Gamma numbers with the given shape parameters and rate 1."""
    made = _source(generator, device).standard_gamma(shapes.astype(np.float64))
    made = np.asarray(made) if isinstance(made, float) else made
    return made.astype(shapes.dtype)


@_there
def poisson(rates: Array, device: Device, generator: Generator | None) -> Array:
    """Counts of events that happen at the given rates; the rate itself from 2 ** 62 on, where a double
    holds nothing between.
    """
    rates = rates.astype(np.float64)
    usual = rates < 2.0**62
    made = _source(generator, device).poisson(np.where(usual, rates, 0))
    return np.where(usual, np.asarray(made) if device == CPU else made, rates)


@_there
def binomial(counts: Array, chances: Array, device: Device, generator: Generator | None) -> Array:
    """Numbers of successes in as many trials; the mean where those are beyond 2 ** 63, NaN of NaN."""
    counts, chances = counts.astype(np.float64), chances.astype(np.float64)
    usual = (counts >= 0) & (counts < 2.0**63)
    sure = np.where(chances == chances, np.clip(chances, 0, 1), 0)
    trials = np.where(usual, counts, 0).astype(np.int64)
    made = _source(generator, device).binomial(trials, sure)
    made = (np.asarray(made) if device == CPU else made).astype(np.float64)
    made = np.where(counts >= 2.0**63, counts * sure, made)
    return np.where((counts != counts) | (chances != chances), np.nan, made)

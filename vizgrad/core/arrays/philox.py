"""Random numbers of a device by Philox 4x32-10, drawn as PyTorch draws them there.

The generator of J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3"
(2011), keeps no state: from a key (the seed) and a counter of 128 bits it makes four words of 32 bits. The
upper half of the counter is the number of a thread; the lower half is how many times that thread has drawn,
beginning with the generator's offset divided by four. A call moves the offset on by four for each time that a
thread draws.

Which element is whose follows from the number of threads, and that from the device: threads take turns, and a
thread that draws four numbers (two of double precision) has elements that are all threads apart; in dropout
they lie side by side, as many as 16 bytes hold. The formulas from words to numbers are those of NVIDIA's
cuRAND; their last bits are the device's.

PyTorch draws arrays of more than 2 GiB in several parts: there the numbers are others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.graph_capture import Place, capture, check_not_captured
from vizgrad.core.arrays.layout import address, empty_like_strides, is_dense
from vizgrad.core.arrays.philox_kernels import KINDS, compiled

_THREADS = 256
_TYPES = {"float": np.dtype("f4"), "double": np.dtype("f8"), "long long": np.dtype("i8")}
#: From so many whole numbers on, each is made of two words: the remainder favours the small ones less.
_WIDE = 1 << 28
#: Samples of a row are drawn by blocks of so many threads, and rows by as many rows of blocks.
_SAMPLES, _ROWS = 128, 65535


class Philox:
    """Where a generator of a device stands: its seed, and its offset."""

    def __init__(self, seed: int, offset: int = 0) -> None:
        self.seed = seed % 2**64
        self.offset = offset

    def restart(self, seed: int, offset: int = 0) -> None:
        """Goes to the beginning of another sequence, or to a place in it. RuntimeError during a capture."""
        check_not_captured(
            "the state of a generator cannot be set", "the graph would not repeat it"
        )
        self.seed, self.offset = seed % 2**64, offset

    def state(self) -> tuple[int, int]:
        """Seed and offset. RuntimeError during a capture."""
        check_not_captured("the state of a generator is not known", "it is that of each launch")
        return self.seed, self.offset

    def _launch(
        self, library: Any, kind: str, blocks: int, threads: int, moved: int, given: tuple[Any, ...]
    ) -> None:
        """Starts a kernel, and advances the offset."""
        found = capture()
        if found is None:
            state: tuple[Any, ...] = (np.uint64(self.seed), np.uint64(self.offset))
            self.offset += moved
        else:
            place = found.place_of(self)
            state = (place.memory, np.uint64(place.moved))
            place.moved += moved
        if hasattr(library, "run_philox"):  # the tests' fake, which cannot run CUDA C
            library.run_philox(kind, state, blocks * threads, given)
        else:
            compiled(library, kind, found is not None)((blocks,), (threads,), (*state, *given))

    def draw(self, library: Any, kind: str, n: int, *given: Any, moved: int = 0) -> Array:
        """n numbers on the current device. `kind` is one of `KINDS`, `given` are its parameters.

        `moved` is by how much the offset moves on; 0: by four for each time that a thread draws four words.
        """
        ctype, each, side = KINDS[kind].ctype, KINDS[kind].each, KINDS[kind].side
        made = library.empty(n, _TYPES[ctype])
        if n:
            blocks = -(-n // _THREADS)
            if not moved:
                blocks = min(blocks, _most_blocks(library, library.cuda.runtime.getDevice()))
                moved = 4 * -(-n // (_THREADS * blocks * (4 if side else each)))
            self._launch(library, kind, blocks, _THREADS, moved, (*given, np.int64(n), made))
        return made

    def numbers(
        self, library: Any, what: str, shape: tuple[int, ...], dtype: np.dtype[Any], *given: float
    ) -> Array:
        """Numbers of a distribution, with its parameters: in single precision (for doubles in double), and
        then rounded to `dtype`.
        """
        kind = f"{what}_{'d' if dtype == np.float64 else 'f'}"
        real = _TYPES[KINDS[kind].ctype].type
        made = self.draw(library, kind, math.prod(shape), *map(real, given)).reshape(shape)
        return made.astype(dtype, copy=False)

    def uniform(
        self, library: Any, shape: tuple[int, ...], dtype: np.dtype[Any], low: float, high: float
    ) -> Array:
        """From [low, high), of a floating type: what is rounded to `high` becomes `low`."""
        first, end = dtype.type(low), dtype.type(high)
        with np.errstate(all="ignore"):
            width = float(end - first)
        if dtype.itemsize >= 4:
            return self.numbers(library, "uniform", shape, dtype, width, float(first), float(end))
        given = width, float(first), math.nan
        made = self.numbers(library, "uniform", shape, np.dtype(np.float32), *given)
        return np.where(made.astype(dtype) == float(end), np.float32(first), made).astype(dtype)

    def integers(self, library: Any, low: int, high: int, shape: tuple[int, ...]) -> Array:
        """From low, ..., high - 1, as int64."""
        count, n = high - low, math.prod(shape)
        if count == 2**64:
            return self.draw(library, "all", n).reshape(shape)
        kind = "wide" if count >= _WIDE else "whole"
        return self.draw(library, kind, n, np.int64(low), np.uint64(count)).reshape(shape)

    def words(self, library: Any, count: int, shape: tuple[int, ...]) -> Array:
        """From 0, ..., count - 1, as int64, each of one word: `count` is below 2 ** 32."""
        given = np.int64(0), np.uint64(count)
        return self.draw(library, "whole", math.prod(shape), *given).reshape(shape)

    def kept(self, library: Any, like: Array, chance: float) -> Array:
        """The factors of dropout for `like`: 1 / chance with probability `chance`, else 0.

        They lie in memory as `like` does, if that is dense.
        """
        real = np.dtype(np.float64 if like.dtype == np.float64 else np.float32).type
        dense, n = is_dense(like), like.size
        side = _aligned(like) if dense else 1
        while n % side:
            side //= 2
        kept = real(chance)
        kind = f"kept{side}_{'d' if real is np.float64 else 'f'}"
        made = self.draw(library, kind, n, kept, real(1 / float(kept))).astype(
            like.dtype, copy=False
        )
        if side > 1:
            return in_order_of(like, made.reshape)
        out = empty_like_strides(like, made)
        out[...] = made.reshape(like.shape)
        return out

    def chosen(self, library: Any, chances: Array, like: Array) -> Array:
        """1 with the probability that stands in `chances`, of single or double precision, else 0.

        The number that is drawn first belongs to the element that lies first in `like`.
        """
        kind = f"chosen_{'d' if chances.dtype == np.float64 else 'f'}"
        order = _order_of(like)
        flat = np.transpose(np.broadcast_to(chances, like.shape), order).copy(order="C")
        made = self.draw(library, kind, flat.size, flat, moved=12).reshape(flat.shape)
        return np.transpose(made, _undone(order))

    def permutation(self, library: Any, n: int) -> Array:
        """0, ..., n - 1 in the order of keys that are drawn; where two keys are equal, shuffled."""
        if not n:
            return library.empty(0, np.int64)
        # So many bits that two of n keys are equal in one call of ten.
        bits = min(64, math.ceil(math.log2(n - (6 * n * n + 1) / (12 * math.log(0.9)))))
        width = 32 if bits <= 32 else 64
        given = np.int64(-(2 ** (width - 1))), np.uint64(2**width - 1)
        keys = self.draw(library, "wide", n, *given)
        if bits < width:
            keys &= np.int64(2**bits - 1)
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        moved = 4 * -(-n // 4)
        self._launch(library, "equal", -(-n // 512), 512, moved, (keys, np.int64(n), order))
        return order

    def of_rows(self, library: Any, weights: Array, samples: int) -> Array:
        """Places in each row of `weights`, with replacement."""
        rows, n = weights.shape
        kind = np.float64 if weights.dtype == np.float64 else np.float32
        weights = (weights / weights.sum(axis=1, keepdims=True)).astype(kind)
        ends = np.cumsum(weights, axis=1)
        made = library.empty((rows, samples), np.int64)
        if made.size:
            width = _SAMPLES * -(-samples // _SAMPLES)
            given = (ends, weights, *map(np.int64, (rows, n, samples, width)), made)
            letter = "d" if kind is np.float64 else "f"
            blocks, moved = -(-made.size // _THREADS), 4 * -(-rows // _ROWS)
            self._launch(library, f"rows_{letter}", blocks, _THREADS, moved, given)
        return made


def in_order_of(like: Array, draw: Callable[[tuple[int, ...]], Array]) -> Array:
    """Numbers drawn of a shape, for the elements of `like` in the order in which these lie in memory."""
    if like.flags.c_contiguous:
        return draw(like.shape)
    order = _order_of(like)
    return np.transpose(draw(tuple(like.shape[d] for d in order)), _undone(order))


def _order_of(array: Array) -> tuple[int, ...]:
    """The dimensions, that of the longest strides first."""
    return tuple(sorted(range(array.ndim), key=lambda d: -abs(array.strides[d])))


def _undone(order: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(order.index(d) for d in range(len(order)))


def _aligned(array: Array) -> int:
    """How many elements side by side, of 16 bytes at most, the memory is aligned to."""
    side = max(1, 16 // array.itemsize)
    while address(array) % (side * array.itemsize):
        side //= 2
    return side


@cache
def _most_blocks(library: Any, device: int) -> int:
    """As many as the processors of the device take at once."""
    told = library.cuda.runtime.getDeviceProperties(device)
    return int(told["multiProcessorCount"]) * (int(told["maxThreadsPerMultiProcessor"]) // _THREADS)


# --- generators of a graph of launches --------------------------------------------------------------------

_PLACING = """
extern "C" __global__ void vizgrad_philox_place(
    unsigned long long* at, unsigned long long seed, unsigned long long offset) {
  at[0] = seed;
  at[1] = offset;
}
"""


def before_launch(library: Any, place: Place) -> None:
    """Before a graph is launched: its kernels go on from where the generator stands, and so does the next."""
    philox = place.philox
    _placing(library)((1,), (1,), (place.memory, np.uint64(philox.seed), np.uint64(philox.offset)))
    philox.offset += place.moved


@cache
def _placing(library: Any) -> Any:
    return library.RawKernel(_PLACING, "vizgrad_philox_place")

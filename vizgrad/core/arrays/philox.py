"""Random numbers of a device by Philox 4x32-10, drawn as PyTorch draws them there.

The generator of J. Salmon, M. Moraes, R. Dror and D. Shaw, "Parallel random numbers: as easy as 1, 2, 3"
(2011), keeps no state: from a key (the seed) and a counter of 128 bits it makes four words of 32 bits. The
upper half of the counter is the number of a thread; the lower half is how many times that thread has drawn,
beginning with the generator's offset divided by four. A call moves the offset on by four for each time that a
thread draws.

Which element is whose follows from the number of threads, and that from the device: threads take turns, and a
thread that draws four numbers (two of double precision) has elements that are all threads apart. The formulas
from words to numbers are those of NVIDIA's cuRAND; their last bits are the device's.

PyTorch draws arrays of more than 2 GiB in several parts: there the numbers are others.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from vizgrad.core.arrays.backend import Array
from vizgrad.core.arrays.graph_capture import Place, capture, check_not_captured

_THREADS = 256

_WORDS = """
typedef unsigned long long Wide;
#define LEASTF 5.9604645e-8f
#define LEAST 1.1102230246251565e-16
__device__ void draw(Wide seed, Wide place, Wide thread, unsigned* c) {
  c[0] = (unsigned)place; c[1] = (unsigned)(place >> 32);
  c[2] = (unsigned)thread; c[3] = (unsigned)(thread >> 32);
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xD2511F53u, c[0]), low0 = 0xD2511F53u * c[0];
    unsigned high1 = __umulhi(0xCD9E8D57u, c[2]), low1 = 0xCD9E8D57u * c[2];
    c[0] = high1 ^ c[1] ^ k0; c[1] = low1; c[2] = high0 ^ c[3] ^ k1; c[3] = low0;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
}
__device__ float unit(unsigned x) { return x * 2.3283064e-10f + 2.3283064e-10f / 2; }
__device__ double unit(unsigned x, unsigned y) {
  Wide both = (Wide)x ^ ((Wide)y << 21);
  return both * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
__device__ void normal(unsigned x, unsigned y, float* r) {
  float size = sqrtf(-2.0f * logf(unit(x)));
  float turn = 2.3283064e-10f * 6.2831855f;
  __sincosf(y * turn + turn / 2, &r[0], &r[1]);
  r[0] *= size; r[1] *= size;
}
__device__ void normal(const unsigned* c, double* r) {
  double size = sqrt(-2.0 * log(unit(c[0], c[1])));
  sincospi(2 * unit(c[2], c[3]), &r[0], &r[1]);
  r[0] *= size; r[1] *= size;
}
"""

#: Numbers from the words c[0], ..., c[3], by what is drawn: the type, how many, how. "least" and "count" are
#: those of whole numbers.
_KINDS: dict[str, tuple[str, int, str]] = {
    "uniform_f": ("float", 4, "r[i] = unit(c[i]); if (r[i] == 1) r[i] = 0;"),
    "uniform_d": ("double", 2, "r[i] = unit(c[2 * i], c[2 * i + 1]); if (r[i] == 1) r[i] = 0;"),
    "normal_f": ("float", 4, "if (i % 2 == 0) normal(c[i], c[i + 1], r + i);"),
    "normal_d": ("double", 2, "if (i == 0) normal(c, r);"),
    "exponential_f": (
        "float", 4,
        "r[i] = unit(c[i]); r[i] = r[i] >= 1 - LEASTF ? LEASTF : -logf(r[i]);",
    ),
    "exponential_d": (
        "double", 2,
        "r[i] = unit(c[2 * i], c[2 * i + 1]); r[i] = r[i] >= 1 - LEAST ? LEAST : -log(r[i]);",
    ),
    "whole": ("long long", 4, "r[i] = (long long)(c[i] % (unsigned)count) + least;"),
    "wide": (
        "long long", 2,
        "r[i] = (long long)(((Wide)c[2 * i] << 32 | c[2 * i + 1]) % count) + least;",
    ),
}  # fmt: skip
_TYPES = {"float": np.dtype("f4"), "double": np.dtype("f8"), "long long": np.dtype("i8")}
#: From so many whole numbers on, each is made of two words: the remainder favours the small ones less.
_WIDE = 1 << 28


def _name(kind: str, captured: bool) -> str:
    return f"vizgrad_philox_{kind}{'_of_graph' if captured else ''}"


def _text(kind: str, captured: bool = False) -> str:
    """A graph has seed and offset in memory of the device, and how far the offset has moved by then."""
    ctype, each, formula = _KINDS[kind]
    seed, offset, given = "seed", "offset", "Wide seed, Wide offset"
    if captured:
        seed, offset, given = "at[0]", "(at[1] + moved)", "const Wide* at, Wide moved"
    return f"""{_WORDS}
extern "C" __global__ void {_name(kind, captured)}(
    {given}, long long least, Wide count, long long n, {ctype}* out) {{
  long long threads = (long long)blockDim.x * gridDim.x;
  long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  Wide place = {offset} / 4;
  for (long long first = thread; first < n; first += threads * {each}, ++place) {{
    unsigned c[4];
    {ctype} r[{each}];
    draw({seed}, place, thread, c);
    for (int i = 0; i < {each}; ++i) {{ {formula} }}
    for (int i = 0; i < {each}; ++i)
      if (first + threads * i < n) out[first + threads * i] = r[i];
  }}
}}
"""


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

    def draw(
        self, library: Any, kind: str, shape: tuple[int, ...], least: int = 0, count: int = 1
    ) -> Array:
        """An array of the current device. `kind` is one of `_KINDS`."""
        n = int(np.prod(shape, dtype=np.int64))
        ctype, each, _ = _KINDS[kind]
        if not n:
            return library.empty(shape, _TYPES[ctype])
        blocks = min(-(-n // _THREADS), _most_blocks(library, library.cuda.runtime.getDevice()))
        moved = 4 * (-(-n // (_THREADS * blocks * each)))
        found = capture()
        if found is not None:
            place = found.place_of(self)
            given = (place.memory, np.uint64(place.moved), np.int64(least), np.uint64(count))
            place.moved += moved
            made = library.empty(n, _TYPES[ctype])
            _compiled(library, kind, True)((blocks,), (_THREADS,), (*given, np.int64(n), made))
            return made.reshape(shape)
        offset = self.offset
        self.offset += moved
        if hasattr(library, "run_philox"):  # the tests' fake, which cannot run CUDA C
            made = library.run_philox(kind, self.seed, offset, least, count, n, _THREADS * blocks)
        else:
            made = library.empty(n, _TYPES[ctype])
            numbers = (np.uint64(self.seed), np.uint64(offset), np.int64(least), np.uint64(count))
            _compiled(library, kind)((blocks,), (_THREADS,), (*numbers, np.int64(n), made))
        return made.reshape(shape)

    def numbers(
        self, library: Any, what: str, shape: tuple[int, ...], dtype: np.dtype[Any]
    ) -> Array:
        """Numbers that are "uniform" ([0, 1)), "normal" or "exponential", in any real floating type."""
        made = self.draw(library, f"{what}_{'d' if dtype.itemsize == 8 else 'f'}", shape)
        if made.dtype == dtype:
            return made
        if what == "uniform":  # rounding may lead to 1
            made = np.where(made.astype(dtype) == 1, np.float32(0), made)
        return made.astype(dtype)

    def integers(self, library: Any, low: int, high: int, shape: tuple[int, ...]) -> Array:
        """From low, ..., high - 1, as int64."""
        count = high - low
        return self.draw(library, "wide" if count >= _WIDE else "whole", shape, low, count)


@cache
def _most_blocks(library: Any, device: int) -> int:
    """As many as the processors of the device take at once."""
    told = library.cuda.runtime.getDeviceProperties(device)
    return int(told["multiProcessorCount"]) * (int(told["maxThreadsPerMultiProcessor"]) // _THREADS)


@cache
def _compiled(library: Any, kind: str, captured: bool = False) -> Any:
    return library.RawKernel(_text(kind, captured), _name(kind, captured))


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

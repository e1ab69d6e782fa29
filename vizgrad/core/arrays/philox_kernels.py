"""CUDA C of the kernels that draw by Philox: see `philox.py`.

Each is told seed and offset; in a graph of launches, where they lie in memory of the device, and how far the
offset has moved by then.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

_WORDS = """
typedef unsigned long long Wide;
__device__ void draw(Wide seed, Wide place, Wide thread, unsigned* w) {
  w[0] = (unsigned)place; w[1] = (unsigned)(place >> 32);
  w[2] = (unsigned)thread; w[3] = (unsigned)(thread >> 32);
  unsigned k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xD2511F53u, w[0]), low0 = 0xD2511F53u * w[0];
    unsigned high1 = __umulhi(0xCD9E8D57u, w[2]), low1 = 0xCD9E8D57u * w[2];
    w[0] = high1 ^ w[1] ^ k0; w[1] = low1; w[2] = high0 ^ w[3] ^ k1; w[3] = low0;
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
__device__ void normal(const unsigned* w, double* r) {
  double size = sqrt(-2.0 * log(unit(w[0], w[1])));
  sincospi(2 * unit(w[2], w[3]), &r[0], &r[1]);
  r[0] *= size; r[1] *= size;
}
"""

#: Functions of a drawn number, in single and in double precision; in single those that are fast.
_FUNCTIONS = """
__device__ float in_range(float r, float from, float to) { return r == to ? from : r; }
__device__ double in_range(double r, double from, double to) { return r == to ? from : r; }
#define LEASTF 5.9604645e-8f
#define LEAST 1.1102230246251565e-16
__device__ float wait_of(float u) { return u >= 1 - LEASTF ? LEASTF : -__logf(u); }
__device__ double wait_of(double u) { return u >= 1 - LEAST ? LEAST : -log(u); }
__device__ float tangent(float u) {
  u = u > 1 - 1.1920929e-7f ? 1 - 1.1920929e-7f : u < 1.1920929e-7f ? 1.1920929e-7f : u;
  return __tanf(3.1415927f * (u - 0.5f));
}
__device__ double tangent(double u) { return tan(3.141592653589793 * (u - 0.5)); }
__device__ float trials(float u, float chance) { return ceilf(__logf(u) / __logf(1 - chance)); }
__device__ double trials(double u, double chance) { return ceil(log(u) / log1p(-chance)); }
__device__ float power_of_e(float x) { return __expf(x); }
__device__ double power_of_e(double x) { return exp(x); }
"""


class Kind(NamedTuple):
    """How numbers are drawn: `each` of them from four words w[0], ..., w[3]. Number i is `number`, after
    `before`, which may use the memory r.

    `side` elements of a thread lie side by side; 0: the elements of a thread are all threads apart.
    """

    ctype: str
    each: int
    number: str
    given: str = ""
    before: str = ""
    side: int = 0


def _real(number: str, given: str, normal: bool = False) -> dict[str, Kind]:
    """In single precision and in double; in `number` u stands for the number that is drawn."""
    made: dict[str, Kind] = {}
    for ctype, each, uniform, pair in (
        ("float", 4, "unit(w[i])", "if (i % 2 == 0) normal(w[i], w[i + 1], r + i);"),
        ("double", 2, "unit(w[2 * i], w[2 * i + 1])", "if (i == 0) normal(w, r);"),
    ):
        parameters = "".join(f", {ctype} {name}" for name in given.split())
        before = f"{pair if normal else ''} {ctype} u = {'r[i]' if normal else uniform};"
        made[ctype[0]] = Kind(ctype, each, number, parameters, before)
    return made


_REAL: Final = {
    "uniform": _real("in_range(u * range + from, from, to)", "range from to"),
    "exponential": _real("scale * wait_of(u)", "scale"),
    "bernoulli": _real("u < chance", "chance"),
    "cauchy": _real("median + sigma * tangent(u)", "median sigma"),
    "geometric": _real("trials(u, chance)", "chance"),
    "normal": _real("u * std + mean", "mean std", normal=True),
    "log_normal": _real("power_of_e(u * std + mean)", "mean std", normal=True),
}

#: By name. A name that ends in "_f" is of single precision, in "_d" of double.
KINDS: Final[dict[str, Kind]] = {
    f"{name}_{letter}": kind for name, both in _REAL.items() for letter, kind in both.items()
} | {
    "whole": Kind(
        "long long", 4, "(long long)(w[i] % (unsigned)count) + least", ", long long least, Wide count"
    ),
    "wide": Kind(
        "long long", 2, "(long long)(((Wide)w[2 * i] << 32 | w[2 * i + 1]) % count + (Wide)least)",
        ", long long least, Wide count",
    ),
    "all": Kind("long long", 2, "(long long)((Wide)w[2 * i] << 32 | w[2 * i + 1])"),
}  # fmt: skip

for _letter, _ctype in (("f", "float"), ("d", "double")):
    # Dropout, whose numbers are of single precision even in double: `scale` where an element is kept, else 0.
    for _side in (1, 2, 4, 8) if _letter == "f" else (1, 2):  # 16 bytes at most
        KINDS[f"kept{_side}_{_letter}"] = Kind(
            _ctype, min(_side, 4) if _side > 1 else 4, f"unit(w[i]) < chance ? scale : ({_ctype})0",
            f", {_ctype} chance, {_ctype} scale", side=_side if _side > 1 else 0,
        )  # fmt: skip
    KINDS[f"chosen_{_letter}"] = Kind(
        _ctype, 4, "unit(w[i]) <= chances[at]", f", const {_ctype}* chances", side=4
    )


def name_of(kind: str, captured: bool = False) -> str:
    return f"vizgrad_philox_{kind}{'_of_graph' if captured else ''}"


def _state(captured: bool) -> tuple[str, str, str]:
    """(parameters, the seed, the offset)."""
    if captured:
        return "const Wide* state, Wide moved", "state[0]", "(state[1] + moved)"
    return "Wide seed, Wide offset", "seed", "offset"


def text_of(kind: str, captured: bool = False) -> str:
    parameters, seed, offset = _state(captured)
    name = name_of(kind, captured)
    if kind in _OTHERS:
        body = _OTHERS[kind].replace("SEED", seed).replace("OFFSET", offset)
        return _WORDS + body.replace("NAME(", f"{name}({parameters}, ")
    ctype, each, number, given, before, side = KINDS[kind]
    return f"""{_WORDS}{_FUNCTIONS if kind[-2:] in ("_f", "_d") else ""}
extern "C" __global__ void {name}({parameters}{given}, long long n, {ctype}* out) {{
  long long threads = (long long)blockDim.x * gridDim.x;
  long long thread = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long apart = {"1" if side else "threads"};
  Wide place = {offset} / 4;
  for (long long first = thread * {side or 1}; first < n; first += threads * {side or each}) {{
    for (int part = 0; part < {side or each}; part += {each}, ++place) {{
      unsigned w[4];
      {f"{ctype} r[{each}];" if "normal" in before else ""}
      draw({seed}, place, thread, w);
      for (int i = 0; i < {each}; ++i) {{
        long long at = first + (part + i) * apart;
        if (at >= n) break;
        {before}
        out[at] = {number};
      }}
    }}
  }}
}}
"""


#: One thread for each run of equal keys, which are sorted: it shuffles the numbers that stand there.
_EQUAL = """
extern "C" __global__ void NAME(const long long* keys, long long n, long long* numbers) {
  long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (first >= n - 1 || keys[first] != keys[first + 1]) return;
  if (first && keys[first] == keys[first - 1]) return;
  long long size = 2;
  while (first + size < n && keys[first + size] == keys[first]) ++size;
  Wide place = OFFSET / 4;
  unsigned w[4];
  int used = 4;
  for (long long last = size - 1; last > 0; --last) {
    if (used == 4) {
      draw(SEED, place++, first, w);
      used = 0;
    }
    long long other = first + w[used++] % (unsigned)(last + 1);
    long long kept = numbers[first + last];
    numbers[first + last] = numbers[other];
    numbers[other] = kept;
  }
}
"""

#: One sample of a row of weights: the first place where their running sum reaches the number that was drawn.
_ROWS = """
extern "C" __global__ void NAME(
    const T* ends, const T* weights, long long rows, long long n, long long samples, long long width,
    long long* out) {
  long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= rows * samples) return;
  long long row = at / samples, low = 0, high = n;
  unsigned w[4];
  draw(SEED, OFFSET / 4 + row / 65535, row % 65535 * width + at % samples, w);
  T u = (T)unit(w[0]);
  while (low < high) {
    long long middle = low + (high - low) / 2;
    if (ends[row * n + middle] < u) low = middle + 1;
    else high = middle;
  }
  if (low == n) --low;
  while (low && weights[row * n + low] == 0) --low;
  out[at] = low;
}
"""
_OTHERS: Final = {
    "equal": _EQUAL,
    "rows_f": _ROWS.replace("T*", "float*").replace("(T)", "(float)").replace("T u", "float u"),
    "rows_d": _ROWS.replace("T*", "double*").replace("(T)", "(double)").replace("T u", "double u"),
}


@cache
def compiled(library: Any, kind: str, captured: bool = False) -> Any:
    return library.RawKernel(text_of(kind, captured), name_of(kind, captured))

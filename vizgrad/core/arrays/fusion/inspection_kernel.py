"""The kernel of `inspection.py`, in CUDA C: one text for arrays of all types."""

from __future__ import annotations

NAME = "vizgrad_inspect"
#: Arrays beside the one that is inspected, and dimensions of each: what a launch is given has 4 kB.
MOST_BESIDE, MOST_DIMENSIONS = 8, 8
#: The number of each type in `element`.
TYPES = {
    name: number
    for number, name in enumerate(
        (
            "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16",
            "bfloat16", "float32", "float64", "complex64", "complex128",
        )
    )
}  # fmt: skip

TEXT = r"""
#define vizgrad_inf __longlong_as_double(0x7ff0000000000000LL)
#define vizgrad_nan __longlong_as_double(0x7ff8000000000000LL)

struct View {
  long long data, size, shape[8], own[8], along[8];
  int type, dims, fits, dense;
};
struct Given {
  View values, beside[8];
  long long before[8];
  int count, earlier, zeros, unused;
};

// A number of few bits, exactly: also one that is too small for the processor's own type.
static __device__ double of_bits(unsigned int bits, int exponents, int digits) {
  const int top = (1 << exponents) - 1, power = (int)(bits >> digits) & top;
  const int part = (int)(bits & ((1u << digits) - 1)), from = 2 - (1 << (exponents - 1)) - digits;
  double x;
  if (power == top) x = part ? vizgrad_nan : vizgrad_inf;
  else if (power == 0) x = ldexp((double)part, from);
  else x = ldexp((double)(part | 1 << digits), from + power - 1);
  return bits >> (exponents + digits) & 1u ? -x : x;
}

static __device__ double of_float(const float* place) {
  const unsigned int bits = *(const unsigned int*)place;
  return bits >> 23 & 255u ? (double)*place : of_bits(bits, 8, 23);
}

static __device__ double element(const char* p, int type) {
  switch (type) {
    case 0: return *(const unsigned char*)p != 0;
    case 1: return *(const signed char*)p;
    case 2: return *(const unsigned char*)p;
    case 3: return *(const short*)p;
    case 4: return *(const unsigned short*)p;
    case 5: return *(const int*)p;
    case 6: return *(const unsigned int*)p;
    case 7: return (double)*(const long long*)p;
    case 8: return (double)*(const unsigned long long*)p;
    case 9: return of_bits(*(const unsigned short*)p, 5, 10);
    case 10: return of_bits(*(const unsigned short*)p, 8, 7);
    case 11: return of_float((const float*)p);
    case 12: return *(const double*)p;
    case 13: return hypot(of_float((const float*)p), of_float((const float*)p + 1));
    default: return hypot(*(const double*)p, *((const double*)p + 1));
  }
}

static __device__ double at(const View& v, long long i, const View& of, const long long* strides) {
  long long offset = 0;
  for (int d = of.dims - 1; d >= 0; --d) {
    offset += i % of.shape[d] * strides[d];
    i /= of.shape[d];
  }
  return element((const char*)v.data + offset, v.type);
}

static __device__ double own(const View& v, long long i) {
  const int widths[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};
  return v.dense ? element((const char*)v.data + i * widths[v.type], v.type) : at(v, i, v, v.own);
}

// Over all threads of the block: the largest of the first, the sums of two, the least of the last.
static __device__ void together(double* largest, double* some, double* others, double* least) {
  __shared__ double parts[4][256];
  const unsigned int t = threadIdx.x;
  parts[0][t] = *largest; parts[1][t] = *some; parts[2][t] = *others; parts[3][t] = *least;
  __syncthreads();
  for (unsigned int half = blockDim.x / 2; half; half /= 2) {
    if (t < half) {
      if (parts[0][t + half] > parts[0][t]) parts[0][t] = parts[0][t + half];
      parts[1][t] += parts[1][t + half];
      parts[2][t] += parts[2][t + half];
      if (parts[3][t + half] < parts[3][t]) parts[3][t] = parts[3][t + half];
    }
    __syncthreads();
  }
  *largest = parts[0][0]; *some = parts[1][0]; *others = parts[2][0]; *least = parts[3][0];
  __syncthreads();
}

static __device__ double sized(double largest, double odd, double nans) {
  return nans > 0 ? vizgrad_nan : odd > 0 ? vizgrad_inf : largest;
}

extern "C" __global__ void vizgrad_inspect(
    const Given g, double* memory, unsigned int* stored, const int count) {
  const View& v = g.values;
  const long long n = v.size, start = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  const long long stride = (long long)gridDim.x * blockDim.x;
  double largest = 0, odd = 0, nans = 0, first = (double)n, squares = 0, none = 0, least = 0;
  for (long long i = start; i < n; i += stride) {
    const double x = own(v, i);
    if (isfinite(x)) {
      if (fabs(x) > largest) largest = fabs(x);
      squares += x * x;
    } else {
      odd += 1;
      if (isnan(x)) nans += 1;
      if ((double)i < first) first = (double)i;
    }
  }
  together(&largest, &odd, &nans, &first);
  together(&none, &squares, &none, &least);
  volatile double* parts = memory + count;
  __shared__ bool last;
  if (threadIdx.x == 0) {
    volatile double* mine = parts + 5 * (long long)blockIdx.x;
    mine[0] = largest; mine[1] = odd; mine[2] = nans; mine[3] = first; mine[4] = squares;
    __threadfence();
    last = atomicAdd(stored, 1u) == gridDim.x - 1;
    if (last) *stored = 0;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  largest = odd = nans = squares = 0;
  first = (double)n;
  for (unsigned int b = threadIdx.x; b < gridDim.x; b += blockDim.x) {
    const volatile double* its = parts + 5 * (long long)b;
    if (its[0] > largest) largest = its[0];
    odd += its[1];
    nans += its[2];
    if (its[3] < first) first = its[3];
    squares += its[4];
  }
  together(&largest, &odd, &nans, &first);
  together(&none, &squares, &none, &least);
  const bool has_norm = (v.type == 11 || v.type == 12) && squares > 0 && isfinite(squares);
  const double size = has_norm ? sqrt(squares) : largest;

  bool finite_before = true, zero_before = g.earlier > 0;
  for (int b = 0; b < g.earlier; ++b) {
    const double its = *(const double*)g.before[b];
    if (!isfinite(its)) finite_before = false;
    if (its != 0) zero_before = false;
  }
  const bool noted = odd > 0 ? finite_before : g.zeros && largest == 0 && !zero_before;
  if (threadIdx.x == 0) {
    memory[0] = sized(size, odd, nans);
    memory[1] = odd;
    memory[2] = nans;
    memory[3] = noted;
  }
  if (!noted) return;

  // The first three places, in order: all threads look, one notes.
  __shared__ long long places[3];
  __shared__ bool found[256];
  __shared__ int have;
  const int wanted = odd < 3 ? (int)odd : 3;
  if (threadIdx.x == 0) have = 0;
  __syncthreads();
  for (long long base = (long long)first; have < wanted && base < n; base += blockDim.x) {
    const long long i = base + threadIdx.x;
    found[threadIdx.x] = i < n && !isfinite(own(v, i));
    __syncthreads();
    if (threadIdx.x == 0)
      for (unsigned int t = 0; t < blockDim.x && have < wanted; ++t)
        if (found[t]) places[have++] = base + t;
    __syncthreads();
  }
  double* told = memory + 4;
  if (threadIdx.x < 3) {
    const bool one = (int)threadIdx.x < wanted;
    told[threadIdx.x] = one ? (double)places[threadIdx.x] : 0;
    told[3 + threadIdx.x] = one ? own(v, places[threadIdx.x]) : 0;
  }
  for (int b = 0; b < g.count; ++b) {
    const View& w = g.beside[b];
    double* its = told + 6 + 7 * b;
    double most = 0, strange = 0, missing = 0, low = 0, zeros = 0, unmasked = 0;
    least = 0;
    for (long long i = threadIdx.x; i < w.size; i += blockDim.x) {
      const double x = own(w, i);
      if (isfinite(x)) { if (fabs(x) > most) most = fabs(x); }
      else { strange += 1; if (isnan(x)) missing += 1; }
      if (x <= 0) low += 1;
      if (x == 0) zeros += 1;
    }
    if (w.fits && odd > 0)
      for (long long i = threadIdx.x; i < n; i += blockDim.x)
        if (!isfinite(own(v, i)) && at(w, i, v, w.along) != 0) unmasked = -1;
    together(&most, &strange, &missing, &least);
    together(&none, &low, &zeros, &unmasked);
    if (threadIdx.x == 0) {
      for (int p = 0; p < 3; ++p)
        its[p] = p < wanted && w.fits ? at(w, places[p], v, w.along) : 0;
      its[3] = sized(most, strange, missing);
      its[4] = low;
      its[5] = (double)w.size;
      its[6] = (w.fits ? 1 : 0) + (zeros > 0 ? 2 : 0) + ((w.fits ? unmasked == 0 : zeros > 0) ? 4 : 0);
    }
  }
}
"""

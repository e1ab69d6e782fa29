// What CUDA C++ has and C++ has not: keywords, the place of a thread, barriers, atomic operations.
#pragma once
#include <cassert>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#define __CUDACC_VER_MAJOR__ 12
#define __device__
#define __host__
#define __global__
#define __constant__ static
#define __shared__ static
#define __forceinline__ inline
#define __inline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))

struct uint3 {
  unsigned int x, y, z;
};
struct float2 {
  float x, y;
};
struct double2 {
  double x, y;
};

static uint3 threadIdx, blockIdx, blockDim, gridDim;
static const int warpSize = 32;

namespace emulated {
// The thread waits, and others run until they wait, too; see launch.h.
static void wait();
// Shared memory whose size a launch gives.
alignas(16) static char dynamic[232448];
}  // namespace emulated

inline void __syncthreads() { emulated::wait(); }
inline void __syncwarp(unsigned = ~0u) { emulated::wait(); }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

// One thread runs at a time, until it waits, so each of these is atomic.
#define ATOMIC(name, T, value)     \
  inline T name(T* place, T with) { \
    T old = *place;                \
    *place = value;                \
    return old;                    \
  }
#define ATOMICS_OF_INTEGERS(T)                           \
  ATOMIC(atomicAdd, T, old + with)                       \
  ATOMIC(atomicSub, T, old - with)                       \
  ATOMIC(atomicExch, T, with)                            \
  ATOMIC(atomicMax, T, with > old ? with : old)          \
  ATOMIC(atomicMin, T, with < old ? with : old)          \
  ATOMIC(atomicAnd, T, old& with)                        \
  ATOMIC(atomicOr, T, old | with)                        \
  ATOMIC(atomicXor, T, old ^ with)                       \
  inline T atomicCAS(T* place, T expected, T with) {     \
    T old = *place;                                      \
    if (old == expected) *place = with;                  \
    return old;                                          \
  }
ATOMICS_OF_INTEGERS(int)
ATOMICS_OF_INTEGERS(unsigned int)
ATOMICS_OF_INTEGERS(unsigned long long)
ATOMIC(atomicMax, long long, with > old ? with : old)
ATOMIC(atomicMin, long long, with < old ? with : old)
ATOMIC(atomicAdd, float, old + with)
ATOMIC(atomicAdd, double, old + with)
ATOMIC(atomicExch, float, with)

#include "functions.h"

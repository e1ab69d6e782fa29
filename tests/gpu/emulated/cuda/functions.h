// Functions of numbers that CUDA has: those of the C library where it has them, formulas of its own for others.
#pragma once

template <class A, class B>
inline A bits_as(B given) {
  static_assert(sizeof(A) == sizeof(B), "as many bits");
  A made;
  std::memcpy(&made, &given, sizeof made);
  return made;
}

inline float __int_as_float(int x) { return bits_as<float>(x); }
inline int __float_as_int(float x) { return bits_as<int>(x); }
inline unsigned __float_as_uint(float x) { return bits_as<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return bits_as<float>(x); }
inline double __longlong_as_double(long long x) { return bits_as<double>(x); }
inline long long __double_as_longlong(double x) { return bits_as<long long>(x); }
inline int __double2hiint(double x) { return int(bits_as<unsigned long long>(x) >> 32); }
inline int __double2loint(double x) { return int(bits_as<unsigned long long>(x)); }
inline double __hiloint2double(int high, int low) {
  return bits_as<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned((unsigned long long)a * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
inline int __float2int_rn(float x) { return int(std::nearbyint(x)); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __frcp_rn(float x) { return 1 / x; }
inline unsigned short __float2half_rn(float x) { return bits_as<unsigned short>((_Float16)x); }
inline float __half2float(unsigned short x) { return (float)bits_as<_Float16>(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __tanf(float x) { return std::tan(x); }
inline void __sincosf(float x, float* sine, float* cosine) { *sine = std::sin(x), *cosine = std::cos(x); }
inline void sincospi(double x, double* sine, double* cosine) {
  *sine = std::sin(x * 3.14159265358979323846), *cosine = std::cos(x * 3.14159265358979323846);
}
template <class T>
inline T __ldg(const T* place) {
  return *place;
}

using std::abs;
using std::acos;
using std::acosh;
using std::asin;
using std::asinh;
using std::atan;
using std::atan2;
using std::atanh;
using std::cbrt;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::erfc;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::floor;
using std::fma;
using std::fmax;
using std::fmin;
using std::fmod;
using std::frexp;
using std::hypot;
using std::isfinite;
using std::isinf;
using std::isless;
using std::isnan;
using std::ldexp;
using std::lgamma;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::max;
using std::min;
using std::modf;
using std::nan;
using std::nextafter;
using std::pow;
using std::remainder;
using std::rint;
using std::round;
using std::signbit;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::tgamma;
using std::trunc;

template <class A, class B>
inline typename std::common_type<A, B>::type max(A a, B b) {
  return a > b ? a : b;
}
template <class A, class B>
inline typename std::common_type<A, B>::type min(A a, B b) {
  return a < b ? a : b;
}

// In the type with 64 bits of mantissa, so that results in double are right to the last bit or two.
namespace emulated {
typedef long double Long;
static const Long PI = 3.141592653589793238462643383279502884L;
static const Long INFINITE = std::numeric_limits<Long>::infinity();

inline Long scaled_erfc(Long x) {
  if (x < 50) return expl(x * x) * erfcl(x);
  Long q = 1 / (2 * x * x);
  return (1 - q * (1 - 3 * q * (1 - 5 * q * (1 - 7 * q)))) / (x * sqrtl(PI));
}
// The x whose erfc is y, by Newton's steps on its logarithm, which is nearly a parabola.
inline Long inverse_erfc(Long y) {
  if (!(y >= 0 && y <= 2)) return std::numeric_limits<Long>::quiet_NaN();
  if (y == 0 || y == 2) return y == 0 ? INFINITE : -INFINITE;
  if (y > 1) return -inverse_erfc(2 - y);
  Long x = y > 0.1L ? 1 - y : sqrtl(-logl(y));
  for (int i = 0; i < 60; ++i) {
    Long step = (logl(erfcl(x)) - logl(y)) * sqrtl(PI) / 2 * scaled_erfc(x);
    x += step;
    if (fabsl(step) <= 1e-19L * fabsl(x)) break;
  }
  return x;
}
inline Long inverse_erf(Long y) {
  if (fabsl(y) > 0.5L) return y > 0 ? inverse_erfc(1 - y) : -inverse_erfc(1 + y);
  Long x = y * sqrtl(PI) / 2;
  for (int i = 0; i < 60; ++i) x -= (erfl(x) - y) * sqrtl(PI) / 2 * expl(x * x);
  return x;
}
// The modified Bessel function of the first kind, of order 0 or 1.
inline Long bessel_i(int order, Long x) {
  Long size = fabsl(x), sum, term;
  if (std::isnan(x)) return x;
  if (size == INFINITE) return order && x < 0 ? -INFINITE : INFINITE;
  if (size < 40) {
    sum = term = order ? size / 2 : 1;
    for (int k = 1; term > sum * 1e-21L; ++k) sum += term *= size * size / 4 / k / (k + order);
  } else {
    sum = term = 1;
    for (int k = 1; k < 40 && fabsl(term) > 1e-21L; ++k)
      sum += term *= -(4.0L * order * order - (2 * k - 1) * (2 * k - 1)) / (8 * k * size);
    sum *= expl(size) / sqrtl(2 * PI * size);
  }
  return order && x < 0 ? -sum : sum;
}
inline Long turned(Long x) { return x == 0 ? x : fmodl(x, 2) * PI; }
}  // namespace emulated

#define OF_LONG(name, value)                                           \
  inline double name(double x) { return (double)(value); }             \
  inline float name(float x_) { double x = x_; return (float)(value); } \
  inline float name##f(float x) { return name(x); }
OF_LONG(rsqrt, 1 / sqrtl(x))
OF_LONG(sinpi, sinl(emulated::turned(x)))
OF_LONG(cospi, cosl(emulated::turned(x)))
OF_LONG(erfcx, emulated::scaled_erfc(x))
OF_LONG(erfinv, emulated::inverse_erf(x))
OF_LONG(erfcinv, emulated::inverse_erfc(x))
OF_LONG(normcdf, erfcl(-x * sqrtl(0.5L)) / 2)
OF_LONG(normcdfinv, -sqrtl(2) * emulated::inverse_erfc(2 * (emulated::Long)x))
OF_LONG(cyl_bessel_i0, emulated::bessel_i(0, x))
OF_LONG(cyl_bessel_i1, emulated::bessel_i(1, x))
inline double norm3d(double a, double b, double c) { return std::sqrt(a * a + b * b + c * c); }

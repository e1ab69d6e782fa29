// CUDA's half, as far as cupy's own float16 uses it.
#pragma once

struct __half_raw {
  unsigned short x;
};

struct __half {
  unsigned short data_;
  __half() {}
  __half(float v) : data_(__float2half_rn(v)) {}
  __half(double v) : data_(bits_as<unsigned short>((_Float16)v)) {}
  template <class T, class = typename std::enable_if<std::is_integral<T>::value>::type>
  __half(T v) : __half((double)v) {}
  __half(const __half_raw& raw) : data_(raw.x) {}
  operator float() const { return __half2float(data_); }
  operator __half_raw() const { return {data_}; }
};
typedef __half half;

inline unsigned short __half_as_ushort(__half h) { return h.data_; }
inline __half __ushort_as_half(unsigned short x) { return __half(__half_raw{x}); }
inline bool __hisnan(__half h) { return std::isnan((float)h); }
inline int __hisinf(__half h) { return std::isinf((float)h); }
inline float __half2float(__half h) { return (float)h; }
inline __half __float2half(float x) { return __half(x); }

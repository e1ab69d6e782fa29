// CUDA's bfloat16: the upper half of a float, rounded to the nearest, ties to even.
#pragma once

struct __nv_bfloat16 {
  unsigned short x;
  __nv_bfloat16() {}
  __nv_bfloat16(float v) {
    unsigned all = bits_as<unsigned>(v);
    x = std::isnan(v) ? 0x7fff : (all + 0x7fff + ((all >> 16) & 1)) >> 16;
  }
  operator float() const { return bits_as<float>((unsigned)x << 16); }
};

inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 b) { return b.x; }
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short x) {
  __nv_bfloat16 made;
  made.x = x;
  return made;
}
inline bool __hisnan(__nv_bfloat16 b) { return std::isnan((float)b); }
inline int __hisinf(__nv_bfloat16 b) { return std::isinf((float)b); }
inline __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
inline float __bfloat162float(__nv_bfloat16 b) { return (float)b; }

// cuBLAS as loops: what cupy's matmul, dot, tensordot and einsum ask of it. Matrices are in Fortran's order.
#include <complex>
#include <cstdint>
#include <cstring>

typedef std::complex<float> C;
typedef std::complex<double> Z;
typedef _Float16 H;

struct B {  // bfloat16
  uint16_t bits;
  B() : bits(0) {}
  B(float value) {
    uint32_t all;
    std::memcpy(&all, &value, 4);
    bits = value != value ? 0x7fff : (all + 0x7fff + ((all >> 16) & 1)) >> 16;
  }
  operator float() const {
    uint32_t all = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &all, 4);
    return value;
  }
};

// How many products were asked for: each is a launch.
extern "C" {
long emulated_products = 0;
}

template <class T>
static T conjugate(T x) {
  return x;
}
template <class R>
static std::complex<R> conjugate(std::complex<R> x) {
  return std::conj(x);
}

// c = alpha * a @ b + beta * c, of elements T, added up in S.
template <class T, class S>
static void product(int of_a, int of_b, int m, int n, int k, const void* alpha_, const void* a_, long lda, const void* b_, long ldb,
                    const void* beta_, void* c_, long ldc) {
  const T *a = (const T*)a_, *b = (const T*)b_;
  T* c = (T*)c_;
  S alpha = *(const S*)alpha_, beta = *(const S*)beta_;
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < m; ++i) {
      S sum = S(0);
      for (long l = 0; l < k; ++l) {
        T x = of_a ? a[l + i * lda] : a[i + l * lda], y = of_b ? b[j + l * ldb] : b[l + j * ldb];
        sum += S(of_a == 2 ? conjugate(x) : x) * S(of_b == 2 ? conjugate(y) : y);
      }
      sum *= alpha;
      c[i + j * ldc] = T(beta == S(0) ? sum : sum + beta * S(c[i + j * ldc]));
    }
}

#define SHAPE int ta, int tb, int m, int n, int k
#define PASSED ta, tb, m, n, k
#define OF_TYPE(X, T)                                                                                                          \
  extern "C" int cublas##X##gemm_v2(void*, SHAPE, const T* al, const T* a, int lda, const T* b, int ldb, const T* be, T* c,     \
                                    int ldc) {                                                                                 \
    ++emulated_products;                                                                                                       \
    product<T, T>(PASSED, al, a, lda, b, ldb, be, c, ldc);                                                                     \
    return 0;                                                                                                                  \
  }                                                                                                                            \
  extern "C" int cublas##X##gemmStridedBatched(void*, SHAPE, const T* al, const T* a, int lda, long long sa, const T* b,        \
                                               int ldb, long long sb, const T* be, T* c, int ldc, long long sc, int count) {   \
    ++emulated_products;                                                                                                       \
    for (long q = 0; q < count; ++q)                                                                                           \
      product<T, T>(PASSED, al, a + q * sa, lda, b + q * sb, ldb, be, c + q * sc, ldc);                                        \
    return 0;                                                                                                                  \
  }                                                                                                                            \
  extern "C" int cublas##X##gemmBatched(void*, SHAPE, const T* al, const T* const* a, int lda, const T* const* b, int ldb,      \
                                        const T* be, T* const* c, int ldc, int count) {                                        \
    ++emulated_products;                                                                                                       \
    for (long q = 0; q < count; ++q) product<T, T>(PASSED, al, a[q], lda, b[q], ldb, be, c[q], ldc);                           \
    return 0;                                                                                                                  \
  }                                                                                                                            \
  extern "C" int cublas##X##dgmm(void*, int side, int m, int n, const T* a, int lda, const T* x, int step, T* c, int ldc) {     \
    ++emulated_products;                                                                                                       \
    for (long j = 0; j < n; ++j)                                                                                               \
      for (long i = 0; i < m; ++i) c[i + j * ldc] = a[i + j * lda] * x[(side ? j : i) * step];                                 \
    return 0;                                                                                                                  \
  }
OF_TYPE(S, float)
OF_TYPE(D, double)
OF_TYPE(C, C)
OF_TYPE(Z, Z)

// c = alpha * op(a) + beta * op(b): how cupy puts a matrix into Fortran's order.
#define GEAM(X, T)                                                                                                  \
  extern "C" int cublas##X##geam(void*, int of_a, int of_b, int m, int n, const T* alpha, const T* a, int lda,       \
                                 const T* beta, const T* b, int ldb, T* c, int ldc) {                               \
    ++emulated_products;                                                                                            \
    for (long j = 0; j < n; ++j)                                                                                    \
      for (long i = 0; i < m; ++i) {                                                                                \
        T sum = T(0);                                                                                               \
        if (*alpha != T(0)) sum += *alpha * (of_a ? a[j + i * lda] : a[i + j * lda]);                               \
        if (*beta != T(0)) sum += *beta * (of_b ? b[j + i * ldb] : b[i + j * ldb]);                                 \
        c[i + j * ldc] = sum;                                                                                       \
      }                                                                                                             \
    return 0;                                                                                                       \
  }
GEAM(S, float)
GEAM(D, double)
GEAM(C, C)
GEAM(Z, Z)

#define DOT(NAME, T)                                                                                       \
  extern "C" int NAME(void*, int n, const T* x, int step, const T* y, int other, T* out) {                 \
    ++emulated_products;                                                                                   \
    T sum = 0;                                                                                             \
    for (long i = 0; i < n; ++i) sum += x[i * step] * y[i * other];                                        \
    *out = sum;                                                                                            \
    return 0;                                                                                              \
  }
DOT(cublasSdot_v2, float)
DOT(cublasDdot_v2, double)
DOT(cublasCdotu_v2, C)
DOT(cublasZdotu_v2, Z)

// cudaDataType: of the elements.
static int of_kind(int kind, SHAPE, const void* al, const void* a, long lda, const void* b, long ldb, const void* be, void* c,
                   long ldc) {
  switch (kind) {
    case 0: product<float, float>(PASSED, al, a, lda, b, ldb, be, c, ldc); return 0;
    case 1: product<double, double>(PASSED, al, a, lda, b, ldb, be, c, ldc); return 0;
    case 2: product<H, float>(PASSED, al, a, lda, b, ldb, be, c, ldc); return 0;
    case 4: product<C, C>(PASSED, al, a, lda, b, ldb, be, c, ldc); return 0;
    case 5: product<Z, Z>(PASSED, al, a, lda, b, ldb, be, c, ldc); return 0;
    case 14: product<B, float>(PASSED, al, a, lda, b, ldb, be, c, ldc); return 0;
    default: return 15;  // not supported
  }
}
static long size_of(int kind) { return kind == 0 ? 4 : kind == 1 ? 8 : kind == 2 || kind == 14 ? 2 : kind == 4 ? 8 : 16; }

extern "C" int cublasGemmEx(void*, SHAPE, const void* al, const void* a, int ka, int lda, const void* b, int kb, int ldb,
                            const void* be, void* c, int kc, int ldc, int, int) {
  ++emulated_products;
  return ka == kb && kb == kc ? of_kind(ka, PASSED, al, a, lda, b, ldb, be, c, ldc) : 15;
}
extern "C" int cublasSgemmEx(void* h, SHAPE, const float* al, const void* a, int ka, int lda, const void* b, int kb, int ldb,
                             const float* be, void* c, int kc, int ldc) {
  return cublasGemmEx(h, PASSED, al, a, ka, lda, b, kb, ldb, be, c, kc, ldc, 0, 0);
}
extern "C" int cublasGemmStridedBatchedEx(void*, SHAPE, const void* al, const void* a, int ka, int lda, long long sa,
                                          const void* b, int kb, int ldb, long long sb, const void* be, void* c, int kc, int ldc,
                                          long long sc, int count, int, int) {
  ++emulated_products;
  if (ka != kb || kb != kc) return 15;
  for (long q = 0; q < count; ++q) {
    long size = size_of(ka);
    int status = of_kind(ka, PASSED, al, (const char*)a + q * sa * size, lda, (const char*)b + q * sb * size, ldb, be,
                         (char*)c + q * sc * size, ldc);
    if (status) return status;
  }
  return 0;
}

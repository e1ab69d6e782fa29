// cuBLAS as loops: what cupy's matmul, dot, tensordot and einsum ask of it. Matrices are in Fortran's order.
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>

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

// The stream on which the products of a handle are done; is a number such as alpha in memory of the device?
struct Handle {
  intptr_t stream;
  int of_device;
  bool workspace;
};
// Products that a graph does when it is launched, by number.
static std::map<long, std::function<void()>> kept;
static std::mutex one_at_a_time;
static long next = 0;

extern "C" {
// How many products were done because the host asked for them: each is a launch.
long emulated_products = 0;
// Python's: 1 if the stream is captured, so that the product of this number is kept, -1 if that is refused.
int (*emulated_take)(intptr_t stream, long number) = nullptr;
void emulated_run(long number) {
  std::unique_lock<std::mutex> hold(one_at_a_time);
  std::function<void()> work = kept.at(number);
  hold.unlock();
  work();
}
void emulated_forget(long number) {
  std::lock_guard<std::mutex> hold(one_at_a_time);
  kept.erase(number);
}
int cublasCreate_v2(Handle** made) { return *made = new Handle{0, 0, false}, 0; }
int cublasDestroy_v2(Handle* handle) { return delete handle, 0; }
// After this the handle has no memory of the user's to work in.
int cublasSetStream_v2(Handle* handle, intptr_t stream) { return handle->stream = stream, handle->workspace = false, 0; }
int cublasSetWorkspace_v2(Handle* handle, void* memory, size_t bytes) {
  if (!memory || (intptr_t)memory % 256 || bytes < 4 << 20) return 7;  // invalid value
  return handle->workspace = true, 0;
}
int cublasGetStream_v2(Handle* handle, intptr_t* stream) { return *stream = handle->stream, 0; }
int cublasSetPointerMode_v2(Handle* handle, int mode) { return handle->of_device = mode, 0; }
int cublasGetPointerMode_v2(Handle* handle, int* mode) { return *mode = handle->of_device, 0; }
}

// Does it, or keeps it for the graph into which the stream of the handle is captured.
static int done(Handle* handle, std::function<void()> work) {
  std::unique_lock<std::mutex> hold(one_at_a_time);
  long number = next++;
  kept[number] = work;
  hold.unlock();
  int taken = emulated_take ? emulated_take(handle->stream, number) : 0;
  // cuBLAS would take memory by itself, which lives as long as the handle.
  if (taken > 0 && !handle->workspace) std::fprintf(stderr, "emulated device: a captured product without memory to work in\n");
  if (taken > 0) return 0;
  emulated_forget(number);
  if (taken < 0) return 14;  // an internal error
  ++emulated_products;
  work();
  return 0;
}

// A number such as alpha: of the host it is read when the product is asked for, of the device when it is done.
struct Number {
  const void* place;
  char read[16];
  Number(Handle* handle, const void* from, size_t size) : place(from) {
    if (!handle->of_device) place = nullptr, std::memcpy(read, from, size);
  }
  const void* at() const { return place ? place : read; }
};

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
#define NUMBERS(T) Number alpha(h, al, sizeof(T)), beta(h, be, sizeof(T))
#define OF_TYPE(X, T)                                                                                                          \
  extern "C" int cublas##X##gemm_v2(Handle* h, SHAPE, const T* al, const T* a, int lda, const T* b, int ldb, const T* be,       \
                                    T* c, int ldc) {                                                                           \
    NUMBERS(T);                                                                                                                \
    return done(h, [=] { product<T, T>(PASSED, alpha.at(), a, lda, b, ldb, beta.at(), c, ldc); });                             \
  }                                                                                                                            \
  extern "C" int cublas##X##gemmStridedBatched(Handle* h, SHAPE, const T* al, const T* a, int lda, long long sa, const T* b,    \
                                               int ldb, long long sb, const T* be, T* c, int ldc, long long sc, int count) {   \
    NUMBERS(T);                                                                                                                \
    return done(h, [=] {                                                                                                       \
      for (long q = 0; q < count; ++q)                                                                                         \
        product<T, T>(PASSED, alpha.at(), a + q * sa, lda, b + q * sb, ldb, beta.at(), c + q * sc, ldc);                       \
    });                                                                                                                        \
  }                                                                                                                            \
  extern "C" int cublas##X##gemmBatched(Handle* h, SHAPE, const T* al, const T* const* a, int lda, const T* const* b, int ldb,  \
                                        const T* be, T* const* c, int ldc, int count) {                                        \
    NUMBERS(T);                                                                                                                \
    return done(h, [=] {                                                                                                       \
      for (long q = 0; q < count; ++q) product<T, T>(PASSED, alpha.at(), a[q], lda, b[q], ldb, beta.at(), c[q], ldc);          \
    });                                                                                                                        \
  }                                                                                                                            \
  extern "C" int cublas##X##dgmm(Handle* h, int side, int m, int n, const T* a, int lda, const T* x, int step, T* c, int ldc) { \
    return done(h, [=] {                                                                                                       \
      for (long j = 0; j < n; ++j)                                                                                             \
        for (long i = 0; i < m; ++i) c[i + j * ldc] = a[i + j * lda] * x[(side ? j : i) * step];                               \
    });                                                                                                                        \
  }
OF_TYPE(S, float)
OF_TYPE(D, double)
OF_TYPE(C, C)
OF_TYPE(Z, Z)

// c = alpha * op(a) + beta * op(b): how cupy puts a matrix into Fortran's order.
#define GEAM(X, T)                                                                                                  \
  extern "C" int cublas##X##geam(Handle* h, int of_a, int of_b, int m, int n, const T* al, const T* a, int lda,      \
                                 const T* be, const T* b, int ldb, T* c, int ldc) {                                 \
    NUMBERS(T);                                                                                                     \
    return done(h, [=] {                                                                                            \
      T x = *(const T*)alpha.at(), y = *(const T*)beta.at();                                                        \
      for (long j = 0; j < n; ++j)                                                                                  \
        for (long i = 0; i < m; ++i) {                                                                              \
          T sum = T(0);                                                                                             \
          if (x != T(0)) sum += x * (of_a ? a[j + i * lda] : a[i + j * lda]);                                       \
          if (y != T(0)) sum += y * (of_b ? b[j + i * ldb] : b[i + j * ldb]);                                       \
          c[i + j * ldc] = sum;                                                                                     \
        }                                                                                                           \
    });                                                                                                             \
  }
GEAM(S, float)
GEAM(D, double)
GEAM(C, C)
GEAM(Z, Z)

#define DOT(NAME, T)                                                                                       \
  extern "C" int NAME(Handle* h, int n, const T* x, int step, const T* y, int other, T* out) {             \
    return done(h, [=] {                                                                                   \
      T sum = 0;                                                                                           \
      for (long i = 0; i < n; ++i) sum += x[i * step] * y[i * other];                                      \
      *out = sum;                                                                                          \
    });                                                                                                    \
  }
DOT(cublasSdot_v2, float)
DOT(cublasDdot_v2, double)
DOT(cublasCdotu_v2, C)
DOT(cublasZdotu_v2, Z)

// cudaDataType: of the elements.
static void of_kind(int kind, SHAPE, const void* al, const void* a, long lda, const void* b, long ldb, const void* be, void* c,
                    long ldc) {
  switch (kind) {
    case 0: return product<float, float>(PASSED, al, a, lda, b, ldb, be, c, ldc);
    case 1: return product<double, double>(PASSED, al, a, lda, b, ldb, be, c, ldc);
    case 2: return product<H, float>(PASSED, al, a, lda, b, ldb, be, c, ldc);
    case 4: return product<C, C>(PASSED, al, a, lda, b, ldb, be, c, ldc);
    case 5: return product<Z, Z>(PASSED, al, a, lda, b, ldb, be, c, ldc);
    case 14: return product<B, float>(PASSED, al, a, lda, b, ldb, be, c, ldc);
  }
}
static long size_of(int kind) { return kind == 0 ? 4 : kind == 1 ? 8 : kind == 2 || kind == 14 ? 2 : kind == 4 ? 8 : 16; }
// Of alpha and beta.
static long size_beside(int kind) { return kind == 2 || kind == 14 ? 4 : size_of(kind); }
static bool supported(int kind) { return kind == 0 || kind == 1 || kind == 2 || kind == 4 || kind == 5 || kind == 14; }

extern "C" int cublasGemmStridedBatchedEx(Handle* h, SHAPE, const void* al, const void* a, int ka, int lda, long long sa,
                                          const void* b, int kb, int ldb, long long sb, const void* be, void* c, int kc, int ldc,
                                          long long sc, int count, int, int) {
  if (ka != kb || kb != kc || !supported(ka)) return 15;
  Number alpha(h, al, size_beside(ka)), beta(h, be, size_beside(ka));
  return done(h, [=] {
    long size = size_of(ka);
    for (long q = 0; q < count; ++q)
      of_kind(ka, PASSED, alpha.at(), (const char*)a + q * sa * size, lda, (const char*)b + q * sb * size, ldb, beta.at(),
              (char*)c + q * sc * size, ldc);
  });
}
extern "C" int cublasGemmEx(Handle* h, SHAPE, const void* al, const void* a, int ka, int lda, const void* b, int kb, int ldb,
                            const void* be, void* c, int kc, int ldc, int, int) {
  return cublasGemmStridedBatchedEx(h, PASSED, al, a, ka, lda, 0, b, kb, ldb, 0, be, c, kc, ldc, 0, 1, 0, 0);
}
extern "C" int cublasSgemmEx(Handle* h, SHAPE, const float* al, const void* a, int ka, int lda, const void* b, int kb, int ldb,
                             const float* be, void* c, int kc, int ldc) {
  return cublasGemmEx(h, PASSED, al, a, ka, lda, b, kb, ldb, be, c, kc, ldc, 0, 0);
}

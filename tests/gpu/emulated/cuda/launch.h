// Runs a kernel for every block and thread. Comes behind the kernel's text.
//
// Threads that wait for each other have a stack each, and take turns: from one wait to the next. Others are a loop.
#pragma once
#include <pthread.h>
#include <sys/mman.h>

namespace emulated {

typedef void (*Kernel)(void**);

// What follows is of one launch: another thread of the program waits.
static pthread_mutex_t launching = PTHREAD_MUTEX_INITIALIZER;
static const unsigned MOST = 1024;
static const std::size_t STACK = 1 << 16;
static Kernel kernel;
static void** arguments;
static bool taking_turns;
static unsigned current;
static bool ended[MOST];
static void* place_of[MOST];  // where the stack of a thread that waits ends
static void* outside;         // the same of the one that gives turns

#if defined(__x86_64__)
// Keeps what a function must keep on this stack, and goes on where `to` was left.
extern "C" __attribute__((visibility("hidden"))) void emulated_switch(void** from, void** to);
asm(R"(
.text
.hidden emulated_switch
.globl emulated_switch
.type emulated_switch, @function
emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq (%rsi), %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
#else
#error "threads that wait for each other are written for x86-64"
#endif

static void wait() {
  if (taking_turns) emulated_switch(&place_of[current], &outside);
}

static void begin() {
  kernel(arguments);
  ended[current] = true;
  emulated_switch(&place_of[current], &outside);
}

static void set_thread(unsigned number) {
  threadIdx.x = number % blockDim.x;
  threadIdx.y = number / blockDim.x % blockDim.y;
  threadIdx.z = number / blockDim.x / blockDim.y;
}

static char* stacks() {
  static char* made = (char*)mmap(nullptr, STACK * MOST, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return made;
}

static void run_block(unsigned threads) {
  if (!taking_turns) {
    for (unsigned t = 0; t < threads; ++t) {
      set_thread(t);
      kernel(arguments);
    }
    return;
  }
  for (unsigned t = 0; t < threads; ++t) {
    void** top = (void**)(stacks() + STACK * (t + 1)) - 1;
    *top = nullptr;            // where `begin` would return to
    *--top = (void*)&begin;    // where the first switch returns to
    place_of[t] = top - 6;     // six registers, of any value
    ended[t] = false;
  }
  for (unsigned left = threads; left;)
    for (unsigned t = 0; t < threads; ++t)
      if (!ended[t]) {
        current = t;
        set_thread(t);
        emulated_switch(&outside, &place_of[t]);
        if (ended[t]) --left;
      }
}

static void launch(Kernel given, const unsigned* grid, bool waiting, void** parameters) {
  pthread_mutex_lock(&launching);
  gridDim = {grid[0], grid[1], grid[2]};
  blockDim = {grid[3], grid[4], grid[5]};
  kernel = given;
  arguments = parameters;
  taking_turns = waiting;
  for (unsigned z = 0; z < gridDim.z; ++z)
    for (unsigned y = 0; y < gridDim.y; ++y)
      for (unsigned x = 0; x < gridDim.x; ++x) {
        blockIdx = {x, y, z};
        run_block(blockDim.x * blockDim.y * blockDim.z);
      }
  pthread_mutex_unlock(&launching);
}

template <class... A, std::size_t... I>
inline void call_with(void (*function)(A...), void** p, std::index_sequence<I...>) {
  function(*(typename std::remove_reference<A>::type*)p[I]...);
}
template <class... A>
inline void call(void (*function)(A...), void** p) {
  call_with(function, p, std::index_sequence_for<A...>{});
}

// How many bytes each argument of a kernel has; gives how many there are.
template <class... A>
inline unsigned sizes(void (*)(A...), unsigned* of) {
  unsigned count = 0;
  ((of[count++] = sizeof(typename std::remove_reference<A>::type)), ...);
  return count;
}

}  // namespace emulated

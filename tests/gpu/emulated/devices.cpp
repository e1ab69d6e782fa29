// The devices and their memory, which is memory of the host. Each function is one of CUDA's runtime, as cupy calls it.
//
// Not in Python: memory is freed until the interpreter is gone, and an error has to be raised for who called.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

// Of Python's headers, which a machine need not have.
extern "C" {
struct PyObject {
  intptr_t references;
};
extern PyObject _Py_NoneStruct;
PyObject* PyLong_FromLong(long);
void PyErr_SetObject(PyObject*, PyObject*);
}

namespace {
const int OUT_OF_MEMORY = 2, NO_SUCH_DEVICE = 101, ON_HOST = -1;
// Bytes before and behind each block that nobody may write to. Blocks begin where CUDA's begin.
const size_t GUARD = 512;
// What new memory holds, and memory that is free: NaN in every floating type.
const int UNSET = 0xFF, GUARDED = 0xA5;

struct Block {
  int device;
  size_t size;
};
std::map<intptr_t, Block> blocks;
std::map<int, size_t> in_use;
std::mutex one_at_a_time;
thread_local int current = 0;
PyObject* error_class = nullptr;
int count = 1;
size_t capacity = 0;
long spoiled = 0;

PyObject* none() {
  ++_Py_NoneStruct.references;
  return &_Py_NoneStruct;
}
void raise(int status) { PyErr_SetObject(error_class, PyLong_FromLong(status)); }

bool untouched(const unsigned char* guard) {
  for (size_t i = 0; i < GUARD; ++i)
    if (guard[i] != GUARDED) return false;
  return true;
}

intptr_t allocate(int device, size_t size) {
  std::lock_guard<std::mutex> hold(one_at_a_time);
  if (in_use[device] + size > capacity) {
    raise(OUT_OF_MEMORY);
    return 0;
  }
  char* start = (char*)aligned_alloc(GUARD, (size + GUARD - 1) / GUARD * GUARD + 2 * GUARD);
  memset(start, GUARDED, size + 2 * GUARD);
  memset(start + GUARD, UNSET, size);
  blocks[(intptr_t)start + GUARD] = {device, size};
  in_use[device] += size;
  return (intptr_t)start + GUARD;
}

void release(intptr_t address) {
  std::lock_guard<std::mutex> hold(one_at_a_time);
  auto found = blocks.find(address);
  if (found == blocks.end()) return;
  unsigned char* start = (unsigned char*)address;
  Block block = found->second;
  spoiled += !untouched(start - GUARD) || !untouched(start + block.size);
  memset(start, UNSET, block.size);
  free(start - GUARD);
  in_use[block.device] -= block.size;
  blocks.erase(found);
}
}  // namespace

extern "C" {
void emulated_begin(PyObject* error, int devices, size_t bytes) {
  error_class = error;
  count = devices;
  capacity = bytes;
}
// How many blocks were written around.
long emulated_spoiled() { return spoiled; }
size_t emulated_used() { return in_use[current]; }

intptr_t emulated_malloc(size_t size, int) { return allocate(current, size); }
intptr_t emulated_mallocAsync(size_t size, intptr_t, int) { return allocate(current, size); }
intptr_t emulated_hostAlloc(size_t size, unsigned, int) { return allocate(ON_HOST, size); }
PyObject* emulated_free(intptr_t address, int) { return release(address), none(); }
PyObject* emulated_freeHost(intptr_t address, int) { return release(address), none(); }
PyObject* emulated_freeAsync(intptr_t address, intptr_t, int) { return release(address), none(); }

PyObject* emulated_setDevice(int number, int) {
  if (number < 0 || number >= count) return raise(NO_SUCH_DEVICE), nullptr;
  current = number;
  return none();
}
int emulated_getDevice(int) { return current; }
int emulated_getDeviceCount(int) { return count; }

PyObject* emulated_streamDestroy(intptr_t, int) { return none(); }
PyObject* emulated_eventDestroy(intptr_t, int) { return none(); }
PyObject* emulated_moduleUnload(intptr_t, int) { return none(); }
}

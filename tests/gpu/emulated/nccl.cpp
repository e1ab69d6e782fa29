// NCCL among processes of one machine, and within one process: what cupy's module calls of libnccl.so.2.
//
// As on a device, a call returns at once. A thread of the communicator does what was called, in this order, over a socket
// to each other rank; `emulated_nccl_done` says how far it is. Values are added in the order of ranks. Ranks that call
// different operations get an error, where NCCL would wait for ever.
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {
const int SUCCESS = 0, SYSTEM = 2, INTERNAL = 3, ARGUMENT = 4, USAGE = 5, REMOTE = 6;
const int SUM = 0, PROD = 1, MAX = 2, MIN = 3, AVG = 4;
const int HALF = 6, FLOAT = 7, DOUBLE = 8, BFLOAT = 9;
const size_t SIZES[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
// Seconds until a rank that does not come ends the start.
const int PATIENCE = 120;

// Up to EMULATED_NCCL_DELAY microseconds, by chance: for tests in which the device is far behind the host.
void lag() {
  static const char* most = getenv("EMULATED_NCCL_DELAY");
  if (most) usleep(rand() % (atoi(most) + 1));
}

struct Id {
  char text[128];
};
struct Part {
  int peer;
  char* data;
  size_t size;
};
struct Call {
  int32_t kind, type, op, root;
  uint64_t count;
};
enum Kind { ALL_REDUCE = 1, REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, POINT };

int (*current_device)() = nullptr;
std::atomic<long> calls{0};
std::mutex of_tickets;
std::condition_variable ticket_done;
long last_ticket = 0;
std::map<intptr_t, std::set<long>> unfinished;  // by stream

struct Bfloat {
  uint16_t bits;
  Bfloat(float v) {
    uint32_t all;
    memcpy(&all, &v, 4);
    bits = v == v ? (all + 0x7FFF + ((all >> 16) & 1)) >> 16 : 0x7FC0;
  }
  operator float() const {
    uint32_t all = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &all, 4);
    return v;
  }
};

template <class T>
void combine(char* into, const char* other, size_t count, int op) {
  T *a = (T*)into, *b = (T*)other;
  using Wide = typename std::conditional<sizeof(T) == 2, float, T>::type;
  for (size_t i = 0; i < count; ++i) {
    Wide x = a[i], y = b[i];
    a[i] = T(op == PROD ? Wide(x * y) : op == MAX ? (x > y ? x : y) : op == MIN ? (x < y ? x : y) : Wide(x + y));
  }
}
template <class T>
void scale(char* values, size_t count, int ranks) {
  using Wide = typename std::conditional<sizeof(T) == 2, float, T>::type;
  for (T* a = (T*)values; count--; ++a) *a = T(std::is_integral<T>::value ? Wide(*a / ranks) : Wide(*a * (Wide(1) / ranks)));
}
template <class T>
void reduce_as(std::vector<std::vector<char>>& values, size_t count, int op) {
  // As NCCL does: floating values are divided before they are added, whole numbers after.
  if (op == AVG && !std::is_integral<T>::value)
    for (auto& each : values) scale<T>(each.data(), count, values.size());
  for (size_t i = 1; i < values.size(); ++i) combine<T>(values[0].data(), values[i].data(), count, op);
  if (op == AVG && std::is_integral<T>::value) scale<T>(values[0].data(), count, values.size());
}
// The first becomes all of them together.
void reduce_all(std::vector<std::vector<char>>& values, size_t count, int type, int op) {
  using Reduce = void (*)(std::vector<std::vector<char>>&, size_t, int);
  const Reduce by_type[] = {reduce_as<int8_t>,  reduce_as<uint8_t>,  reduce_as<int32_t>, reduce_as<uint32_t>, reduce_as<int64_t>,
                            reduce_as<uint64_t>, reduce_as<_Float16>, reduce_as<float>,   reduce_as<double>,   reduce_as<Bfloat>};
  by_type[type](values, count, op);
}
}  // namespace

struct ncclComm {
  int ranks, rank, device;
  std::vector<int> sockets;
  std::atomic<bool> aborted{false};
  std::atomic<int> error{SUCCESS};
  std::deque<std::function<void()>> queue;
  std::mutex hold;
  std::condition_variable changed;
  bool ending = false;
  std::thread worker;

  void work() {
    for (;;) {
      std::unique_lock<std::mutex> held(hold);
      changed.wait(held, [&] { return ending || !queue.empty(); });
      if (queue.empty()) return;
      auto next = std::move(queue.front());
      queue.pop_front();
      held.unlock();
      next();
    }
  }

  // After the ones before it; the stream is done with it when it has run.
  void enqueue(intptr_t stream, std::function<bool()> function) {
    long ticket;
    {
      std::lock_guard<std::mutex> held(of_tickets);
      unfinished[stream].insert(ticket = ++last_ticket);
    }
    ++calls;
    std::lock_guard<std::mutex> held(hold);
    queue.push_back([=] {
      lag();
      if (!aborted && error == SUCCESS && !function() && !aborted) {
        if (error == SUCCESS) error = REMOTE;
        // The kernel of NCCL would stay on the device until the communicator is aborted.
        while (!aborted && !ending) usleep(1000);
      }
      lag();
      std::lock_guard<std::mutex> held(of_tickets);
      unfinished[stream].erase(ticket);
      ticket_done.notify_all();
    });
    changed.notify_all();
  }

  // All of them at the same time; those with one peer in their order.
  bool transfer(std::vector<Part> sends, std::vector<Part> receives) {
    std::vector<std::deque<Part>> out(ranks), in(ranks);
    for (auto& each : sends) out[each.peer].push_back(each);
    for (auto& each : receives) in[each.peer].push_back(each);
    while (!out[rank].empty() && !in[rank].empty()) {
      memmove(in[rank].front().data, out[rank].front().data, in[rank].front().size);
      out[rank].pop_front(), in[rank].pop_front();
    }
    for (;;) {
      std::vector<pollfd> waiting;
      std::vector<int> peers;
      for (int peer = 0; peer < ranks; ++peer) {
        while (!out[peer].empty() && !out[peer].front().size) out[peer].pop_front();
        while (!in[peer].empty() && !in[peer].front().size) in[peer].pop_front();
        short events = (out[peer].empty() ? 0 : POLLOUT) | (in[peer].empty() ? 0 : POLLIN);
        if (events && peer != rank) waiting.push_back({sockets[peer], events, 0}), peers.push_back(peer);
      }
      if (waiting.empty()) return true;
      poll(waiting.data(), waiting.size(), 20);
      if (aborted) return false;
      for (size_t i = 0; i < waiting.size(); ++i) {
        if (waiting[i].revents & (POLLIN | POLLHUP | POLLERR) && !in[peers[i]].empty())
          if (!moved(in[peers[i]].front(), recv(waiting[i].fd, in[peers[i]].front().data, in[peers[i]].front().size, MSG_DONTWAIT))) return false;
        if (waiting[i].revents & POLLOUT && !out[peers[i]].empty())
          if (!moved(out[peers[i]].front(), send(waiting[i].fd, out[peers[i]].front().data, out[peers[i]].front().size, MSG_DONTWAIT | MSG_NOSIGNAL))) return false;
      }
    }
  }
  static bool moved(Part& part, ssize_t count) {
    if (count <= 0) return count < 0 && (errno == EAGAIN || errno == EINTR);
    part.data += count, part.size -= count;
    return true;
  }

  // Do they call the same? `to` and `from`: whom this rank asks.
  bool agree(Call own, const std::vector<int>& to, const std::vector<int>& from) {
    std::vector<Call> got(from.size());
    std::vector<Part> sends, receives;
    for (int peer : to) sends.push_back({peer, (char*)&own, sizeof own});
    for (size_t i = 0; i < from.size(); ++i) receives.push_back({from[i], (char*)&got[i], sizeof own});
    if (!transfer(sends, receives)) return false;
    for (size_t i = 0; i < from.size(); ++i)
      if (memcmp(&got[i], &own, sizeof own)) {
        fprintf(stderr, "emulated NCCL: rank %d calls %d of %lu elements of type %d, rank %d calls %d of %lu of type %d\n", rank,
                own.kind, (unsigned long)own.count, own.type, from[i], got[i].kind, (unsigned long)got[i].count, got[i].type);
        error = INTERNAL;
        return false;
      }
    return true;
  }

  bool collective(Call call, const char* given, char* taken) {
    std::vector<int> others;
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank) others.push_back(peer);
    if (!agree(call, others, others)) return false;
    size_t size = call.count * SIZES[call.type];
    std::vector<std::vector<char>> values;
    std::vector<Part> sends, receives;
    bool reduces = call.kind == ALL_REDUCE || call.kind == REDUCE_SCATTER || (call.kind == REDUCE && rank == call.root);
    if (reduces) {
      values.assign(ranks, std::vector<char>(size));
      memcpy(values[rank].data(), given + (call.kind == REDUCE_SCATTER ? rank * size : 0), size);
    }
    for (int peer : others) {
      bool goes = call.kind == REDUCE ? peer == call.root : call.kind != BROADCAST || rank == call.root;
      if (goes) sends.push_back({peer, (char*)given + (call.kind == REDUCE_SCATTER ? peer * size : 0), size});
      if (reduces) receives.push_back({peer, values[peer].data(), size});
      if (call.kind == ALL_GATHER) receives.push_back({peer, taken + peer * size, size});
      if (call.kind == BROADCAST && peer == call.root) receives.push_back({peer, taken, size});
    }
    if (!transfer(sends, receives)) return false;
    if (reduces) {
      reduce_all(values, call.count, call.type, call.op);
      memcpy(taken, values[0].data(), size);
    }
    if (call.kind == ALL_GATHER) memmove(taken + rank * size, given, size);
    if (call.kind == BROADCAST && rank == call.root) memmove(taken, given, size);
    return true;
  }

  bool points(std::vector<std::pair<bool, Part>> both, int type) {
    std::vector<Part> sends, receives, out, in;
    std::vector<Call> asked(both.size()), got(both.size());
    for (size_t i = 0; i < both.size(); ++i) {
      auto& [sending, part] = both[i];
      asked[i] = {POINT, 0, 0, 0, part.size};
      (sending ? out : in).push_back(part);
      (sending ? sends : receives).push_back({part.peer, (char*)(sending ? &asked[i] : &got[i]), sizeof(Call)});
    }
    if (!transfer(sends, receives)) return false;
    for (size_t i = 0; i < both.size(); ++i)
      if (!both[i].first && memcmp(&asked[i], &got[i], sizeof(Call))) {
        fprintf(stderr, "emulated NCCL: rank %d receives %lu bytes of rank %d, which sends %lu\n", rank,
                (unsigned long)asked[i].count, both[i].second.peer, (unsigned long)got[i].count);
        error = INTERNAL;
        return false;
      }
    return transfer(out, in);
  }

  int meet(const Id& id);
  void end() {
    {
      std::lock_guard<std::mutex> held(hold);
      ending = true;
    }
    changed.notify_all();
    if (worker.joinable()) worker.join();
    for (int socket : sockets)
      if (socket >= 0) close(socket);
  }
};

namespace {
struct Address {
  sockaddr_un at{};
  socklen_t length;
  Address(const Id& id, int rank) {
    std::string name = "vizgrad-nccl-" + std::string(id.text) + "-" + std::to_string(rank);
    at.sun_family = AF_UNIX;
    memcpy(at.sun_path + 1, name.data(), name.size());  // a name of Linux, not a file
    length = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  }
};
struct Told {
  int32_t rank, device;
};
}  // namespace

// A connection to each other rank, to the lower ones from here.
int ncclComm::meet(const Id& id) {
  sockets.assign(ranks, -1);
  Address own(id, rank);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, (sockaddr*)&own.at, own.length) || listen(listener, ranks + 1)) return SYSTEM;
  std::set<int> devices{device};
  Told told{rank, device}, peer;
  for (int i = 0; i < rank; ++i) {
    Address there(id, i);
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int tries = 0;
    while (connect(made, (sockaddr*)&there.at, there.length)) {
      if (++tries > PATIENCE * 100) return SYSTEM;
      usleep(10000);
    }
    if (send(made, &told, sizeof told, MSG_NOSIGNAL) < 0 || recv(made, &peer, sizeof peer, MSG_WAITALL) != sizeof peer) return REMOTE;
    sockets[i] = made;
    devices.insert(peer.device);
  }
  for (int i = rank + 1; i < ranks; ++i) {
    pollfd waiting{listener, POLLIN, 0};
    if (poll(&waiting, 1, PATIENCE * 1000) <= 0) return SYSTEM;
    int made = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (recv(made, &peer, sizeof peer, MSG_WAITALL) != sizeof peer || send(made, &told, sizeof told, MSG_NOSIGNAL) < 0) return REMOTE;
    sockets[peer.rank] = made;
    devices.insert(peer.device);
  }
  close(listener);
  if ((int)devices.size() < ranks) return USAGE;  // as NCCL: each rank has a device of its own
  worker = std::thread([this] { work(); });
  return SUCCESS;
}

namespace {
struct Grouped {
  intptr_t stream;
  std::vector<std::pair<bool, Part>> points;
};
thread_local int depth = 0;
thread_local std::map<ncclComm*, Grouped> grouped;

int point(bool sends, const void* data, size_t count, int type, int peer, ncclComm* comm, intptr_t stream) {
  if (peer < 0 || peer >= comm->ranks || type < 0 || type > BFLOAT) return ARGUMENT;
  auto& found = grouped[comm];
  found.stream = stream;
  found.points.push_back({sends, {peer, (char*)data, count * SIZES[type]}});
  if (!depth) {
    auto points = std::move(found.points);
    grouped.clear();
    comm->enqueue(stream, [=] { return comm->points(points, type); });
  }
  return SUCCESS;
}

int collective(Call call, const void* given, void* taken, ncclComm* comm, intptr_t stream) {
  if (call.type < 0 || call.type > BFLOAT || call.op < 0 || call.op > AVG || call.root < 0 || call.root >= comm->ranks) return ARGUMENT;
  comm->enqueue(stream, [=] { return comm->collective(call, (const char*)given, (char*)taken); });
  return SUCCESS;
}
}  // namespace

extern "C" {
void emulated_nccl_begin(int (*device)()) { current_device = device; }
long emulated_nccl_calls() { return calls; }
long emulated_nccl_last() {
  std::lock_guard<std::mutex> held(of_tickets);
  return last_ticket;
}
// Is all done that the stream was given until `ticket`?
int emulated_nccl_done(intptr_t stream, long ticket) {
  std::lock_guard<std::mutex> held(of_tickets);
  auto& left = unfinished[stream];
  return left.empty() || *left.begin() > ticket;
}
void emulated_nccl_wait(intptr_t stream, long ticket) {
  std::unique_lock<std::mutex> held(of_tickets);
  ticket_done.wait(held, [&] { return unfinished[stream].empty() || *unfinished[stream].begin() > ticket; });
}

const char* ncclGetErrorString(int status) {
  const char* texts[] = {"no error", "unhandled cuda error", "unhandled system error", "internal error", "invalid argument", "invalid usage", "remote process exited or there was a network error"};
  return status >= 0 && status <= REMOTE ? texts[status] : "unknown result code";
}
int ncclGetVersion(int* version) { return *version = 22501, SUCCESS; }
int ncclGetUniqueId(Id* id) {
  memset(id, 0, sizeof *id);
  unsigned char drawn[16];
  FILE* source = fopen("/dev/urandom", "rb");
  bool read = source && fread(drawn, 1, sizeof drawn, source) == sizeof drawn;
  if (source) fclose(source);
  for (int i = 0; i < 16; ++i) snprintf(id->text + 2 * i, 3, "%02x", drawn[i]);
  return read ? SUCCESS : SYSTEM;
}
static int start(ncclComm** made, int ranks, const Id& id, int rank, int device) {
  if (rank < 0 || rank >= ranks) return ARGUMENT;
  ncclComm* comm = new ncclComm;
  comm->ranks = ranks, comm->rank = rank, comm->device = device;
  int status = comm->meet(id);
  if (status != SUCCESS) return comm->end(), delete comm, status;
  *made = comm;
  return SUCCESS;
}
int ncclCommInitRankConfig(ncclComm** made, int ranks, Id id, int rank, void*) {
  return start(made, ranks, id, rank, current_device());
}
int ncclCommInitAll(ncclComm** made, int ranks, const int* devices) {
  Id id;
  ncclGetUniqueId(&id);
  std::vector<int> statuses(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] { statuses[rank] = start(made + rank, ranks, id, rank, devices ? devices[rank] : rank); });
  for (auto& each : threads) each.join();
  for (int status : statuses)
    if (status != SUCCESS) return status;
  return SUCCESS;
}
int ncclCommSplit(...) { return USAGE; }
int ncclCommDestroy(ncclComm* comm) { return comm->end(), delete comm, SUCCESS; }
int ncclCommAbort(ncclComm* comm) { return comm->aborted = true, ncclCommDestroy(comm); }
int ncclCommGetAsyncError(ncclComm* comm, int* error) { return *error = comm->error, SUCCESS; }
int ncclCommCount(const ncclComm* comm, int* count) { return *count = comm->ranks, SUCCESS; }
int ncclCommUserRank(const ncclComm* comm, int* rank) { return *rank = comm->rank, SUCCESS; }
int ncclCommCuDevice(const ncclComm* comm, int* device) { return *device = comm->device, SUCCESS; }

int ncclGroupStart() { return ++depth, SUCCESS; }
int ncclGroupEnd() {
  if (--depth) return SUCCESS;
  auto all = std::move(grouped);
  grouped.clear();
  for (auto& [comm, found] : all) {
    ncclComm* one = comm;
    auto points = found.points;
    one->enqueue(found.stream, [=] { return one->points(points, 0); });
  }
  return SUCCESS;
}
int ncclSend(const void* data, size_t count, int type, int peer, ncclComm* comm, intptr_t stream) {
  return point(true, data, count, type, peer, comm, stream);
}
int ncclRecv(void* data, size_t count, int type, int peer, ncclComm* comm, intptr_t stream) {
  return point(false, data, count, type, peer, comm, stream);
}
int ncclAllReduce(const void* given, void* taken, size_t count, int type, int op, ncclComm* comm, intptr_t stream) {
  return collective({ALL_REDUCE, type, op, 0, count}, given, taken, comm, stream);
}
int ncclReduce(const void* given, void* taken, size_t count, int type, int op, int root, ncclComm* comm, intptr_t stream) {
  return collective({REDUCE, type, op, root, count}, given, taken, comm, stream);
}
int ncclBroadcast(const void* given, void* taken, size_t count, int type, int root, ncclComm* comm, intptr_t stream) {
  return collective({BROADCAST, type, 0, root, count}, given, taken, comm, stream);
}
int ncclBcast(void* data, size_t count, int type, int root, ncclComm* comm, intptr_t stream) {
  return ncclBroadcast(data, data, count, type, root, comm, stream);
}
int ncclAllGather(const void* given, void* taken, size_t count, int type, ncclComm* comm, intptr_t stream) {
  return collective({ALL_GATHER, type, 0, 0, count}, given, taken, comm, stream);
}
int ncclReduceScatter(const void* given, void* taken, size_t count, int type, int op, ncclComm* comm, intptr_t stream) {
  return collective({REDUCE_SCATTER, type, op, 0, count}, given, taken, comm, stream);
}
}

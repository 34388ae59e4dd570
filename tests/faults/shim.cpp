// Part of Tenon, under the Apache License v2.0.
//
// A preloaded library (LD_PRELOAD) that makes the system fail, once `main` has
// begun:
//
//   TENON_FAULT=KIND:N   the N-th call (from 1) of KIND fails
//   TENON_FAULT=KIND:N+  so does every later one
//   TENON_FAULT=space:N  as on a disk that is full after N bytes
//   TENON_FAULT_COUNT=F  at exit the number of calls of each kind goes to F
//
// Kinds: alloc (malloc, operator new and their kin: ENOMEM), open, read, write,
// sync, rename, mkdir (EIO; write: ENOSPC), thread (EAGAIN). What libc does
// within itself, e.g. stdio's own reading and writing, is not seen.

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace {

enum Kind {
  Alloc,
  Open,
  Read,
  Write,
  Sync,
  Rename,
  Mkdir,
  Thread,
  Space,
  Kinds
};
constexpr const char *names[] = {"alloc",  "open",  "read",   "write", "sync",
                                 "rename", "mkdir", "thread", "space"};

std::atomic<bool> started{false};
std::atomic<unsigned long> counts[Kinds];
int faultKind = Kinds;
unsigned long faultAt = 0;
bool faultStays = false;

/// Counts a call; whether it is one that fails.
bool fails(Kind kind) {
  if (!started.load(std::memory_order_relaxed))
    return false;
  unsigned long number = ++counts[kind];
  return kind == faultKind &&
         (number == faultAt || (faultStays && number > faultAt));
}

template <typename Function> Function next(Function, const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool isFile(int descriptor) {
  struct stat status;
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/// Bytes of `count` that the disk still takes.
size_t room(int descriptor, size_t count) {
  if (faultKind != Space || !started || !isFile(descriptor))
    return count;
  unsigned long before = counts[Space].fetch_add(count);
  return before >= faultAt ? 0 : std::min<size_t>(count, faultAt - before);
}

void readOptions() {
  const char *fault = std::getenv("TENON_FAULT");
  const char *colon = fault ? std::strchr(fault, ':') : nullptr;
  if (!colon)
    return;
  for (int kind = 0; kind < Kinds; ++kind)
    if (std::strncmp(fault, names[kind], colon - fault) == 0 &&
        names[kind][colon - fault] == 0)
      faultKind = kind;
  char *end = nullptr;
  faultAt = std::strtoul(colon + 1, &end, 10);
  faultStays = end && *end == '+';
}

void writeCounts() {
  started = false;
  const char *path = std::getenv("TENON_FAULT_COUNT");
  FILE *file = path ? std::fopen(path, "w") : nullptr;
  if (!file)
    return;
  for (int kind = 0; kind < Space; ++kind)
    std::fprintf(file, "%s %lu\n", names[kind], counts[kind].load());
  std::fclose(file);
}

int (*realMain)(int, char **, char **);

int countingMain(int argc, char **argv, char **environment) {
  readOptions();
  std::atexit(writeCounts);
  started = true;
  return realMain(argc, argv, environment);
}

} // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
                      void (*init)(), void (*fini)(), void (*loader)(),
                      void *stack) {
  realMain = main;
  return next(__libc_start_main, "__libc_start_main")(
      countingMain, argc, argv, init, fini, loader, stack);
}

static void *noMemory() {
  errno = ENOMEM;
  return nullptr;
}

// tenon has a malloc of its own in front of these (tools/tenon/allocation.cpp).
void *__libc_malloc(size_t size) {
  static const auto real = next(__libc_malloc, "__libc_malloc");
  return fails(Alloc) ? noMemory() : real(size);
}
void *__libc_calloc(size_t count, size_t size) {
  static const auto real = next(__libc_calloc, "__libc_calloc");
  return fails(Alloc) ? noMemory() : real(count, size);
}
void *__libc_realloc(void *memory, size_t size) {
  static const auto real = next(__libc_realloc, "__libc_realloc");
  return fails(Alloc) ? noMemory() : real(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  static const auto real = next(aligned_alloc, "aligned_alloc");
  return fails(Alloc) ? noMemory() : real(alignment, size);
}
int posix_memalign(void **memory, size_t alignment, size_t size) {
  static const auto real = next(posix_memalign, "posix_memalign");
  return fails(Alloc) ? ENOMEM : real(memory, alignment, size);
}

static int failed() {
  errno = EIO;
  return -1;
}

int open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return fails(Open) ? failed() : ::openat(AT_FDCWD, path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  mode_t mode = va_arg(arguments, mode_t);
  va_end(arguments);
  return fails(Open) ? failed() : ::openat(AT_FDCWD, path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
  if (fails(Open))
    return failed(), nullptr;
  return next(fopen, "fopen")(path, mode);
}
FILE *fopen64(const char *path, const char *mode) { return fopen(path, mode); }
int mkstemp(char *name) {
  return fails(Open) ? failed() : next(mkstemp, "mkstemp")(name);
}
int mkstemp64(char *name) { return mkstemp(name); }

ssize_t read(int descriptor, void *to, size_t size) {
  return fails(Read) ? failed() : next(read, "read")(descriptor, to, size);
}
ssize_t pread(int descriptor, void *to, size_t size, off_t at) {
  return fails(Read) ? failed()
                     : next(pread, "pread")(descriptor, to, size, at);
}
ssize_t pread64(int descriptor, void *to, size_t size, off64_t at) {
  return pread(descriptor, to, size, at);
}

ssize_t write(int descriptor, const void *from, size_t size) {
  size_t fits = isFile(descriptor) && fails(Write) ? 0 : room(descriptor, size);
  if (fits == 0 && size != 0)
    return errno = ENOSPC, -1;
  return next(write, "write")(descriptor, from, fits);
}
int fsync(int descriptor) {
  return fails(Sync) ? failed() : next(fsync, "fsync")(descriptor);
}
int rename(const char *from, const char *to) {
  return fails(Rename) ? failed() : next(rename, "rename")(from, to);
}
int mkdir(const char *path, mode_t mode) {
  return fails(Mkdir) ? failed() : next(mkdir, "mkdir")(path, mode);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *argument) {
  return fails(Thread) ? EAGAIN
                       : next(pthread_create, "pthread_create")(
                             thread, attributes, start, argument);
}

} // extern "C"

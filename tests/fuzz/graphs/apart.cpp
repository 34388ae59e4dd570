// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/graphs/apart.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::graphs {
namespace {

constexpr rlim_t mostBytes = rlim_t(6) << 30;
constexpr size_t phaseBytes = 80;
/// Seconds of waiting for each of computing: a loaded machine is no defect.
constexpr double patience = 20;

/// The child's side: writes the outcome to `pipe` and is gone, without the
/// destructors of what the parent still uses.
[[noreturn]] void work(const std::function<Outcome(const Phase &)> &work,
                       double seconds, char *phase, int pipe) {
  rlimit limit{mostBytes, mostBytes};
#if !__has_feature(address_sanitizer) // which maps terabytes
  setrlimit(RLIMIT_AS, &limit);
#endif
  limit.rlim_cur = limit.rlim_max = rlim_t(std::ceil(seconds));
  setrlimit(RLIMIT_CPU, &limit);
  limit = {0, 0};
  setrlimit(RLIMIT_CORE, &limit);
  std::string text = work([phase](const char *name) {
                       strncpy(phase, name, phaseBytes - 1);
                     }).SerializeAsString();
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(pipe, text.data() + done, text.size() - done);
    if (n <= 0)
      _exit(1);
    done += n;
  }
  _exit(0);
}

/// All that the child writes until it closes the pipe; false at the deadline.
bool readAll(int pipe, double seconds, std::string &text) {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + std::chrono::duration<double>(seconds);
  char buffer[4096];
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - Clock::now());
    pollfd wait{pipe, POLLIN, 0};
    int ready = poll(&wait, 1, int(std::max<int64_t>(0, left.count())));
    if (ready == 0)
      return false;
    ssize_t n = ready > 0 ? read(pipe, buffer, sizeof(buffer)) : -1;
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return true;
    text.append(buffer, n);
  }
}

Outcome defect(const std::string &message) {
  Outcome outcome;
  outcome.set_message(message);
  return outcome;
}

} // namespace

Outcome apart(const std::function<Outcome(const Phase &)> &task,
              double seconds) {
  auto *phase =
      static_cast<char *>(mmap(nullptr, phaseBytes, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  int ends[2];
  if (phase == MAP_FAILED || pipe(ends) != 0)
    return defect(absl::StrCat("no child process: ", strerror(errno)));
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    work(task, seconds, phase, ends[1]);
  }
  close(ends[1]);
  std::string text, where;
  bool ended = child > 0 && readAll(ends[0], patience * seconds, text);
  close(ends[0]);
  if (child > 0 && !ended)
    kill(child, SIGKILL);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    ;
  where = phase;
  munmap(phase, phaseBytes);
  if (child < 0)
    return defect(absl::StrCat("no child process: ", strerror(errno)));
  // Out of processor time, which ends in SIGKILL where soft and hard limit are
  // one, or asleep.
  if (!ended)
    return defect(
        absl::StrCat("waited ", patience * seconds, " s for ", where));
  if (WIFSIGNALED(status) &&
      (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL))
    return defect(
        absl::StrCat("waited ", seconds, " s of processor time for ", where));
  if (WIFSIGNALED(status))
    return defect(
        absl::StrCat(where, " crashed: ", strsignal(WTERMSIG(status))));
  Outcome outcome;
  if (WEXITSTATUS(status) || !outcome.ParseFromString(text))
    return defect(
        absl::StrCat(where, " ended the process with ", WEXITSTATUS(status)));
  return outcome;
}

} // namespace tenon::graphs

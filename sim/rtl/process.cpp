//===- sim/rtl/process.cpp - Running tools --------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/process.h"

#include "sim/rtl/tool_groups.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds queryLimit{30};
constexpr size_t queryBytes = 1 << 20;

void stop(pid_t pid) {
  kill(-pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  removeToolGroup(pid);
}

// In the child: only functions that are safe between fork and exec.
[[noreturn]] void execute(char *const *arguments, const char *directory,
                          int output) {
  setpgid(0, 0);
  // A tool does not outlive the process that needs it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (directory && chdir(directory) != 0)
    _exit(126);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(arguments[0], arguments);
  _exit(127);
}

// Starts a command in a process group of its own, with `output` as standard
// output and error. Returns the process id, or -1 with errno.
pid_t start(const Command &command, const char *directory, int output) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = fork();
  if (pid == 0)
    execute(arguments.data(), directory, output);
  if (pid < 0)
    return pid;
  setpgid(pid, pid); // whoever of the two is first
  if (enterToolGroup(pid))
    return pid;
  stop(pid);
  errno = EAGAIN;
  return -1;
}

std::string tailOf(const std::string &path, size_t lines) {
  std::ifstream in(path);
  std::string text((std::istreambuf_iterator<char>(in)),
                   std::istreambuf_iterator<char>());
  std::vector<std::string> all =
      absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
  size_t first = all.size() > lines ? all.size() - lines : 0;
  return absl::StrJoin(all.begin() + first, all.end(), "\n");
}

// Far more than the build of any simulator takes.
constexpr uintmax_t leastSpace = 64 << 20;

// Whether the signal ended a tool, or what it had started, which compilers say
// by the signal's name and Verilator's script by its number.
bool endedBy(int number, int status, absl::string_view log) {
  return (WIFSIGNALED(status) && WTERMSIG(status) == number) ||
         absl::StrContains(log, strsignal(number)) ||
         absl::StrContains(log, absl::StrCat("threw signal ", number, "."));
}

// What a tool that ended with `status` lacked, as far as can be told; else "".
// A full disk is looked at itself: it keeps the log from naming it.
std::string lackOf(int status, absl::string_view log,
                   const std::string &directory) {
  std::error_code error;
  const std::filesystem::space_info space =
      std::filesystem::space(directory, error);
  if (!error && space.available < leastSpace)
    return absl::StrCat("only ", space.available >> 10, " KiB are free in ",
                        directory);
  for (int number : {ENOSPC, EDQUOT, EFBIG, ENOMEM})
    if (absl::StrContains(log, std::strerror(number)))
      return std::strerror(number);
  if (endedBy(SIGXFSZ, status, log))
    return std::strerror(EFBIG);
  // Only the system kills a tool, where it has no memory for it.
  if (endedBy(SIGKILL, status, log) ||
      absl::StrContains(log, "out of memory") ||
      absl::StrContains(log, "bad_alloc"))
    return std::strerror(ENOMEM);
  return "";
}

absl::Status failure(const Command &command, int status, const std::string &log,
                     const std::string &directory) {
  std::string how =
      WIFSIGNALED(status)
          ? absl::StrCat("was killed by signal ", WTERMSIG(status))
          : absl::StrCat("failed with status ", WEXITSTATUS(status));
  const std::string said = tailOf(log, 20);
  if (const std::string lack = lackOf(status, said, directory); !lack.empty())
    return absl::FailedPreconditionError(
        absl::StrCat("disk or memory is lacking (", lack, "): ", command[0],
                     " ", how, said.empty() ? "" : ":\n", said));
  return absl::InternalError(absl::StrCat(command[0], " ", how, ":\n", said));
}

// The system has no memory, no process or no file for it.
absl::Status cannotStart(const Command &command) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot start ", command[0], ": ", std::strerror(errno)));
}

// The commands under way.
class Jobs {
public:
  Jobs(const std::string &directory, int output)
      : directory(directory), output(output) {}
  ~Jobs() {
    for (const Job &job : running)
      stop(job.pid);
  }

  size_t count() const { return running.size(); }

  absl::Status add(const Command &command) {
    pid_t pid = start(command, directory.c_str(), output);
    if (pid < 0)
      return cannotStart(command);
    running.push_back({pid, &command});
    return absl::OkStatus();
  }

  /// Removes one that has ended; the command, or null where all still run.
  const Command *reap(int &status) {
    for (auto job = running.begin(); job != running.end(); ++job) {
      if (waitpid(job->pid, &status, WNOHANG) != job->pid)
        continue;
      removeToolGroup(job->pid);
      const Command *command = job->command;
      running.erase(job);
      return command;
    }
    return nullptr;
  }

private:
  struct Job {
    pid_t pid;
    const Command *command;
  };
  const std::string &directory;
  int output;
  std::vector<Job> running;
};

} // namespace

std::string findProgram(absl::string_view program) {
  const char *path = std::getenv("PATH");
  for (absl::string_view directory : absl::StrSplit(path ? path : "", ':')) {
    std::string candidate =
        absl::StrCat(directory.empty() ? "." : directory, "/", program);
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error) &&
        access(candidate.c_str(), X_OK) == 0)
      return candidate;
  }
  return "";
}

absl::Status runAll(const std::vector<Command> &commands,
                    const std::string &directory, const std::string &log,
                    unsigned jobs, std::chrono::seconds limit,
                    const std::function<void(size_t)> &finished) {
  int output =
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0)
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write ", log, ": ", std::strerror(errno)));
  struct Closer {
    int file;
    ~Closer() { close(file); }
  } closer{output};
  Clock::time_point deadline = Clock::now() + limit;
  Jobs running(directory, output);
  size_t next = 0, done = 0;
  while (done < commands.size()) {
    while (next < commands.size() && running.count() < std::max(jobs, 1u))
      if (absl::Status status = running.add(commands[next++]); !status.ok())
        return status;
    int status = 0;
    if (const Command *command = running.reap(status)) {
      if (status != 0)
        return failure(*command, status, log, directory);
      if (finished)
        finished(++done);
      else
        ++done;
      continue;
    }
    if (Clock::now() > deadline)
      return absl::DeadlineExceededError(
          absl::StrCat(commands[next - 1][0], " did not end within ",
                       limit.count(), " seconds"));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> outputOf(const Command &command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return cannotStart(command);
  pid_t pid = start(command, nullptr, ends[1]);
  close(ends[1]);
  if (pid < 0) {
    close(ends[0]);
    return cannotStart(command);
  }
  std::string text;
  Clock::time_point deadline = Clock::now() + queryLimit;
  bool ended = false;
  while (!ended && text.size() < queryBytes && Clock::now() < deadline) {
    pollfd ready{ends[0], POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0)
      continue;
    char buffer[4096];
    ssize_t bytes = ::read(ends[0], buffer, sizeof buffer);
    ended = bytes <= 0;
    if (!ended)
      text.append(buffer, bytes);
  }
  close(ends[0]);
  if (!ended) {
    stop(pid);
    return absl::DeadlineExceededError(absl::StrCat(
        command[0], " did not end within ", queryLimit.count(), " seconds"));
  }
  int status = 0;
  waitpid(pid, &status, 0);
  removeToolGroup(pid);
  if (status != 0)
    return absl::InternalError(
        absl::StrCat(absl::StrJoin(command, " "), " failed: ", text));
  return text;
}

} // namespace tenon::sim

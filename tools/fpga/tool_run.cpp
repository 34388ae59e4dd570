//===- tools/fpga/tool_run.cpp - One run of a tool ------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/tool_run.h"

#include "sim/rtl/tool_groups.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tenon::fpga {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int cannotExecute = 127;

// In the child: only functions that are safe between fork and exec.
[[noreturn]] void execute(char *const *arguments, const char *directory,
                          int output, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent || chdir(directory) != 0)
    _exit(cannotExecute);
  int input = open("/dev/null", O_RDONLY);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execvp(arguments[0], arguments);
  _exit(cannotExecute);
}

} // namespace

absl::StatusOr<int> runTool(const sim::Command &command,
                            const std::string &directory,
                            const std::string &log, std::chrono::seconds limit,
                            const std::function<void(double)> &tick) {
  int output =
      open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (output < 0)
    return absl::FailedPreconditionError(
        absl::StrCat("cannot write ", log, ": ", std::strerror(errno)));
  absl::Cleanup closeLog = [&] { close(output); };
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);

  const Clock::time_point start = Clock::now();
  const pid_t parent = getpid(), pid = fork();
  if (pid == 0)
    execute(arguments.data(), directory.c_str(), output, parent);
  auto cannotStart = [&](int error) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot start ", command[0], ": ", std::strerror(error)));
  };
  if (pid < 0)
    return cannotStart(errno);
  setpgid(pid, pid); // whoever of the two is first
  absl::Cleanup remove = [&] { sim::removeToolGroup(pid); };
  if (!sim::enterToolGroup(pid)) {
    kill(-pid, SIGKILL);
    waitpid(pid, nullptr, 0);
    return cannotStart(EAGAIN);
  }
  for (unsigned polls = 0;; ++polls) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) == pid) {
      kill(-pid, SIGKILL); // what it left behind
      return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    std::chrono::duration<double> passed = Clock::now() - start;
    if (passed > limit) {
      kill(-pid, SIGKILL);
      waitpid(pid, nullptr, 0);
      return absl::DeadlineExceededError(absl::StrCat(
          command[0], " did not end within ", limit.count(), " seconds"));
    }
    if (tick && polls % 20 == 0)
      tick(passed.count());
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

std::string lastLines(const std::string &path, size_t lines) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in)
    return "";
  constexpr std::streamoff most = 1 << 16;
  std::streamoff size = in.tellg();
  in.seekg(std::max<std::streamoff>(0, size - most));
  std::string text((std::istreambuf_iterator<char>(in)),
                   std::istreambuf_iterator<char>());
  std::vector<absl::string_view> all =
      absl::StrSplit(absl::StripSuffix(text, "\n"), '\n');
  size_t first = all.size() > lines ? all.size() - lines : 0;
  return absl::StrJoin(all.begin() + first, all.end(), "\n");
}

} // namespace tenon::fpga

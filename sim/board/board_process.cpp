//===- sim/board/board_process.cpp - A board behind a terminal ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/board/board_process.h"

#include "sim/board/sources.h"
#include "sim/rtl/recipe.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::sim {
namespace {

using Clock = std::chrono::steady_clock;

constexpr char prefix[] = "Vboard";

absl::StatusOr<Recipe> recipeOf(const BoardModel &model) {
  absl::StatusOr<Toolchain> tools = findToolchain();
  if (!tools.ok())
    return tools.status();
  Recipe recipe;
  recipe.kind = "board";
  recipe.name = model.name;
  recipe.tools = *std::move(tools);
  recipe.prefix = prefix;
  recipe.harness = "sim/board/board_main.cpp";
  recipe.product = "board";
  recipe.files = model.files;
  for (const SourceFile &file : embeddedBoardSources())
    if (absl::EndsWith(file.path, ".h") || file.path == recipe.harness)
      recipe.files.push_back(file);

  recipe.verilatorFlags = {"--top-module", model.top,   "-O3",
                           "-Icells",      "-Wno-lint", "-Wno-style"};
  for (const auto &[name, value] : model.parameters)
    recipe.verilatorFlags.push_back(absl::StrCat("-G", name, "=", value));
  for (const std::string &define : model.defines)
    recipe.verilatorFlags.push_back("-D" + define);
  addCommonFlags(recipe);

  std::string inputs;
  for (const auto &[name, value] : model.inputs)
    absl::StrAppend(&inputs, "model.", name, "=", value, ";");
  recipe.compilerFlags.insert(
      recipe.compilerFlags.end(),
      {absl::StrCat("-DBOARD_HEADER=\"", prefix, ".h\""),
       absl::StrCat("-DBOARD_MODEL=", prefix),
       absl::StrCat("-DBOARD_CLOCK=", model.clock),
       absl::StrCat("-DBOARD_RX=", model.uartRx),
       absl::StrCat("-DBOARD_TX=", model.uartTx),
       absl::StrCat("-DBOARD_INPUTS=", inputs)});
  if (!model.reset.empty())
    recipe.compilerFlags.push_back(absl::StrCat("-DBOARD_RESET=", model.reset));
  if (model.cyclesOnBothEdges)
    recipe.compilerFlags.push_back("-DBOARD_BOTH_EDGES");

  // A netlist is so much code that a short build is worth more than speed; all
  // of it in one unit would not be compiled in an hour.
  recipe.oneUnit = !model.isNetlist;
  if (model.isNetlist)
    recipe.verilatorFlags.insert(recipe.verilatorFlags.end(),
                                 {"--output-split", "20000"});
  else
    addUnrolling(recipe);
  recipe.fastFlags = {model.isNetlist ? "-O1" : "-O2", "-march=native"};
  recipe.slowFlags = {"-O0"};
  if (!model.isNetlist)
    addCoverage(recipe);
  return recipe;
}

class Process : public BoardProcess {
public:
  explicit Process(std::chrono::seconds answerLimit)
      : answerLimit(answerLimit) {}
  ~Process() override {
    if (pid > 0) {
      shutdown(socket, SHUT_WR); // the end of its standard input ends it
      if (!ended())
        kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
    if (socket >= 0)
      close(socket);
  }

  absl::Status start(const std::string &program, uint64_t clockHz);
  const std::string &port() const override { return port_; }
  absl::StatusOr<BoardStatistics> statistics() override;

private:
  absl::StatusOr<std::string> line();
  bool ended() const;

  const std::chrono::seconds answerLimit;
  pid_t pid = 0;
  int socket = -1; // the process's standard input and output
  std::string port_;
};

absl::Status Process::start(const std::string &program, uint64_t clockHz) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return absl::InternalError(
        absl::StrCat("socketpair: ", std::strerror(errno)));
  socket = ends[0];
  const std::string clock = absl::StrCat(clockHz);
  pid = fork();
  if (pid == 0) {
    // Only functions that are safe between fork and exec.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDIN_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    execl(program.c_str(), program.c_str(), clock.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  if (pid < 0)
    return absl::InternalError(
        absl::StrCat("cannot start ", program, ": ", std::strerror(errno)));
  absl::StatusOr<std::string> first = line();
  if (!first.ok())
    return first.status();
  absl::string_view path = *first;
  if (!absl::ConsumePrefix(&path, "port "))
    return absl::InternalError(
        absl::StrCat("the simulated board says '", *first, "'"));
  port_ = std::string(path);
  return absl::OkStatus();
}

absl::StatusOr<std::string> Process::line() {
  const Clock::time_point limit = Clock::now() + answerLimit;
  std::string text;
  while (!absl::EndsWith(text, "\n")) {
    pollfd ready{socket, POLLIN, 0};
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        limit - Clock::now());
    if (left.count() <= 0)
      return absl::UnavailableError(
          absl::StrCat("the simulated board does not answer for ",
                       answerLimit.count(), " s"));
    if (poll(&ready, 1, left.count()) <= 0)
      continue;
    char next;
    if (::read(socket, &next, 1) != 1)
      return absl::UnavailableError("the simulated board has ended");
    text += next;
  }
  text.pop_back();
  return text;
}

// Whether the process closes its end of the socket within the limit.
bool Process::ended() const {
  const Clock::time_point limit = Clock::now() + answerLimit;
  char unread[256];
  while (Clock::now() < limit) {
    pollfd ready{socket, POLLIN, 0};
    if (poll(&ready, 1, 100) > 0 && ::read(socket, unread, sizeof unread) <= 0)
      return true;
  }
  return false;
}

absl::StatusOr<BoardStatistics> Process::statistics() {
  if (send(socket, "\n", 1, MSG_NOSIGNAL) != 1)
    return absl::UnavailableError("the simulated board has ended");
  absl::StatusOr<std::string> text = line();
  if (!text.ok())
    return text.status();
  unsigned long long cycles, in, out, errors;
  BoardStatistics result;
  if (std::sscanf(text->c_str(), "%llu %lf %llu %llu %llu", &cycles,
                  &result.seconds, &in, &out, &errors) != 5)
    return absl::InternalError(
        absl::StrCat("the simulated board says '", *text, "'"));
  result.cycles = cycles;
  result.bytesToBoard = in;
  result.bytesFromBoard = out;
  result.framingErrors = errors;
  return result;
}

} // namespace

absl::StatusOr<std::string> boardSimulatorFor(const BoardModel &model,
                                              const BuildProgress &progress) {
  absl::StatusOr<Recipe> recipe = recipeOf(model);
  if (!recipe.ok())
    return recipe.status();
  return buildCached(*recipe, progress);
}

absl::StatusOr<std::unique_ptr<BoardProcess>>
startBoard(const BoardModel &model, const BoardOptions &options,
           const BuildProgress &progress) {
  absl::StatusOr<std::string> program = boardSimulatorFor(model, progress);
  if (!program.ok())
    return program.status();
  auto process = std::make_unique<Process>(options.answerLimit);
  if (absl::Status status = process->start(*program, options.clockHz);
      !status.ok())
    return status;
  return process;
}

} // namespace tenon::sim

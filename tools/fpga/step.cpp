//===- tools/fpga/step.cpp - A step of a flow, kept by content ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/step.h"

#include "tools/fpga/tool_run.h"

#include "isa/cache_entry.h"
#include "isa/files.h"
#include "isa/secure_hash.h"
#include "sim/rtl/lock.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <filesystem>
#include <unistd.h>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;

constexpr char secondsFile[] = "seconds";

std::string logName(const Step &step) { return step.name + ".log"; }

std::string keyOf(const Step &step) {
  isa::SecureHash hash;
  for (const std::string &text :
       {step.name, step.tool.kind.name, step.tool.version, step.linksKey})
    hash.add(text);
  hash.add(step.arguments);
  hash.add(step.outputs);
  for (const SourceFile &file : step.files) {
    hash.add(file.path);
    hash.add(file.text);
  }
  return hash.hex();
}

absl::Status cannotWrite(const fs::path &path, const std::error_code &error) {
  return absl::FailedPreconditionError(
      absl::StrCat("build cache: cannot write ", path.string(), ": ",
                   error.message(), " (TENON_CACHE chooses another place)"));
}

absl::Status makeDirectory(const fs::path &path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? cannotWrite(path, error) : absl::OkStatus();
}

// Links where the file system can, else copies.
absl::Status bring(const fs::path &from, const fs::path &directory) {
  fs::path to = directory / from.filename();
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error)
    fs::copy_file(from, to, error);
  return error ? cannotWrite(to, error) : absl::OkStatus();
}

absl::Status fill(const Step &step, const fs::path &directory) {
  for (const SourceFile &file : step.files) {
    fs::path path = directory / file.path;
    if (absl::Status status = makeDirectory(path.parent_path()); !status.ok())
      return status;
    if (absl::Status status = isa::writeFile(path.string(), file.text);
        !status.ok())
      return status;
  }
  for (const std::string &link : step.links)
    if (absl::Status status = bring(link, directory); !status.ok())
      return status;
  return absl::OkStatus();
}

// Why the step in `directory` did not do what it should, for a person.
absl::Status failure(const Step &step, const fs::path &directory,
                     const std::string &log, const std::string &what) {
  if (step.explain)
    if (absl::Status status = step.explain(directory.string()); !status.ok())
      return absl::Status(status.code(),
                          absl::StrCat(status.message(), " (log: ", log, ")"));
  return absl::InternalError(absl::StrCat(step.title, ": ", step.tool.path, " ",
                                          what, "; log: ", log, "\n",
                                          lastLines(log, 12)));
}

// What the tool says it is doing: the last line of its log, shortened.
std::string activity(const std::string &log) {
  constexpr size_t most = 44;
  std::string line = lastLines(log, 1);
  if (absl::StrContains(line, "This might take a while"))
    return ": its first start compiles it (once)";
  absl::string_view text = absl::StripAsciiWhitespace(line);
  absl::ConsumePrefix(&text, "Info:");
  text = absl::StripAsciiWhitespace(text).substr(0, most);
  return text.empty() ? "" : absl::StrCat(": ", text);
}

// Runs the step in `directory` and returns the seconds it took.
absl::StatusOr<double> runIn(const Step &step, const fs::path &directory,
                             const std::string &logs,
                             const BuildProgress &progress) {
  if (absl::Status status = fill(step, directory); !status.ok())
    return status;
  sim::Command command = {step.tool.path};
  command.insert(command.end(), step.arguments.begin(), step.arguments.end());
  const fs::path log = directory / logName(step);
  const auto start = std::chrono::steady_clock::now();
  auto status =
      runTool(command, directory.string(), log.string(), step.limit,
              [&](double seconds) {
                if (progress)
                  progress(step.title + activity(log.string()), seconds);
              });
  std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  // Of a step that fails nothing stays but its log.
  const fs::path kept = fs::path(logs) / logName(step);
  std::error_code error;
  fs::copy_file(log, kept, fs::copy_options::overwrite_existing, error);
  if (!status.ok())
    return absl::Status(status.status().code(),
                        absl::StrCat(step.title, ": ",
                                     status.status().message(),
                                     "; log: ", kept.string()));
  if (*status != 0)
    return failure(step, directory, kept.string(),
                   absl::StrCat("ended with status ", *status));
  for (const std::string &output : step.outputs)
    if (!fs::exists(directory / output, error) ||
        fs::file_size(directory / output, error) == 0)
      return failure(step, directory, kept.string(),
                     absl::StrCat("did not write ", output));
  return took.count();
}

absl::StatusOr<StepResult> fromCache(const fs::path &directory,
                                     const std::string &key) {
  if (absl::Status kept = isa::checkEntry(directory); !kept.ok())
    return kept;
  auto text = isa::readFile((directory / secondsFile).string());
  StepResult result{directory.string(), key, 0, true};
  if (!text.ok() || !absl::SimpleAtod(*text, &result.seconds))
    return absl::DataLossError(
        absl::StrCat("'", directory.string(), "' is no result of a step"));
  return result;
}

} // namespace

std::string StepResult::file(absl::string_view name) const {
  return absl::StrCat(directory, "/", name);
}

absl::StatusOr<StepResult> runStep(const Step &step, const std::string &logs,
                                   const BuildProgress &progress) {
  auto folder = isa::cacheFolder("fpga");
  if (!folder.ok())
    return folder.status();
  std::error_code error;
  const fs::path root = *folder;
  const std::string key = keyOf(step), stem = step.name + "-" + key;
  const fs::path result = root / stem;
  auto keepLog = [&] {
    fs::copy_file(result / logName(step), fs::path(logs) / logName(step),
                  fs::copy_options::overwrite_existing, error);
  };
  if (auto cached = fromCache(result, key); cached.ok()) {
    keepLog();
    return cached;
  }

  auto lock = sim::FileLock::take((root / (stem + ".lock")).string(),
                                  step.limit, progress);
  if (!lock.ok())
    return lock.status();
  auto cached = fromCache(result, key);
  if (cached.ok()) { // by whom we awaited
    keepLog();
    return cached;
  }
  if (!absl::IsNotFound(cached.status()))
    isa::sayMadeAnew(cached.status());

  // Under the lock, so whatever lies there was left by who did not end well.
  const fs::path fresh = root / (stem + ".new");
  fs::remove_all(fresh, error);
  fs::remove_all(result, error);
  absl::Cleanup removeFresh = [&] { fs::remove_all(fresh, error); };
  if (absl::Status status = makeDirectory(fresh); !status.ok())
    return status;
  auto seconds = runIn(step, fresh, logs, progress);
  if (!seconds.ok())
    return seconds.status();
  if (absl::Status status = isa::writeFile((fresh / secondsFile).string(),
                                           absl::StrCat(*seconds));
      !status.ok())
    return status;
  if (absl::Status status = isa::completeEntry(fresh); !status.ok())
    return status;
  fs::rename(fresh, result, error);
  if (error)
    return cannotWrite(result, error);
  return StepResult{result.string(), key, *seconds, false};
}

} // namespace tenon::fpga

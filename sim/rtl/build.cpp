//===- sim/rtl/build.cpp - Simulators on demand ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/build.h"

#include "isa/cache_entry.h"

#include "sim/rtl/lock.h"
#include "sim/rtl/process.h"
#include "sim/rtl/recipe.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

namespace tenon::sim {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::minutes timeLimit{30};
constexpr char wholeModel[] = "whole_model.cpp";

absl::Status cannotWrite(const fs::path &path, const std::error_code &error) {
  return absl::FailedPreconditionError(
      absl::StrCat("simulator cache: cannot write ", path.string(), ": ",
                   error.message(), " (TENON_CACHE chooses another place)"));
}

absl::Status makeDirectory(const fs::path &path) {
  std::error_code error;
  fs::create_directories(path, error);
  return error ? cannotWrite(path, error) : absl::OkStatus();
}

absl::Status writeFile(const fs::path &path, const std::string &text) {
  if (absl::Status status = makeDirectory(path.parent_path()); !status.ok())
    return status;
  errno = 0; // a stream does not say why
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out)
    return cannotWrite(path, {errno ? errno : EIO, std::generic_category()});
  return absl::OkStatus();
}

// One build in a directory of its own, which it removes at its end.
class Build {
public:
  Build(const Recipe &recipe, fs::path directory, const BuildProgress &progress)
      : recipe(recipe), directory(std::move(directory)), progress(progress) {}
  ~Build() {
    std::error_code error;
    fs::remove_all(directory, error);
  }

  /// Makes `result`, a directory with the simulator and the log of its build.
  absl::Status run(const fs::path &result) {
    for (auto step : {&Build::writeSources, &Build::verilate, &Build::compile,
                      &Build::link})
      if (absl::Status status = (this->*step)(); !status.ok())
        return status;
    return install(result);
  }

private:
  void report(const std::string &phase) const {
    if (progress)
      progress(phase,
               std::chrono::duration<double>(Clock::now() - start).count());
  }

  std::string log() const { return (directory / "build.log").string(); }

  absl::Status runTools(const std::vector<Command> &commands, unsigned jobs,
                        const std::function<void(size_t)> &finished = {}) {
    return runAll(commands, directory.string(), log(), jobs, timeLimit,
                  finished);
  }

  absl::Status writeSources() {
    for (const SourceFile &file : recipe.files)
      if (absl::Status status = writeFile(directory / file.path, file.text);
          !status.ok())
        return status;
    return absl::OkStatus();
  }

  absl::Status verilate() {
    report(absl::StrCat("verilating ", recipe.name));
    Command command = {recipe.tools.verilator};
    command.insert(command.end(), recipe.verilatorFlags.begin(),
                   recipe.verilatorFlags.end());
    command.insert(command.end(), {"--Mdir", "obj"});
    for (const SourceFile &file : recipe.files)
      if (absl::EndsWith(file.path, ".sv") || absl::EndsWith(file.path, ".v"))
        command.push_back(file.path);
    return runTools({command}, 1);
  }

  // Runs once, and is not worth optimising.
  static bool isSlow(absl::string_view unit) {
    return absl::StrContains(unit, "Slow") || absl::StrContains(unit, "__Syms");
  }

  // What Verilator wrote, its run-time library and the harness. All that runs
  // in every cycle is one unit: it is compiled in half the time (most of which
  // goes into headers), and what happens in every evaluation is inlined.
  absl::StatusOr<std::vector<std::string>> units() const {
    std::vector<std::string> found, fast;
    std::error_code error;
    for (fs::directory_iterator it(directory / "obj", error), end;
         !error && it != end; it.increment(error))
      if (std::string unit = "obj/" + it->path().filename().string();
          it->path().extension() == ".cpp")
        (isSlow(unit) ? found : fast).push_back(unit);
    if (error)
      return cannotWrite(directory / "obj", error);
    std::sort(found.begin(), found.end());
    std::sort(fast.begin(), fast.end());
    fast.push_back(recipe.harness);
    if (recipe.oneUnit) {
      std::string includes;
      for (const std::string &unit : fast)
        absl::StrAppend(&includes, "#include \"", unit, "\"\n");
      if (absl::Status status = writeFile(directory / wholeModel, includes);
          !status.ok())
        return status;
      fast = {wholeModel};
    }
    found.insert(found.begin(), fast.begin(), fast.end()); // the longest first
    // The makefile fragment lists the run-time library's units, one a line.
    std::ifstream list(directory / "obj" / (recipe.prefix + "_classes.mk"));
    bool inList = false;
    for (std::string line; std::getline(list, line);) {
      absl::string_view word = absl::StripAsciiWhitespace(
          absl::StripSuffix(absl::StripAsciiWhitespace(line), "\\"));
      if (inList && !word.empty())
        found.push_back(absl::StrCat(recipe.tools.verilatorRoot, "/include/",
                                     word, ".cpp"));
      inList = absl::StartsWith(word, "VM_GLOBAL_FAST") ||
               absl::StartsWith(word, "VM_GLOBAL_SLOW") ||
               (inList && !word.empty());
    }
    return found;
  }

  Command compileCommand(const std::string &unit, const std::string &object) {
    const std::string include = recipe.tools.verilatorRoot + "/include";
    Command command;
    if (!recipe.tools.ccache.empty())
      command.push_back(recipe.tools.ccache);
    command.push_back(recipe.tools.compiler);
    for (const auto *flags :
         {&recipe.compilerFlags,
          isSlow(unit) ? &recipe.slowFlags : &recipe.fastFlags})
      command.insert(command.end(), flags->begin(), flags->end());
    command.insert(command.end(),
                   {"-I.", "-Iobj", "-isystem", include, "-isystem",
                    include + "/vltstd", "-c", unit, "-o", object});
    return command;
  }

  absl::Status compile() {
    absl::StatusOr<std::vector<std::string>> sources = units();
    if (!sources.ok())
      return sources.status();
    std::vector<Command> commands;
    for (const std::string &unit : *sources) {
      objects.push_back(absl::StrCat("unit", commands.size(), ".o"));
      commands.push_back(compileCommand(unit, objects.back()));
    }
    auto reportUnit = [&](size_t done) {
      report(absl::StrCat("compiling ", done, " of ", commands.size()));
    };
    reportUnit(0);
    return runTools(commands, std::thread::hardware_concurrency(), reportUnit);
  }

  absl::Status link() {
    report("linking");
    Command command = {recipe.tools.compiler, "-o", recipe.product};
    command.insert(command.end(), recipe.linkFlags.begin(),
                   recipe.linkFlags.end());
    command.insert(command.end(), objects.begin(), objects.end());
    command.insert(command.end(), {"-lpthread"});
    return runTools({command}, 1);
  }

  absl::Status install(const fs::path &result) {
    fs::path ready = directory / "result";
    if (absl::Status status = makeDirectory(ready); !status.ok())
      return status;
    std::error_code error;
    for (const std::string &name : {recipe.product, std::string("build.log")}) {
      fs::rename(directory / name, ready / name, error);
      if (error)
        return cannotWrite(ready / name, error);
    }
    if (absl::Status status = isa::completeEntry(ready); !status.ok())
      return status;
    fs::rename(ready, result, error);
    if (error)
      return cannotWrite(result, error);
    report("built");
    return absl::OkStatus();
  }

  const Recipe &recipe;
  const fs::path directory;
  const BuildProgress &progress;
  const Clock::time_point start = Clock::now();
  std::vector<std::string> objects;
};

// Removes what a killed process left of builds of this simulator; the caller
// holds its lock.
void removeRemains(const fs::path &root, const std::string &stem) {
  std::error_code error;
  std::vector<fs::path> remains;
  for (fs::directory_iterator it(root, error), end; !error && it != end;
       it.increment(error))
    if (absl::StartsWith(it->path().filename().string(), stem + ".new."))
      remains.push_back(it->path());
  remains.push_back(root / stem); // its deletion was interrupted
  for (const fs::path &path : remains)
    fs::remove_all(path, error);
}

// A configuration's name as part of a file name.
std::string fileName(const std::string &name) {
  std::string text;
  for (char c : name.substr(0, 40))
    text += absl::ascii_isalnum(c) || c == '_' || c == '-' ? c : '_';
  return text;
}

} // namespace

static absl::StatusOr<Recipe>
recipeFor(const isa::Configuration &configuration) {
  absl::StatusOr<isa::Layout> layout = isa::Layout::get(configuration);
  if (!layout.ok())
    return layout.status();
  absl::StatusOr<Toolchain> tools = findToolchain();
  if (!tools.ok())
    return tools.status();
  return recipeFor(*layout, *std::move(tools));
}

absl::StatusOr<std::string>
simulatorFor(const isa::Configuration &configuration,
             const BuildProgress &progress) {
  absl::StatusOr<Recipe> recipe = recipeFor(configuration);
  if (!recipe.ok())
    return recipe.status();
  return buildCached(*recipe, progress);
}

absl::StatusOr<std::string>
observedSimulatorFor(const isa::Configuration &configuration, Bodies bodies,
                     const BuildProgress &progress) {
  absl::StatusOr<Recipe> recipe = recipeFor(configuration);
  if (!recipe.ok())
    return recipe.status();
  addProbe(*recipe);
  if (bodies == Bodies::Synthesis)
    addSynthesisBodies(*recipe);
  else
    addAssertions(*recipe);
  return buildCached(*recipe, progress);
}

absl::StatusOr<std::string> buildCached(const Recipe &recipe,
                                        const BuildProgress &progress) {
  absl::StatusOr<std::string> folder = isa::cacheFolder(recipe.kind);
  if (!folder.ok())
    return folder;

  fs::path root = *folder;
  std::string stem = absl::StrCat(fileName(recipe.name), "-", cacheKey(recipe));
  fs::path result = root / stem;
  fs::path simulator = result / recipe.product;
  if (isa::checkEntry(result).ok())
    return simulator.string();

  absl::StatusOr<FileLock> lock =
      FileLock::take((root / (stem + ".lock")).string(), timeLimit, progress);
  if (!lock.ok())
    return lock.status();
  absl::Status kept = isa::checkEntry(result);
  if (kept.ok()) // built by whom we waited for
    return simulator.string();
  if (!absl::IsNotFound(kept))
    isa::sayMadeAnew(kept);
  removeRemains(root, stem);
  Build build(recipe, root / absl::StrCat(stem, ".new.", getpid()), progress);
  if (absl::Status status = build.run(result); !status.ok())
    return status;
  return simulator.string();
}

} // namespace tenon::sim

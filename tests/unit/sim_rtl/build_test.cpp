// Part of Tenon, under the Apache License v2.0.
//
// What a simulator is built from, its key in the cache, and missing tools.

#include "sim/rtl/build.h"
#include "sim/rtl/lock.h"
#include "sim/rtl/recipe.h"

#include "isa/configuration.h"
#include "isa/record_store.h"
#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

namespace tenon::sim {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

// An environment variable with another value while this lives.
class Environment {
public:
  Environment(const char *name, const std::string &value) : name(name) {
    if (const char *old = std::getenv(name))
      saved = old;
    else
      unset = true;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (unset)
      unsetenv(name);
    else
      setenv(name, saved.c_str(), 1);
  }

private:
  const char *name;
  std::string saved;
  bool unset = false;
};

Toolchain someTools() {
  return {"/bin/verilator",
          "Verilator 1",
          "/share",
          "/bin/c++",
          "c++ 2",
          "",
          "cpu"};
}

Recipe recipeOf(const char *configuration) {
  auto config = isa::loadConfiguration(configuration);
  EXPECT_TRUE(config.ok()) << config.status();
  auto layout = isa::Layout::get(*config);
  EXPECT_TRUE(layout.ok()) << layout.status();
  auto recipe = recipeFor(*layout, someTools());
  EXPECT_TRUE(recipe.ok()) << recipe.status();
  return *recipe;
}

TEST(Recipe, HasPackageFirstAndHarness) {
  Recipe recipe = recipeOf("pynq");
  ASSERT_FALSE(recipe.files.empty());
  EXPECT_EQ(recipe.files[0].path, "rtl/tenon_pkg.sv");
  EXPECT_THAT(recipe.files[0].text, HasSubstr("package tenon_pkg"));
  std::vector<std::string> paths;
  for (const SourceFile &file : recipe.files)
    paths.push_back(file.path);
  for (const char *path :
       {"sim/accounting.h", "sim/memory/axi_checker.h",
        "sim/memory/axi_memory.h", "sim/memory/axi_port.h",
        "sim/memory/disturbance.h", "sim/memory/timing.h", "sim/rtl/model.cpp",
        "sim/rtl/model_api.h", "sim/trace/launch_trace.h"})
    EXPECT_THAT(paths, ::testing::Contains(path));
}

TEST(Recipe, ChecksAssertionsOnlyWhereAsked) {
  using ::testing::Contains;
  using ::testing::Not;
  Recipe plain = recipeOf("pynq"), asserted = plain, synthesis = plain;
  EXPECT_THAT(plain.verilatorFlags, Contains("--noassert"));
  EXPECT_THAT(plain.verilatorFlags, Not(Contains("-DSYNTHESIS")));
  addAssertions(asserted);
  EXPECT_THAT(asserted.verilatorFlags, Contains("--assert"));
  EXPECT_THAT(asserted.verilatorFlags, Not(Contains("--noassert")));
  addSynthesisBodies(synthesis);
  EXPECT_THAT(synthesis.verilatorFlags, Contains("-DSYNTHESIS"));
  EXPECT_NE(cacheKey(asserted), cacheKey(plain));
  EXPECT_NE(cacheKey(synthesis), cacheKey(plain));
}

TEST(CacheKey, ChangesWithEachInput) {
  const Recipe recipe = recipeOf("pynq");
  const std::string key = cacheKey(recipe);
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(cacheKey(recipe), key);

  const std::pair<const char *, std::function<void(Recipe &)>> changes[] = {
      {"verilator", [](Recipe &r) { r.tools.verilatorVersion += "1"; }},
      {"verilator's path", [](Recipe &r) { r.tools.verilator += "1"; }},
      {"verilator's root", [](Recipe &r) { r.tools.verilatorRoot += "1"; }},
      {"compiler", [](Recipe &r) { r.tools.compilerVersion += "1"; }},
      {"compiler's path", [](Recipe &r) { r.tools.compiler += "1"; }},
      {"cpu", [](Recipe &r) { r.tools.cpu += "1"; }},
      {"prefix", [](Recipe &r) { r.prefix += "1"; }},
      {"harness", [](Recipe &r) { r.harness += "1"; }},
      {"product", [](Recipe &r) { r.product += "1"; }},
      {"units", [](Recipe &r) { r.oneUnit = !r.oneUnit; }},
      {"link flags", [](Recipe &r) { r.linkFlags.push_back("-g"); }},
      {"a file's text", [](Recipe &r) { r.files.back().text += "1"; }},
      {"a file's name", [](Recipe &r) { r.files.back().path += "1"; }},
      {"package", [](Recipe &r) { r.files.front().text += "1"; }},
      {"a file less", [](Recipe &r) { r.files.pop_back(); }},
      {"verilator's flags", [](Recipe &r) { r.verilatorFlags.push_back(""); }},
      {"compiler's flags", [](Recipe &r) { r.compilerFlags.push_back("1"); }},
      {"fast flags", [](Recipe &r) { r.fastFlags.push_back("1"); }},
      {"slow flags", [](Recipe &r) { r.slowFlags.push_back("1"); }},
  };
  for (const auto &[what, change] : changes) {
    Recipe changed = recipe;
    change(changed);
    EXPECT_NE(cacheKey(changed), key) << what;
  }
}

TEST(CacheKey, TextsDoNotRunTogether) {
  Recipe a = recipeOf("pynq"), b = a;
  a.files[0].text += "x";
  b.files[0].text += "";
  b.files[1].path = "x" + b.files[1].path;
  EXPECT_NE(cacheKey(a), cacheKey(b));
}

TEST(CacheKey, ChangesWithConfiguration) {
  EXPECT_NE(cacheKey(recipeOf("pynq")), cacheKey(recipeOf("tiny")));
}

TEST(CacheKey, KnowsReplacedRtl) {
  const std::string key = cacheKey(recipeOf("pynq"));
  const ScratchFolder scratch;
  fs::create_directories(scratch / "rtl");
  std::ofstream(scratch / "rtl/tenon_top.sv") << "module tenon_top;";
  Environment hw("TENON_HW", scratch.path());
  Recipe replaced = recipeOf("pynq");
  EXPECT_NE(cacheKey(replaced), key);
  EXPECT_EQ(replaced.files[1].path, "rtl/tenon_top.sv");
  EXPECT_EQ(replaced.files[1].text, "module tenon_top;");
}

TEST(Recipe, ClocksCountOnBothEdges) {
  int clocked = 0;
  for (const SourceFile &file : recipeOf("pynq").files) {
    if (file.path.substr(0, 4) != "rtl/")
      continue;
    EXPECT_EQ(file.text.find("posedge"), std::string::npos) << file.path;
    clocked += file.text.find("@(edge clk") != std::string::npos;
  }
  EXPECT_GT(clocked, 10);
}

TEST(Build, MissingDirectoryOfRtl) {
  Environment hw("TENON_HW", "/nonexistent");
  auto sources = rtlSources();
  EXPECT_EQ(sources.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(sources.status().message()),
              HasSubstr("TENON_HW: cannot read directory /nonexistent/rtl"));
}

TEST(Build, MissingVerilatorNamesThePackage) {
  auto config = isa::loadConfiguration("tiny");
  ASSERT_TRUE(config.ok());
  Environment path("PATH", "/nonexistent");
  auto simulator = simulatorFor(*config);
  EXPECT_EQ(simulator.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(simulator.status().message()),
              HasSubstr("verilator is not in PATH"));
  EXPECT_THAT(std::string(simulator.status().message()),
              HasSubstr("apt-get install verilator"));
}

TEST(Build, IllegalConfigurationIsRefused) {
  isa::Configuration config;
  EXPECT_FALSE(simulatorFor(config).ok());
}

TEST(Build, CacheDirectoryFromTheEnvironment) {
  Environment home("HOME", "/h"), xdg("XDG_CACHE_HOME", ""),
      own("TENON_CACHE", "");
  EXPECT_EQ(*isa::cacheDirectory(), "/h/.cache/tenon");
  Environment xdgSet("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(*isa::cacheDirectory(), "/x/tenon");
  Environment ownSet("TENON_CACHE", "/o");
  EXPECT_EQ(*isa::cacheDirectory(), "/o");
}

TEST(Build, RtlThatDoesNotCompileLeavesNothing) {
  const ScratchFolder scratch;
  fs::create_directories(scratch / "rtl");
  std::ofstream(scratch / "rtl/tenon_top.sv") << "module oops";
  Environment hw("TENON_HW", scratch.path());
  Environment cache("TENON_CACHE", scratch / "cache");
  auto config = isa::loadConfiguration("tiny");
  ASSERT_TRUE(config.ok());
  auto simulator = simulatorFor(*config);
  EXPECT_EQ(simulator.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(simulator.status().message()),
              HasSubstr("tenon_top.sv"));
  for (const auto &entry : fs::directory_iterator(scratch / "cache/rtl"))
    EXPECT_EQ(entry.path().extension(), ".lock");
}

TEST(Lock, WaitsNoLongerThanItsLimit) {
  const ScratchFolder scratch;
  std::string path = scratch / "lock";
  auto first = FileLock::take(path, std::chrono::seconds(1), {});
  ASSERT_TRUE(first.ok()) << first.status();
  std::vector<std::string> lines;
  auto second = FileLock::take(
      path, std::chrono::seconds(0),
      [&](const std::string &phase, double) { lines.push_back(phase); });
  EXPECT_EQ(second.status().code(), absl::StatusCode::kDeadlineExceeded);
  {
    FileLock released = *std::move(first);
  }
  EXPECT_TRUE(FileLock::take(path, std::chrono::seconds(0), {}).ok());
}

TEST(Process, FailureQuotesTheLog) {
  const ScratchFolder scratch;
  absl::Status status =
      runAll({{"sh", "-c", "echo all is lost; exit 3"}}, scratch.path(),
             scratch / "log", 2, std::chrono::seconds(30));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("sh failed with status 3:\nall is lost"));
}

TEST(Process, LackOfDiskOrMemoryIsNoDefect) {
  const ScratchFolder scratch;
  for (const auto &[script, reason] :
       std::vector<std::pair<std::string, std::string>>{
           {"dd if=/dev/zero of=/dev/full count=1", "No space left on device"},
           {"ulimit -f 1; exec dd if=/dev/zero of=large bs=1M count=1",
            "File too large"},
           {"kill -KILL $$", "Cannot allocate memory"},
           {"echo 'g++: fatal error: Killed signal terminated program'; exit 1",
            "Cannot allocate memory"},
           {"echo terminate called after throwing std::bad_alloc; exit 1",
            "Cannot allocate memory"}}) {
    absl::Status status = runAll({{"sh", "-c", script}}, scratch.path(),
                                 scratch / "log", 1, std::chrono::seconds(30));
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << script;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("disk or memory is lacking (" + reason + "): sh "));
    fs::remove(scratch / "log");
  }
}

TEST(Process, EndsAtItsLimit) {
  const ScratchFolder scratch;
  absl::Status status = runAll({{"sleep", "60"}}, scratch.path(),
                               scratch / "log", 2, std::chrono::seconds(0));
  EXPECT_EQ(status.code(), absl::StatusCode::kDeadlineExceeded);
}

} // namespace
} // namespace tenon::sim

//===- sim/rtl/sources.cpp - What a simulator is built from ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "sim/rtl/sources.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tenon::sim {
namespace {

namespace fs = std::filesystem;

// Verilator reads a package before what uses it.
void sortForVerilator(std::vector<SourceFile> &files) {
  auto key = [](const SourceFile &file) {
    return std::make_pair(!absl::EndsWith(file.path, "_pkg.sv"), file.path);
  };
  std::sort(files.begin(), files.end(),
            [&](const SourceFile &a, const SourceFile &b) {
              return key(a) < key(b);
            });
}

absl::StatusOr<std::string> readText(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(in)),
                   std::istreambuf_iterator<char>());
  if (!in)
    return absl::NotFoundError(absl::StrCat("cannot read ", path.string()));
  return text;
}

absl::StatusOr<std::vector<SourceFile>>
readDirectory(const fs::path &hw, const std::string &folder) {
  std::vector<SourceFile> files;
  std::error_code error;
  for (fs::directory_iterator it(hw / folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() != ".sv")
      continue;
    absl::StatusOr<std::string> text = readText(it->path());
    if (!text.ok())
      return text.status();
    files.push_back({folder + "/" + it->path().filename().string(), *text});
  }
  if (error)
    return absl::NotFoundError(absl::StrCat("TENON_HW: cannot read directory ",
                                            (hw / folder).string(), ": ",
                                            error.message()));
  return files;
}

// Part of observed simulators only.
bool isProbe(absl::string_view path) {
  return absl::StartsWith(path, "sim/rtl/probe/") ||
         path == "sim/rtl/model_observer.h";
}

std::vector<SourceFile> simulatorSources(bool probe) {
  std::vector<SourceFile> files;
  for (const SourceFile &file : embeddedSources())
    if (absl::StartsWith(file.path, "sim/") && isProbe(file.path) == probe)
      files.push_back(file);
  return files;
}

} // namespace

absl::StatusOr<std::vector<SourceFile>>
hardwareSources(const std::string &folder,
                const std::vector<SourceFile> &embedded) {
  std::vector<SourceFile> files;
  if (const char *hw = std::getenv("TENON_HW")) {
    absl::StatusOr<std::vector<SourceFile>> read = readDirectory(hw, folder);
    if (!read.ok())
      return read.status();
    files = *std::move(read);
    if (files.empty())
      return absl::NotFoundError(
          absl::StrCat("TENON_HW: there is no .sv file in ", hw, "/", folder));
  } else {
    for (const SourceFile &file : embedded)
      if (absl::StartsWith(file.path, folder + "/"))
        files.push_back(file);
  }
  sortForVerilator(files);
  return files;
}

absl::StatusOr<std::vector<SourceFile>> rtlSources() {
  return hardwareSources("rtl", embeddedSources());
}

std::vector<SourceFile> harnessSources() { return simulatorSources(false); }

std::vector<SourceFile> probeSources() { return simulatorSources(true); }

} // namespace tenon::sim

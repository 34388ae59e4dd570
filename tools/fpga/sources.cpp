//===- tools/fpga/sources.cpp - The hardware's files ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/sources.h"

#include "isa/files.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fnmatch.h>

namespace tenon::fpga {
namespace {

namespace fs = std::filesystem;

bool isMatch(const std::string &glob, const std::string &path) {
  return fnmatch(glob.c_str(), path.c_str(), FNM_PATHNAME) == 0;
}

// Files of one folder: `glob` has no `*` but in its last part.
absl::StatusOr<std::vector<SourceFile>> filesOnDisk(const fs::path &root,
                                                    const std::string &glob) {
  fs::path pattern = root / glob;
  std::vector<SourceFile> files;
  std::error_code error;
  for (fs::directory_iterator it(pattern.parent_path(), error), end;
       !error && it != end; it.increment(error)) {
    if (!it->is_regular_file(error) ||
        !isMatch(pattern.string(), it->path().string()))
      continue;
    auto text = isa::readFile(it->path().string());
    if (!text.ok())
      return text.status();
    fs::path path =
        root.empty() ? it->path() : it->path().lexically_relative(root);
    files.push_back({path.string(), *std::move(text)});
  }
  if (error)
    return absl::NotFoundError(absl::StrCat("cannot read the directory ",
                                            pattern.parent_path().string(),
                                            ": ", error.message()));
  return files;
}

bool isOfFileSystem(absl::string_view glob) {
  return absl::StartsWith(glob, "/") || absl::StartsWith(glob, "./") ||
         absl::StartsWith(glob, "../");
}

} // namespace

absl::StatusOr<std::vector<SourceFile>> hardwareFiles(absl::string_view glob) {
  const std::string pattern(glob);
  const char *hardware = std::getenv("TENON_HW");
  std::vector<SourceFile> files;
  if (isOfFileSystem(glob) || hardware) {
    auto found = filesOnDisk(
        isOfFileSystem(glob) ? fs::path() : fs::path(hardware), pattern);
    if (!found.ok())
      return found.status();
    files = *std::move(found);
  } else {
    for (const SourceFile &file : embeddedHardware())
      if (isMatch(pattern, file.path))
        files.push_back(file);
  }
  if (files.empty())
    return absl::NotFoundError(
        absl::StrCat("no file matches '", glob, "'",
                     isOfFileSystem(glob) ? ""
                     : hardware ? absl::StrCat(" in ", hardware, " (TENON_HW)")
                                : " in hw/"));
  std::sort(
      files.begin(), files.end(),
      [](const SourceFile &a, const SourceFile &b) { return a.path < b.path; });
  return files;
}

absl::StatusOr<SourceFile> hardwareFile(absl::string_view path) {
  auto files = hardwareFiles(path);
  if (!files.ok())
    return files.status();
  return std::move(files->front());
}

} // namespace tenon::fpga

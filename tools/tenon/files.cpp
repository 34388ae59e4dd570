//===- tools/tenon/files.cpp - Where results go ---------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/files.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace tenon::tools {

namespace fs = std::filesystem;

absl::Status writeOutput(const std::string &path, absl::string_view content) {
  if (path != "-")
    return isa::writeFile(path, content);
  if (std::fwrite(content.data(), 1, content.size(), stdout) !=
          content.size() ||
      std::fflush(stdout))
    return absl::InvalidArgumentError(
        absl::StrCat("cannot write to stdout: ", std::strerror(errno)));
  return absl::OkStatus();
}

absl::Status makeDirectory(const std::string &path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error)
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot make the directory '", path, "': ", error.message()));
  if (access(path.c_str(), W_OK) != 0)
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot write in the directory '", path, "': ", std::strerror(errno)));
  return absl::OkStatus();
}

bool isProgram(absl::string_view path) {
  return absl::EndsWith(path, ".tenon");
}

std::string baseName(const std::string &path) {
  return fs::path(path).filename().string();
}

} // namespace tenon::tools

//===- tools/tenon/files.h - Where results go -------------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_FILES_H
#define TENON_TOOLS_TENON_FILES_H

#include "isa/files.h"

#include <string>

namespace tenon::tools {

/// Writes `path` whole or leaves it untouched; "-" is stdout. An error names
/// the file and the cause (full disk, ...).
absl::Status writeOutput(const std::string &path, absl::string_view content);

/// Makes `path` a directory that files can be written in.
absl::Status makeDirectory(const std::string &path);

/// Whether `path` is a compiled program, by its ending.
bool isProgram(absl::string_view path);

/// The file name without directories.
std::string baseName(const std::string &path);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_FILES_H

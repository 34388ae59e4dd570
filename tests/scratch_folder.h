//===- tests/scratch_folder.h - A folder of a test's own --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TESTS_SCRATCH_FOLDER_H
#define TENON_TESTS_SCRATCH_FOLDER_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace tenon {

/// A new, empty folder, which goes with the object. Tests of one program run at
/// the same time, each in a process: a file of a fixed name would be that of
/// several.
class ScratchFolder {
public:
  ScratchFolder() {
    std::string name =
        std::filesystem::temp_directory_path() / "tenon-test-XXXXXX";
    if (!::mkdtemp(name.data())) {
      std::perror(name.c_str());
      std::abort();
    }
    folder = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;

  const std::filesystem::path &path() const { return folder; }
  /// The path of a file, or a folder, in it.
  std::string operator/(const std::string &name) const { return folder / name; }

private:
  std::filesystem::path folder;
};

} // namespace tenon

#endif // TENON_TESTS_SCRATCH_FOLDER_H

//===- isa/user_key.cpp - What only this user knows -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/user_key.h"

#include "isa/files.h"
#include "isa/own_path.h"

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::isa {

namespace fs = std::filesystem;

constexpr size_t keyBytes = 32;

absl::StatusOr<std::string> userKeyPath() {
  for (auto [variable, suffix] :
       {std::pair("XDG_STATE_HOME", ""), std::pair("HOME", "/.local/state")})
    if (const char *value = std::getenv(variable); value && *value)
      return absl::StrCat(value, suffix, "/tenon/host-code.key");
  return absl::FailedPreconditionError(
      "neither XDG_STATE_HOME nor HOME is set, one of which says where the "
      "user's key is");
}

absl::StatusOr<std::string> readUserKey() {
  auto path = userKeyPath();
  if (!path.ok())
    return path;
  const std::string directory = fs::path(*path).parent_path();
  for (const absl::Status &status :
       {checkOwnDirectory(directory), checkOwnFile(*path, true)})
    if (!status.ok())
      return status;
  auto key = readFile(*path);
  if (key.ok() && key->size() != keyBytes)
    return absl::DataLossError(absl::StrCat("'", *path, "' has ", key->size(),
                                            " bytes, expected a key of ",
                                            keyBytes));
  return key;
}

static absl::Status cannotMake(const std::string &path) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the user's key '", path, "' cannot be made: ", std::strerror(errno),
      " (XDG_STATE_HOME chooses another place)"));
}

/// Under a name of its own first, which is then linked: who comes second finds
/// the first one's.
static absl::Status writeNewKey(const std::string &path) {
  char key[keyBytes];
  if (::getrandom(key, keyBytes, 0) != ssize_t(keyBytes))
    return cannotMake(path);
  std::string beside = path + ".XXXXXX";
  const int file = ::mkstemp(beside.data()); // of mode 0600
  if (file < 0)
    return cannotMake(path);
  absl::Cleanup remove = [&] {
    ::close(file);
    ::unlink(beside.c_str());
  };
  if (::write(file, key, keyBytes) != ssize_t(keyBytes) || ::fsync(file) != 0 ||
      (::link(beside.c_str(), path.c_str()) != 0 && errno != EEXIST))
    return cannotMake(path);
  return absl::OkStatus();
}

absl::StatusOr<std::string> makeUserKey() {
  auto key = readUserKey();
  if (!absl::IsNotFound(key.status()))
    return key;
  const std::string path = *userKeyPath();
  const fs::path directory = fs::path(path).parent_path();
  std::error_code error;
  fs::create_directories(directory.parent_path(), error);
  if (::mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST)
    return cannotMake(path);
  if (absl::Status status = writeNewKey(path); !status.ok())
    return status;
  return readUserKey();
}

} // namespace tenon::isa

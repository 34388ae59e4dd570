//===- isa/own_path.cpp - Files that nobody else may write ----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/own_path.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace tenon::isa {

/// With `others`, the bits of the mode that nobody but the owner may have.
static absl::Status check(const std::string &path, const struct stat &status,
                          mode_t others) {
  const bool isOwn = status.st_uid == ::geteuid() || status.st_uid == 0;
  if (isOwn && (status.st_mode & others) == 0)
    return absl::OkStatus();
  return absl::PermissionDeniedError(absl::StrFormat(
      "'%s' belongs to user %u and has mode %04o; expected this user (%u)%s "
      "and nobody else who may %s it",
      path, status.st_uid, status.st_mode & 07777, ::geteuid(),
      ::geteuid() == 0 ? "" : " or root",
      others & S_IRGRP ? "read or write" : "write"));
}

absl::Status checkOwnFile(const std::string &path, bool isPrivate) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0)
    return absl::ErrnoToStatus(errno, absl::StrCat("'", path, "'"));
  if (!S_ISREG(status.st_mode))
    return absl::PermissionDeniedError(
        absl::StrCat("'", path, "' is no regular file"));
  return check(path, status, isPrivate ? S_IRWXG | S_IRWXO : S_IWGRP | S_IWOTH);
}

absl::Status checkOwnDirectory(const std::string &path) {
  struct stat status;
  if (::stat(path.c_str(), &status) != 0)
    return absl::ErrnoToStatus(errno, absl::StrCat("'", path, "'"));
  if (!S_ISDIR(status.st_mode))
    return absl::PermissionDeniedError(
        absl::StrCat("'", path, "' is no directory"));
  return check(path, status, S_IWGRP | S_IWOTH);
}

} // namespace tenon::isa

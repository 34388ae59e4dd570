//===- isa/own_path.h - Files that nobody else may write --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_OWN_PATH_H
#define TENON_ISA_OWN_PATH_H

#include "absl/status/status.h"

#include <string>

namespace tenon::isa {

/// Whoever can write what this process loads or believes decides what it does.
/// OK where that is this process's user or root alone: the file is a regular
/// one, no link, that one of them owns and that neither group nor others may
/// write; with `isPrivate`, none of them may read it either. PermissionDenied
/// says whose it is and with which mode, NotFound that it is not there.
absl::Status checkOwnFile(const std::string &path, bool isPrivate = false);

/// The same of a directory, which a link may lead to.
absl::Status checkOwnDirectory(const std::string &path);

} // namespace tenon::isa

#endif // TENON_ISA_OWN_PATH_H

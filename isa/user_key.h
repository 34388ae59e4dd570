//===- isa/user_key.h - What only this user knows ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// 32 random bytes in $XDG_STATE_HOME/tenon/host-code.key, else
// ~/.local/state/tenon/host-code.key, which only the user may read. It is state
// and no cache: without it, what was compiled before is a stranger's.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_USER_KEY_H
#define TENON_ISA_USER_KEY_H

#include "absl/status/statusor.h"

#include <string>

namespace tenon::isa {

/// Where the key is, or would be. FailedPrecondition where neither
/// XDG_STATE_HOME nor HOME is set.
absl::StatusOr<std::string> userKeyPath();

/// The key's bytes. NotFound where there is none; PermissionDenied where
/// somebody else may read or have written it, DataLoss where it is no key.
absl::StatusOr<std::string> readUserKey();

/// The same; where there is none, it is made: whole or not at all, and one for
/// all processes that begin at once. FailedPrecondition where it cannot be.
absl::StatusOr<std::string> makeUserKey();

} // namespace tenon::isa

#endif // TENON_ISA_USER_KEY_H

//===- isa/cache_entry.h - Directories kept in a cache ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What is built once and then believed: simulators, which are loaded into this
// process, and what FPGA tools made. An entry is a directory, made under
// another name and renamed. Its file `digests` says what its other files hold,
// so that one which a crash, a full disk or a stray write has damaged is seen
// before it is used. Whose it is, owner and mode say: digests keep nobody from
// writing.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_CACHE_ENTRY_H
#define TENON_ISA_CACHE_ENTRY_H

#include "absl/status/statusor.h"

#include <string>

namespace tenon::isa {

/// The directory `kind` of the cache (cacheDirectory), made where it is not
/// there. FailedPrecondition: it cannot be made, or somebody else than this
/// user and root may write in it or in the cache.
absl::StatusOr<std::string> cacheFolder(const std::string &kind);

/// Completes an entry of all files that lie in the directory and its folders,
/// which nobody else may write from then on.
absl::Status completeEntry(const std::string &directory);

/// OK where all files of the entry are as it was completed. NotFound: there is
/// no such directory. DataLoss or PermissionDenied: it is not to be used, and
/// why.
absl::Status checkEntry(const std::string &directory);

/// Says on stderr, in a line, that the entry is made anew because of `why`.
void sayMadeAnew(const absl::Status &why);

} // namespace tenon::isa

#endif // TENON_ISA_CACHE_ENTRY_H

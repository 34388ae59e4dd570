//===- isa/host_code_digest.h - Whose host code it is -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Host code is native code: a program from a stranger that carries some can do
// whatever its user can. So a compiled program carries a digest under the key
// of the user who compiled it (isa/user_key.h), which nobody else can make.
//
// HMAC-SHA256 of the host code, its constants, and of all that decides how it
// is called: steps, buffers, tensors, borders, configuration. The contents of
// DRAM are not among it: kernels have to bear whatever inputs they are given,
// and instructions are proved or watched by other means.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_ISA_HOST_CODE_DIGEST_H
#define TENON_ISA_HOST_CODE_DIGEST_H

#include "isa/proto/program.pb.h"

#include "absl/status/status.h"

namespace tenon::isa {

/// Gives the program the digest of this user, whose key is made where there is
/// none; nothing to do without host code. FailedPrecondition and others of
/// makeUserKey: there is no key, and the program has no digest.
absl::Status addHostCodeDigest(Program &program);

/// OK where the program has no host code, or its digest is this user's. Else
/// Unauthenticated: there is no digest, it is another's, something that it
/// covers was changed, or this user has no key.
absl::Status checkHostCodeDigest(const Program &program);

} // namespace tenon::isa

#endif // TENON_ISA_HOST_CODE_DIGEST_H

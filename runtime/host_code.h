//===- runtime/host_code.h - Host kernels, loaded ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Loads the executable that suits this machine: checked first, then mapped by
// the system's loader from an anonymous file. The object sees C's functions of
// isa/host_abi.h and nothing else of the process.
//
// Host code is native code. The checks keep a damaged or foreign file from
// being loaded; they do not tell what the code does.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_HOST_CODE_H
#define TENON_RUNTIME_HOST_CODE_H

#include "isa/host_abi.h"
#include "isa/proto/program.pb.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <memory>

namespace tenon::runtime {

/// A kernel, how many bytes of workspace it is to be given, and its constants.
struct Kernel {
  TenonHostKernel call = nullptr;
  uint64_t workspace = 0;
  const void *constants = nullptr;
};

/// Owns the loaded code; kernels live as long as it does. Kernels may be called
/// from several threads at once, with buffers of their own.
class HostCode {
public:
  /// The first executable that this machine satisfies. FailedPrecondition where
  /// there is none (the message names them and the machine), InvalidArgument
  /// where it is damaged, imports what it must not or reads more constants than
  /// there are, Unavailable where the system has no memory or no /proc for it,
  /// ResourceExhausted where there is no memory for a copy of the constants.
  static absl::StatusOr<HostCode> load(const isa::HostCode &code);

  HostCode(HostCode &&) noexcept;
  HostCode &operator=(HostCode &&) noexcept;
  ~HostCode();

  /// NotFound when it exports no such function, or not how much workspace that
  /// needs. A kernel trusts the number and the sizes of the buffers it is
  /// given.
  absl::StatusOr<Kernel> kernel(absl::string_view symbol) const;

private:
  static absl::StatusOr<HostCode> load(const isa::Executable &executable,
                                       absl::string_view constants);

  struct Impl;
  explicit HostCode(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_HOST_CODE_H

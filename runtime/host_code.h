//===- runtime/host_code.h - Object code of host kernels --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Loads the relocatable object that a program carries (or that the reference
// network was compiled to) and calls its kernels.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_HOST_CODE_H
#define TENON_RUNTIME_HOST_CODE_H

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <memory>
#include <string>

namespace tenon::runtime {

/// Owns the loaded code. Calls from several threads are safe when their buffers
/// are distinct.
class HostCode {
public:
  /// InvalidArgument when `object` is not an object file of this host.
  static absl::StatusOr<HostCode> load(absl::string_view object);

  HostCode(HostCode &&) noexcept;
  HostCode &operator=(HostCode &&) noexcept;
  ~HostCode();

  /// Calls `void symbol(void **buffers)`. NotFound when there is no such
  /// symbol. The kernel trusts the number and the sizes of the buffers.
  absl::Status call(absl::string_view symbol,
                    absl::Span<void *const> buffers) const;

private:
  struct Impl;
  explicit HostCode(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_HOST_CODE_H

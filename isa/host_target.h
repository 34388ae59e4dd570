// Part of Tenon, under the Apache License v2.0.
//
// The hosts that programs carry code for. A target is an architecture and the
// features that its code uses beyond the architecture's own; the compiler
// builds with exactly these, the runtime asks the machine for exactly these.

#ifndef TENON_ISA_HOST_TARGET_H
#define TENON_ISA_HOST_TARGET_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <string>
#include <vector>

namespace tenon::isa {

enum class Architecture { X86_64, AArch64, Arm };

struct HostTarget {
  absl::string_view name; ///< as `tenon compile --host` has it
  absl::string_view triple;
  Architecture architecture;
  /// LLVM's names, in the order in which a program has them.
  absl::Span<const absl::string_view> features;
  /// The target that this one adds instructions to that multiply bytes: without
  /// products of bytes the code is that one's. Empty for the others.
  absl::string_view base = "";
};

/// Every target, of one architecture from the least to the most demanding.
absl::Span<const HostTarget> hostTargets();

/// Null where there is none of this name.
const HostTarget *findHostTarget(absl::string_view name);

/// The targets of these names, in the order of hostTargets(). InvalidArgument
/// for a name that is none, with those there are.
absl::StatusOr<std::vector<const HostTarget *>>
findHostTargets(absl::Span<const std::string> names);

/// The architecture of a triple that a program may have; null for another.
const Architecture *architectureOf(absl::string_view triple);

/// Every feature that code for `architecture` may ask for.
absl::Span<const absl::string_view> featuresOf(Architecture architecture);

/// The architecture that this code was compiled for.
constexpr Architecture thisArchitecture() {
#if defined(__x86_64__)
  return Architecture::X86_64;
#elif defined(__aarch64__)
  return Architecture::AArch64;
#elif defined(__arm__)
  return Architecture::Arm;
#else
#error "no host code for this architecture"
#endif
}

} // namespace tenon::isa

#endif // TENON_ISA_HOST_TARGET_H

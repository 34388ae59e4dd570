//===- runtime/reference.h - Runs a network on the CPU alone ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_REFERENCE_H
#define TENON_RUNTIME_REFERENCE_H

#include "runtime/check.h"
#include "runtime/host_code.h"

namespace tenon::runtime {

/// A program of one host kernel, loaded: the network's outputs first, then its
/// quantised tensors, each with its ONNX name. The compiler makes it of the
/// network that a program carries (compiler/driver/reference.h).
class Reference {
public:
  /// InvalidArgument when it is no such program, or not of this host's code.
  static absl::StatusOr<Reference> load(isa::Program program);

  /// Runs it on inputs that checkInputs accepts: every output by its name.
  absl::StatusOr<NamedTensors> run(absl::Span<const Array> inputs) const;

private:
  Reference(isa::Program program, HostCode code)
      : program(std::move(program)), code(std::move(code)) {}

  isa::Program program;
  HostCode code;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_REFERENCE_H

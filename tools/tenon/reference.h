//===- tools/tenon/reference.h - The network on the CPU ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_REFERENCE_H
#define TENON_TOOLS_TENON_REFERENCE_H

#include "runtime/check.h"
#include "runtime/host_code.h"
#include "tenon/Target/CPU/CPUTarget.h"

namespace tenon::tools {

/// The imported network that a program carries, compiled for this host by
/// upstream passes only: the independent execution that results are checked
/// against.
class ReferenceNetwork {
public:
  /// Compiles `program`'s reference, which must not be empty. InvalidArgument
  /// where it is no network, or not one with the program's inputs, outputs and
  /// tensors.
  static absl::StatusOr<ReferenceNetwork>
  load(const isa::Program &program,
       Optimization level = Optimization::ForSpeed);

  /// Runs it: every quantised tensor and every output by ONNX name, in ONNX
  /// order and type.
  absl::StatusOr<runtime::NamedTensors>
  run(absl::Span<const runtime::Array> inputs) const;

  /// The network's outputs among `tensors`.
  std::vector<runtime::Array>
  outputs(const runtime::NamedTensors &tensors) const;

private:
  ReferenceNetwork(const isa::Program &program, Reference reference,
                   runtime::HostCode code)
      : program(&program), reference(std::move(reference)),
        code(std::move(code)) {}

  const isa::Program *program;
  Reference reference;
  runtime::HostCode code;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_REFERENCE_H

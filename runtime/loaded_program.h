//===- runtime/loaded_program.h - A program, ready to run -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What does not depend on a run is done once: the container is checked, host
// code loaded, offsets computed, memory planned. The result never changes and
// is shared by sessions in any threads.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_LOADED_PROGRAM_H
#define TENON_RUNTIME_LOADED_PROGRAM_H

#include "runtime/border.h"
#include "runtime/buffer_plan.h"
#include "runtime/host_code.h"
#include "runtime/transfer.h"

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace tenon::runtime {

struct PackStep {
  const isa::Pack *step;
  PackPlan plan;
};
struct UnpackStep {
  const isa::Unpack *step;
  UnpackPlan plan;
};
struct LaunchStep {
  const isa::Launch *step;
};
struct KernelStep {
  const isa::HostKernel *step;
  Kernel kernel;
};
using LoadedStep = std::variant<PackStep, UnpackStep, LaunchStep, KernelStep>;

/// Which host code may be loaded, and so executed.
enum class HostCodeTrust {
  Own, ///< with the digest of this user (isa/host_code_digest.h)
  Any, ///< of a program that this process compiled, or that the user trusts
};

class LoadedProgram {
public:
  /// InvalidArgument: the program is not valid, or its host code is damaged;
  /// Unauthenticated: its host code is not trusted, and nothing of it is
  /// mapped; other errors as of HostCode.
  static absl::StatusOr<std::shared_ptr<const LoadedProgram>>
  load(isa::Program program, HostCodeTrust trust = HostCodeTrust::Own);

  /// The same of a program that outlives the result.
  static absl::StatusOr<std::shared_ptr<const LoadedProgram>>
  borrow(const isa::Program &program, HostCodeTrust trust = HostCodeTrust::Own);

  LoadedProgram(const LoadedProgram &) = delete;

  const isa::Program &program() const { return container; }
  const isa::Layout &layout() const { return machine; }
  const Border &border() const { return ends; }
  const std::vector<LoadedStep> &steps() const { return plan; }

  /// Segments that a run overwrites, and that the next one needs again.
  const std::vector<int> &overwrittenSegments() const { return overwritten; }

  /// Whether a buffer is input and is written too, so that a run needs a copy.
  bool copiesInput(uint32_t buffer) const { return copied[buffer]; }

  /// Whether a kernel brings the buffer's memory with it.
  bool isMade(uint32_t buffer) const { return made[buffer]; }

  /// Whether nothing reads the buffer after this step.
  bool endsAt(uint32_t buffer, size_t step) const {
    return !callers[buffer] && lifetimes[buffer].last == int(step);
  }

  /// Bytes of workspace that the hungriest kernel needs.
  uint64_t workspaceBytes() const { return workspace; }

  /// Where the buffers between steps, and copied inputs, lie in a run with
  /// these extents.
  BufferPlan planBuffers(const Extents &extents) const;

private:
  LoadedProgram(std::unique_ptr<const isa::Program> owned,
                const isa::Program &program, isa::Layout layout)
      : owned(std::move(owned)), container(program), machine(std::move(layout)),
        ends(container), lifetimes(bufferLifetimes(container)),
        callers(container.buffers_size()), copied(container.buffers_size()),
        made(container.buffers_size()) {}

  void assignBuffers();
  absl::Status loadHostCode(HostCodeTrust trust);
  absl::Status loadSteps();

  static absl::StatusOr<std::shared_ptr<const LoadedProgram>>
  load(std::unique_ptr<const isa::Program> owned, const isa::Program &program,
       HostCodeTrust trust);

  const std::unique_ptr<const isa::Program> owned; // null if it is borrowed
  const isa::Program &container;
  const isa::Layout machine;
  const Border ends;
  std::vector<Lifetime> lifetimes;
  std::vector<bool> callers, copied, made; // of each buffer
  std::vector<LoadedStep> plan;
  std::optional<HostCode> code; // that kernels point into
  uint64_t workspace = 0;
  std::vector<int> overwritten;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_LOADED_PROGRAM_H

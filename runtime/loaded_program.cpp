//===- runtime/loaded_program.cpp - A program, ready to run ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/loaded_program.h"

#include "runtime/overwritten.h"

#include "isa/check_buffers.h"
#include "isa/host_code_digest.h"
#include "isa/program.h"

#include "absl/algorithm/container.h"

namespace tenon::runtime {

/// Inputs and outputs are the caller's memory, but an input that something
/// writes to is not the caller's to lose.
void LoadedProgram::assignBuffers() {
  std::vector<bool> written(container.buffers_size());
  for (const isa::Step &step : container.steps()) {
    if (step.has_unpack())
      written[step.unpack().buffer()] = true;
    for (uint32_t buffer : step.host_kernel().outputs())
      written[buffer] = true;
  }
  for (uint32_t buffer : container.outputs())
    callers[buffer] = written[buffer] = true;
  for (uint32_t buffer : container.inputs()) {
    copied[buffer] = written[buffer];
    if (!written[buffer])
      callers[buffer] = true;
    else if (lifetimes[buffer].first <= lifetimes[buffer].last)
      lifetimes[buffer].first = 0;
  }
  for (size_t buffer = 0; buffer < made.size(); ++buffer)
    made[buffer] = isa::hasOpenDimension(container.buffers(int(buffer))) &&
                   !absl::c_linear_search(container.inputs(), buffer);
}

absl::Status LoadedProgram::loadHostCode(HostCodeTrust trust) {
  if (container.host_code().executables().empty())
    return absl::OkStatus();
  if (trust != HostCodeTrust::Any)
    if (absl::Status status = isa::checkHostCodeDigest(container); !status.ok())
      return status;
  absl::StatusOr<HostCode> loaded = HostCode::load(container.host_code());
  if (!loaded.ok())
    return loaded.status();
  code.emplace(*std::move(loaded));
  return absl::OkStatus();
}

absl::Status LoadedProgram::loadSteps() {
  for (const isa::Step &step : container.steps()) {
    if (step.has_pack()) {
      const isa::Pack &pack = step.pack();
      plan.push_back(PackStep{
          &pack, PackPlan(machine, pack, container.buffers(pack.buffer()),
                          container.tensors(pack.tensor()))});
    } else if (step.has_unpack()) {
      const isa::Unpack &unpack = step.unpack();
      plan.push_back(
          UnpackStep{&unpack, UnpackPlan(machine, unpack,
                                         container.tensors(unpack.tensor()))});
    } else if (step.has_launch()) {
      plan.push_back(LaunchStep{&step.launch()});
    } else {
      // A plan with kernels has executables (isa::validateProgram).
      auto kernel = code->kernel(step.host_kernel().symbol());
      if (!kernel.ok())
        return kernel.status();
      workspace = std::max(workspace, kernel->workspace);
      plan.push_back(KernelStep{&step.host_kernel(), *kernel});
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const LoadedProgram>>
LoadedProgram::load(isa::Program program, HostCodeTrust trust) {
  auto owned = std::make_unique<const isa::Program>(std::move(program));
  const isa::Program &container = *owned;
  return load(std::move(owned), container, trust);
}

absl::StatusOr<std::shared_ptr<const LoadedProgram>>
LoadedProgram::borrow(const isa::Program &program, HostCodeTrust trust) {
  return load(nullptr, program, trust);
}

absl::StatusOr<std::shared_ptr<const LoadedProgram>>
LoadedProgram::load(std::unique_ptr<const isa::Program> owned,
                    const isa::Program &program, HostCodeTrust trust) {
  if (absl::Status status = isa::validateProgram(program); !status.ok())
    return status;
  absl::StatusOr<isa::Layout> layout =
      isa::Layout::get(program.configuration());
  if (!layout.ok())
    return layout.status();
  std::shared_ptr<LoadedProgram> loaded(
      new LoadedProgram(std::move(owned), program, *std::move(layout)));
  loaded->assignBuffers();
  if (absl::Status status = loaded->loadHostCode(trust); !status.ok())
    return status;
  if (absl::Status status = loaded->loadSteps(); !status.ok())
    return status;
  loaded->overwritten =
      runtime::overwrittenSegments(loaded->container, loaded->machine);
  return loaded;
}

BufferPlan LoadedProgram::planBuffers(const Extents &extents) const {
  std::vector<uint64_t> bytes(lifetimes.size());
  for (size_t buffer = 0; buffer < bytes.size(); ++buffer)
    if (!callers[buffer] && !made[buffer] &&
        lifetimes[buffer].first <= lifetimes[buffer].last)
      bytes[buffer] = ends.bytes(buffer, extents);
  return runtime::planBuffers(lifetimes, bytes);
}

} // namespace tenon::runtime

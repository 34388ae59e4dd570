//===- runtime/session.h - Runs a loaded program ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A program is a list of steps: pack a host array into DRAM, launch the
// accelerator, unpack, call a host kernel. A session has a device with the
// program's constants in its DRAM and memory for what lies between steps, and
// runs the program as often as it is asked to:
//
//   auto program = LoadedProgram::load(*isa::readProgram("net.tenon"));
//   auto session = Session::create(*program, device);
//   (*session)->run({{isa::UINT8, shape, pixels}}, {{isa::INT8, {1, 10},
//   out}});
//
// Threads: a session is one thread's at a time; sessions with devices of their
// own run at the same time over one program.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_SESSION_H
#define TENON_RUNTIME_SESSION_H

#include "runtime/border.h"
#include "runtime/loaded_program.h"
#include "runtime/observer.h"
#include "runtime/run_memory.h"

#include "sim/device.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <memory>
#include <vector>

namespace tenon::runtime {

/// Whether `device` can run `program`; a configuration that differs is refused
/// with both names.
absl::Status checkDevice(const isa::Program &program,
                         const sim::Device &device);

class Session {
public:
  /// The device and the observer, if there is one, outlive the session. DRAM is
  /// allocated and written; where several sessions take turns on a device, that
  /// is done again at each turn. InvalidArgument: the device is of another
  /// configuration; ResourceExhausted: host kernels need more memory than there
  /// is; other errors as of Device.
  static absl::StatusOr<std::unique_ptr<Session>>
  create(std::shared_ptr<const LoadedProgram> program, sim::Device &device,
         Observer *observer = nullptr);

  Session(const Session &) = delete;
  ~Session() { device.claim(nullptr); }

  const LoadedProgram &program() const { return *loaded; }

  /// Runs the program on the caller's memory, which is read and written during
  /// the call alone. Outputs have the shapes that outputShapes says, and share
  /// no byte with an input or with each other. An output of which only the run
  /// tells the shape may have null for its memory, and stays in the session
  /// (result); with memory, its shape says how much, and an output that needs
  /// more is an InvalidArgument. InvalidArgument also: the arrays do not fit
  /// (which, expected, given), or host code refuses the values, with its
  /// message; other errors as of Device. After an error the outputs are
  /// unspecified; the next run begins afresh.
  absl::Status run(absl::Span<const ConstView> inputs,
                   absl::Span<const View> outputs);

  /// The same into arrays of its own.
  absl::StatusOr<std::vector<Array>> run(absl::Span<const Array> inputs);

  /// Ends the last run's results, as the next run does where it begins.
  void forget() { ended = false; }

  /// Output `output` of the last run as it was computed, until the next one;
  /// the memory is the caller's where run was given some. FailedPrecondition:
  /// the last run did not end well.
  absl::StatusOr<ConstView> result(size_t output) const;

  /// Shapes of the outputs that these inputs give, unknownExtent where only the
  /// run tells; checks the inputs' types and shapes as run does.
  absl::StatusOr<std::vector<Shape>>
  outputShapes(absl::Span<const ConstView> inputs) const;

private:
  Session(std::shared_ptr<const LoadedProgram> program, sim::Device &device,
          Observer *observer);

  absl::Status writeSegment(const isa::Segment &segment);
  absl::Status prepareDram();
  absl::Status runSteps();
  absl::Status runStep(const PackStep &step, size_t index);
  absl::Status runStep(const UnpackStep &step, size_t index);
  absl::Status runStep(const LaunchStep &step, size_t index);
  absl::Status runStep(const KernelStep &step, size_t index);
  absl::StatusOr<sim::LaunchResult> launchSimulator(sim::Simulator &simulator,
                                                    const sim::Launch &launch);
  absl::StatusOr<sim::LaunchResult> launchHardware(const sim::Launch &launch);

  const std::shared_ptr<const LoadedProgram> loaded;
  sim::Device &device;
  Observer *const observer;
  bool fresh = false; // DRAM is as a run wants it, but for the overwritten
  bool ended = false; // the last run did, well: there are results
  RunMemory memory;
  std::vector<std::vector<uint8_t>> staging; // blocked, of packs and unpacks
  std::array<uint64_t, sim::numEngines> retired{}; // by the run's launches
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_SESSION_H

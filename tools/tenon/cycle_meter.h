//===- tools/tenon/cycle_meter.h - Cycles of programs -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_CYCLE_METER_H
#define TENON_TOOLS_TENON_CYCLE_METER_H

#include "isa/proto/program.pb.h"

#include "absl/status/statusor.h"

#include <map>
#include <string>

namespace tenon::tools {

/// Measures programs by the SystemC model, as `--target=tlm` does.
class CycleMeter {
public:
  /// Of all launches of a run. Cycles do not depend on values, so that
  /// activations are zeros, no host kernel runs, and programs that differ in
  /// weights and parameters alone are measured once. Errors as of Device.
  absl::StatusOr<uint64_t> cyclesOf(const isa::Program &program);

private:
  std::map<std::string, uint64_t> known;
};

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_CYCLE_METER_H

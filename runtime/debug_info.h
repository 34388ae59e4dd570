//===- runtime/debug_info.h - From DRAM and instructions to names *- C++
//-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_DEBUG_INFO_H
#define TENON_RUNTIME_DEBUG_INFO_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"
#include "sim/accounting.h"

#include <array>
#include <string>

namespace tenon::runtime {

/// What lies at `offset` of DRAM in the course of the program, for messages:
/// "tensor 'a' or segment 'b'"; "" where nothing does.
std::string nameAt(const isa::Program &program, const isa::Layout &layout,
                   uint64_t offset);

/// Layers of the debug section, for a device's accounting of one launch. The
/// section counts each engine's instructions over all launches; `retired` are
/// those of the launches before.
sim::LayerRuns
layerRuns(const isa::Program &program,
          const std::array<uint64_t, sim::numEngines> &retired = {});

} // namespace tenon::runtime

#endif // TENON_RUNTIME_DEBUG_INFO_H

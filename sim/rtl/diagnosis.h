//===- sim/rtl/diagnosis.h - Why a launch did not end -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_RTL_DIAGNOSIS_H
#define TENON_SIM_RTL_DIAGNOSIS_H

#include "sim/program_walk.h"
#include "sim/rtl/model_api.h"

#include <string>

namespace tenon::sim {

/// One line an engine: its state, what it waits for, how many instructions it
/// has retired and the text of the one it is at.
std::string describeEngines(const isa::Layout &layout, const Stream &stream,
                            const StreamFacts &facts,
                            const ModelResult &result);

} // namespace tenon::sim

#endif // TENON_SIM_RTL_DIAGNOSIS_H

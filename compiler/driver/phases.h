//===- compiler/driver/phases.h - What the compiler is at -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_PHASES_H
#define TENON_COMPILER_DRIVER_PHASES_H

#include <functional>
#include <string>

namespace tenon::compiler {

/// Is told each phase when it begins ("reading", "accel-schedule", ...), by one
/// thread at a time. Empty: nobody listens.
using PhaseListener = std::function<void(const std::string &phase)>;

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_PHASES_H

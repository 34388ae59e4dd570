//===- compiler/driver/pass_phases.h - Passes as phases ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inside the driver only.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_COMPILER_DRIVER_PASS_PHASES_H
#define TENON_COMPILER_DRIVER_PASS_PHASES_H

#include "compiler/driver/phases.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"

#include <mutex>

namespace tenon::compiler {

/// Tells a listener the argument of each pass that begins. What only holds
/// passes has none.
class PassPhases : public mlir::PassInstrumentation {
public:
  explicit PassPhases(PhaseListener listener) : listener(std::move(listener)) {}

  void runBeforePass(mlir::Pass *pass, mlir::Operation *) override {
    if (pass->getArgument().empty())
      return;
    std::lock_guard<std::mutex> lock(mutex);
    listener(pass->getArgument().str());
  }

private:
  PhaseListener listener;
  std::mutex mutex; // passes run in several threads
};

} // namespace tenon::compiler

#endif // TENON_COMPILER_DRIVER_PASS_PHASES_H

//===- compiler/driver/observe.cpp - What looks on while passes run -------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "compiler/driver/observe.h"

#include "compiler/driver/pass_phases.h"
#include "compiler/driver/pass_statistics.h"

#include "mlir/IR/Verifier.h"

namespace tenon::compiler {

using namespace mlir;

void observe(PassManager &manager, const Options &options) {
  if (options.progress)
    manager.addInstrumentation(std::make_unique<PassPhases>(options.progress));
  if (!options.dumpIrAfter.empty()) {
    manager.getContext()->disableMultithreading();
    manager.enableIRPrinting(
        [](Pass *, Operation *) { return false; },
        [pass = options.dumpIrAfter](Pass *of, Operation *) {
          return of->getArgument() == pass;
        },
        /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/false);
  }
}

void observe(PassManager &manager, const Options &options, const char *stage,
             Statistics &statistics) {
  observe(manager, options);
  if (options.statistics)
    manager.addInstrumentation(
        std::make_unique<PassStatisticsCollector>(stage, statistics));
}

LogicalResult runVerified(PassManager &manager, ModuleOp module) {
  manager.enableVerifier(false);
  return success(succeeded(manager.run(module)) && succeeded(verify(module)));
}

} // namespace tenon::compiler

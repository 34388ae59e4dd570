// Passes from layers to instructions with tokens.

#ifndef TENON_SCHEDULING_PASSES_TD
#define TENON_SCHEDULING_PASSES_TD

include "mlir/Pass/PassBase.td"

def AccelSchedule : Pass<"accel-schedule", "mlir::ModuleOp"> {
  let summary = "choose the tiles of every layer";
  let description = [{
    Attaches `#accel.schedule` to every layer that has none: the schedule with
    the fewest estimated cycles, then the fewest DRAM beats.  The configuration
    is kept in the module's attribute `tenon.configuration`.
  }];
  let options = [
    Option<"Config", "config", "std::string", "\"pynq\"",
           "configuration: a shipped name or a file">,
    Option<"VirtualThreads", "virtual-threads", "unsigned", "2",
           "tile contexts in the scratchpads, 1 or 2">];
  let statistics = [
    Statistic<"NumLayers", "layers", "layers scheduled">,
    Statistic<"NumCycles", "cycles", "estimated cycles of all layers">];
  let dependentDialects = ["accel::AccelDialect"];
}

def AccelPlanDram : Pass<"accel-plan-dram", "mlir::ModuleOp"> {
  let summary = "give every activation its place in DRAM";
  let description = [{
    First fit by size over the tensors' lifetimes.  A tensor that is only
    concatenated lies in its slice of the concatenation.  Every operation that
    makes an activation gets `accel.dram`, the module `accel.dram_bytes`.
  }];
  let dependentDialects = ["accel::AccelDialect"];
}

def AccelLowerToStream : Pass<"accel-lower-to-stream", "mlir::ModuleOp"> {
  let summary = "turn scheduled layers into linear streams of instructions";
  let description = [{
    Layers that need no host code between them become one `accel.stream`.
    Virtual threads are interleaved over disjoint scratchpad contexts; constants
    are packed in the order in which they are loaded.
  }];
  let statistics = [
    Statistic<"NumInstructions", "instructions", "instructions emitted">];
  let dependentDialects = ["accel::AccelDialect"];
}

def AccelInsertTokens : Pass<"accel-insert-tokens", "mlir::ModuleOp"> {
  let summary = "order every conflict between engines by tokens";
  let description = [{
    The fewest tokens that order all conflicting accesses, from exact regions.
    With `verify` the result is proved by an independent walk.
  }];
  let options = [
    Option<"Verify", "verify", "bool", "true", "prove the result">];
  let statistics = [
    Statistic<"NumTokens", "tokens", "tokens inserted">];
  let dependentDialects = ["accel::AccelDialect"];
}

#endif // TENON_SCHEDULING_PASSES_TD

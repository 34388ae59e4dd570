// Passes from layers to instructions with tokens.

#ifndef TENON_SCHEDULING_PASSES_TD
#define TENON_SCHEDULING_PASSES_TD

include "mlir/Pass/PassBase.td"

def AccelAttachMachine : Pass<"accel-attach-machine", "mlir::ModuleOp"> {
  let summary = "say what the module is compiled for";
  let description = [{
    Sets `accel.machine`, the configuration and the virtual threads, which all
    passes behind it read, and takes over the schedules of a file.
  }];
  let options = [
    Option<"Config", "config", "std::string", "defaultConfiguration",
           "configuration: a shipped name or a file">,
    Option<"VirtualThreads", "virtual-threads", "unsigned", "2",
           "tile contexts in the scratchpads, where that many fit">,
    Option<"Schedules", "schedules", "std::string", "",
           "file with schedules to take instead of searching (accel.problem)">];
  let dependentDialects = ["accel::AccelDialect"];
}

def AccelFoldWindows : Pass<"accel-fold-windows", "mlir::ModuleOp"> {
  let summary = "gather windows of a packed input into empty channel lanes";
  let description = [{
    A convolution of few channels leaves most lanes of BLOCK_IN empty.  Where
    the host packs its input anyway, `accel.pack` gathers neighbouring elements
    of the window into channels (`#accel.fold`), so that the convolution has
    more channels and a smaller window: of stride s, phases s and window k
    (space-to-depth) it becomes one of stride 1 and window ceil(k / s).  Taps
    beyond the window are the weights' zero point; the border is packed.

    Every number of phases along each axis is a candidate.  The one that costs
    least time is taken: the larger of compute, reads and writes on the
    accelerator, as the report bounds them, and the bytes the host packs.
  }];
  let statistics = [
    Statistic<"NumFolded", "folded", "convolutions with folded windows">];
  let dependentDialects = ["accel::AccelDialect", "mlir::tosa::TosaDialect"];
}

def AccelSchedule : Pass<"accel-schedule", "mlir::ModuleOp"> {
  let summary = "choose the tiles of every layer";
  let description = [{
    Attaches `#accel.schedule` to every layer that has none: the one that an
    `accel.problem` of the module gives for it, or the schedule with
    the fewest estimated cycles, then the fewest DRAM beats.  A layer that only
    the ALU computes and the contraction directly before it, which it reads, get
    schedules for interleaved tiles and the attribute `accel.interleaved`, where
    that takes fewer cycles.
  }];
  let statistics = [
    Statistic<"NumLayers", "layers", "layers scheduled">,
    Statistic<"NumPairs", "pairs", "layers interleaved with the one before">,
    Statistic<"NumCycles", "cycles", "estimated cycles of all layers, apart">,
    Statistic<"NumSearched", "searched", "layers and pairs searched">,
    Statistic<"NumRecalled", "from records",
              "layers and pairs searched by an earlier compilation">];
  let dependentDialects = ["accel::AccelDialect"];
}

def AccelExtractSchedules : Pass<"accel-extract-schedules", "mlir::ModuleOp"> {
  let summary = "leave of a module its layers and their schedules";
  let description = [{
    Replaces the module's body by one `accel.problem` for the layers of each
    text, in the order in which they come.  `accel-attach-machine` takes what
    this prints.
  }];
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

//===- ObjectCode.cpp - Object code for a host ----------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/LoopExtractor.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

#include <mutex>

using namespace llvm;
using tenon::Optimization;
using tenon::isa::Architecture;
using tenon::isa::HostTarget;

static void initializeTargets() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    InitializeAllTargetInfos();
    InitializeAllTargets();
    InitializeAllTargetMCs();
    InitializeAllAsmPrinters();
  });
}

/// LLVM's text of the features, without what an architecture's triple would
/// add of itself and isa/host_target.cpp has not.
static std::string featureText(const HostTarget &Target) {
  std::string Text = Target.architecture == Architecture::Arm ? "-neon" : "";
  for (absl::string_view Feature : Target.features)
    Text += (Text.empty() ? "+" : ",+") + std::string(Feature);
  return Text;
}

static Expected<std::unique_ptr<TargetMachine>>
createMachine(const HostTarget &Target, Optimization Level) {
  initializeTargets();
  Triple TheTriple(std::string(Target.triple));
  std::string Message;
  const llvm::Target *Found = TargetRegistry::lookupTarget(TheTriple, Message);
  if (!Found)
    return createStringError("this LLVM has no code generator for host " +
                             Twine(Target.name.data()) + ": " + Message);
  TargetOptions Options;
  // Two operations that the network has apart stay two, with two roundings.
  Options.AllowFPOpFusion = FPOpFusion::Strict;
  return std::unique_ptr<TargetMachine>(Found->createTargetMachine(
      TheTriple,
      Target.architecture == Architecture::X86_64 ? "x86-64" : "generic",
      featureText(Target), Options, Reloc::PIC_, std::nullopt,
      Level == Optimization::None ? CodeGenOptLevel::None
                                  : CodeGenOptLevel::Default));
}

/// The optimiser may use what host code may import, and nothing else of C.
static TargetLibraryInfoImpl importableFunctions(const Triple &TheTriple) {
  TargetLibraryInfoImpl Functions(TheTriple);
  Functions.disableAllFunctions();
  for (LibFunc Function : {LibFunc_memcpy, LibFunc_memmove, LibFunc_memset})
    Functions.setAvailable(Function);
  return Functions;
}

/// Every loop of a function becomes one of its own. LLVM's time grows faster
/// than a function, and a whole network as upstream lowers it is one function.
static void separateLoops(Module &Module, ModuleAnalysisManager &Analyses) {
  ModulePassManager Passes;
  Passes.addPass(createModuleToFunctionPassAdaptor(LoopSimplifyPass()));
  Passes.addPass(LoopExtractorPass());
  SmallPtrSet<const Function *, 16> Before;
  for (const Function &F : Module)
    Before.insert(&F);
  Passes.run(Module, Analyses);
  for (Function &F : Module)
    if (!Before.contains(&F))
      F.addFnAttr(Attribute::NoInline);
}

static void optimize(Module &Module, TargetMachine &Machine,
                     Optimization Level) {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  PassBuilder Builder(&Machine);
  Functions.registerPass([&] {
    return TargetLibraryAnalysis(
        importableFunctions(Machine.getTargetTriple()));
  });
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  if (Level == Optimization::Plain)
    separateLoops(Module, Modules);
  Builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2)
      .run(Module, Modules);
}

Expected<SmallString<0>> tenon::emitObject(Module &Module,
                                           const HostTarget &Target,
                                           Optimization Level) {
  auto Machine = createMachine(Target, Level);
  if (!Machine)
    return Machine.takeError();
  Module.setDataLayout((*Machine)->createDataLayout());
  Module.setTargetTriple((*Machine)->getTargetTriple());
  expandFloatOperations(Module, Target);
  holdSmallFloats(Module, Target);
  expandConversions(Module, Target);
  if (Error E = linkMathLibrary(Module))
    return std::move(E);
  if (Level != Optimization::None)
    optimize(Module, **Machine, Level);
  expandIntegerOperations(Module, Target);
  SmallString<0> Bytes;
  raw_svector_ostream Stream(Bytes);
  legacy::PassManager Emitter;
  Emitter.add(new TargetLibraryInfoWrapperPass(
      importableFunctions((*Machine)->getTargetTriple())));
  if ((*Machine)->addPassesToEmitFile(Emitter, Stream, nullptr,
                                      CodeGenFileType::ObjectFile))
    return createStringError("host " + Twine(Target.name.data()) +
                             " has no object file emitter");
  Emitter.run(Module);
  return Bytes;
}

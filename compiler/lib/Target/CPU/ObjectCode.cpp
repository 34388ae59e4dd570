//===- ObjectCode.cpp - Object code for the host --------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Target/CPU/CPUTarget.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <mutex>

using namespace mlir;

/// Adds `void F_packed(ptr)`, which loads F's pointers from an array and calls
/// F.
static void addPackedEntry(LLVM::LLVMFuncOp Function) {
  OpBuilder Builder(Function->getContext());
  Builder.setInsertionPointAfter(Function);
  Location Loc = Function.getLoc();
  auto Pointer = LLVM::LLVMPointerType::get(Builder.getContext());
  auto Type = LLVM::LLVMFunctionType::get(
      LLVM::LLVMVoidType::get(Builder.getContext()), {Pointer});
  auto Entry = LLVM::LLVMFuncOp::create(
      Builder, Loc, (Function.getName() + "_packed").str(), Type);
  Block *Body = Entry.addEntryBlock(Builder);
  Builder.setInsertionPointToStart(Body);
  SmallVector<Value> Arguments;
  for (int32_t I = 0, E = Function.getNumArguments(); I != E; ++I) {
    Value Slot =
        LLVM::GEPOp::create(Builder, Loc, Pointer, Pointer,
                            Body->getArgument(0), ArrayRef<LLVM::GEPArg>{I});
    Arguments.push_back(LLVM::LoadOp::create(Builder, Loc, Pointer, Slot));
  }
  LLVM::CallOp::create(Builder, Loc, Function, Arguments);
  LLVM::ReturnOp::create(Builder, Loc, ValueRange());
}

/// A machine for the processor this runs on.
static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
hostMachine(tenon::Optimization Level) {
  static std::once_flag Initialised;
  std::call_once(Initialised, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
  llvm::Triple Triple(llvm::sys::getDefaultTargetTriple());
  std::string Message;
  const llvm::Target *Target =
      llvm::TargetRegistry::lookupTarget(Triple, Message);
  if (!Target)
    return llvm::createStringError("no code generator for this host: " +
                                   Message);
  std::string Features;
  for (const auto &Feature : llvm::sys::getHostCPUFeatures())
    Features += (Features.empty() ? "" : ",") +
                std::string(Feature.second ? "+" : "-") + Feature.first().str();
  llvm::TargetOptions Options;
  return std::unique_ptr<llvm::TargetMachine>(Target->createTargetMachine(
      Triple, llvm::sys::getHostCPUName(), Features, Options, llvm::Reloc::PIC_,
      std::nullopt,
      Level == tenon::Optimization::None ? llvm::CodeGenOptLevel::None
                                         : llvm::CodeGenOptLevel::Default));
}

static void optimize(llvm::Module &Module, llvm::TargetMachine &Machine) {
  llvm::LoopAnalysisManager Loops;
  llvm::FunctionAnalysisManager Functions;
  llvm::CGSCCAnalysisManager Components;
  llvm::ModuleAnalysisManager Modules;
  llvm::PassBuilder Builder(&Machine);
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Components);
  Builder.registerFunctionAnalyses(Functions);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
  Builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(Module, Modules);
}

static llvm::Expected<std::string> emitObject(ModuleOp Module,
                                              tenon::Optimization Level) {
  llvm::LLVMContext Context;
  std::unique_ptr<llvm::Module> Translated =
      translateModuleToLLVMIR(Module, Context);
  if (!Translated)
    return llvm::createStringError("translation to LLVM IR failed");
  auto Machine = hostMachine(Level);
  if (!Machine)
    return Machine.takeError();
  Translated->setDataLayout((*Machine)->createDataLayout());
  Translated->setTargetTriple((*Machine)->getTargetTriple());
  if (Level != tenon::Optimization::None)
    optimize(*Translated, **Machine);
  llvm::SmallString<0> Bytes;
  llvm::raw_svector_ostream Stream(Bytes);
  llvm::legacy::PassManager Emitter;
  if ((*Machine)->addPassesToEmitFile(Emitter, Stream, nullptr,
                                      llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("this host has no object file emitter");
  Emitter.run(*Translated);
  return Bytes.str().str();
}

llvm::Expected<std::string> tenon::compileToObject(ModuleOp Module,
                                                   Optimization Level) {
  std::string Messages;
  ScopedDiagnosticHandler Handler(Module.getContext(), [&](Diagnostic &D) {
    if (D.getSeverity() == DiagnosticSeverity::Error)
      Messages += (Messages.empty() ? "" : "; ") + D.str();
    return success();
  });
  for (auto Function : Module.getOps<func::FuncOp>())
    if (!Function.isExternal())
      Function.setPublic();
  PassManager Manager(Module.getContext());
  buildCPUPipeline(Manager);
  if (failed(Manager.run(Module)))
    return llvm::createStringError("lowering to the CPU failed: " + Messages);
  SmallVector<LLVM::LLVMFuncOp> Functions;
  for (auto Function : Module.getOps<LLVM::LLVMFuncOp>())
    if (!Function.isExternal())
      Functions.push_back(Function);
  for (LLVM::LLVMFuncOp Function : Functions)
    addPackedEntry(Function);
  auto Object = emitObject(Module, Level);
  if (!Object && !Messages.empty())
    return llvm::joinErrors(Object.takeError(),
                            llvm::createStringError(Messages));
  return Object;
}

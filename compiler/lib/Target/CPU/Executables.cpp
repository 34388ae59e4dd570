//===- Executables.cpp - Host code for every host -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The functions are lowered to LLVM IR once; each target takes a copy from
// there.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "KernelEntry.h"
#include "Passes.h"

#include "tenon/Target/CPU/CPUTarget.h"

#include "isa/executable.h"
#include "isa/host_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

/// What isa/host_abi.h asks for beside the kernels: the version, and that no
/// exception passes (unwinding would import functions).
static void keepToInterface(llvm::Module &Module) {
  for (llvm::Function &Function : Module)
    Function.setDoesNotThrow();
  auto *Word = llvm::Type::getInt32Ty(Module.getContext());
  new llvm::GlobalVariable(Module, Word, /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantInt::get(Word, TENON_HOST_ABI_VERSION),
                           TENON_HOST_ABI_SYMBOL);
}

/// The functions of `Module` in the LLVM dialect, with their entries.
static LogicalResult lower(ModuleOp Module, tenon::PassObserver Observe) {
  for (auto Function : Module.getOps<func::FuncOp>())
    if (!Function.isExternal())
      Function.setPublic();
  PassManager Manager(Module.getContext());
  tenon::buildCPUPipeline(Manager);
  if (Observe)
    Observe(Manager);
  if (failed(Manager.run(Module)))
    return failure();
  for (auto Function :
       llvm::make_early_inc_range(Module.getOps<LLVM::LLVMFuncOp>())) {
    if (Function.isExternal())
      continue;
    // Beside kernels there is what upstream's deallocation adds.
    Function.setLinkage(LLVM::Linkage::Internal);
    if (Function->hasAttr(tenon::SignatureAttr))
      tenon::addKernelEntry(Function);
  }
  return success();
}

static llvm::Expected<tenon::isa::Executable>
makeExecutable(llvm::Module &Module, const tenon::isa::HostTarget &Target,
               tenon::Optimization Level) {
  auto Object = tenon::emitObject(Module, Target, Level);
  if (!Object)
    return Object.takeError();
  auto Image = tenon::linkObject(*Object);
  if (!Image)
    return Image.takeError();
  tenon::isa::Executable Executable;
  Executable.set_triple(std::string(Target.triple));
  for (absl::string_view Feature : Target.features)
    Executable.add_features(std::string(Feature));
  Executable.set_image(*std::move(Image));
  if (auto Read = tenon::isa::readExecutable(Executable); !Read.ok())
    return llvm::createStringError("host code for " +
                                   llvm::Twine(Target.name.data()) + ": " +
                                   std::string(Read.status().message()));
  return Executable;
}

llvm::Expected<std::vector<tenon::isa::Executable>>
tenon::compileForHosts(ModuleOp Module,
                       ArrayRef<const isa::HostTarget *> Targets,
                       Optimization Level, PassObserver Observe) {
  std::string Messages;
  ScopedDiagnosticHandler Handler(Module.getContext(), [&](Diagnostic &D) {
    if (D.getSeverity() == DiagnosticSeverity::Error)
      Messages += (Messages.empty() ? "" : "; ") + D.str();
    return success();
  });
  if (failed(lower(Module, Observe)))
    return llvm::createStringError("lowering to the CPU failed: " + Messages);
  llvm::LLVMContext Context;
  std::unique_ptr<llvm::Module> Translated =
      translateModuleToLLVMIR(Module, Context);
  if (!Translated)
    return llvm::createStringError("translation to LLVM IR failed: " +
                                   Messages);
  keepToInterface(*Translated);
  std::vector<isa::Executable> Executables;
  // Targets go from the least demanding to the most, programs the other way.
  for (const isa::HostTarget *Target : llvm::reverse(Targets)) {
    std::unique_ptr<llvm::Module> Copy = llvm::CloneModule(*Translated);
    auto Executable = makeExecutable(*Copy, *Target, Level);
    if (!Executable)
      return Executable.takeError();
    Executables.push_back(*std::move(Executable));
  }
  return Executables;
}

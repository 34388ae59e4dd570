//===- Executables.cpp - Host code for every host -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What all hosts share is done once; each target takes a copy from there.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "KernelEntry.h"
#include "PassMemory.h"
#include "Passes.h"

#include "tenon/Target/CPU/CPUTarget.h"
#include "tenon/Target/CPU/Hosts.h"

#include "isa/executable.h"
#include "isa/host_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ThreadPool.h"

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

/// Runs what `Build` adds.
static LogicalResult run(ModuleOp Module,
                         llvm::function_ref<void(OpPassManager &)> Build,
                         tenon::PassObserver Observe = nullptr) {
  PassManager Manager(Module.getContext());
  Build(Manager);
  if (Observe)
    Observe(Manager);
  return Manager.run(Module);
}

/// Kernels get their entries, everything else is theirs alone.
static void finish(ModuleOp Module) {
  tenon::passMemory(Module);
  for (auto Function :
       llvm::make_early_inc_range(Module.getOps<LLVM::LLVMFuncOp>())) {
    if (Function.isExternal())
      continue;
    Function.setLinkage(LLVM::Linkage::Internal);
    if (auto Unaliased =
            Function->getAttrOfType<DenseI64ArrayAttr>(tenon::UnaliasedAttr))
      for (int64_t Argument : Unaliased.asArrayRef())
        Function.setArgAttr(Argument, LLVM::LLVMDialect::getNoAliasAttrName(),
                            UnitAttr::get(Module.getContext()));
    if (Function->hasAttr(tenon::SignatureAttr))
      tenon::addKernelEntry(Function);
    else // a network runs each once or a few times
      Function.setNoInline(true);
  }
}

static llvm::Expected<tenon::isa::Executable>
link(StringRef Object, const tenon::isa::HostTarget &Target) {
  auto Image = tenon::linkObject(Object);
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

namespace {
/// Collects what MLIR says while it lives.
class Messages {
public:
  explicit Messages(MLIRContext *Context)
      : Handler(Context, [this](Diagnostic &D) {
          if (D.getSeverity() == DiagnosticSeverity::Error)
            Text += (Text.empty() ? "" : "; ") + D.str();
          return success();
        }) {}
  llvm::Error error(const char *What) const {
    return llvm::createStringError(What + (": " + Text));
  }

private:
  std::string Text;
  ScopedDiagnosticHandler Handler;
};
} // namespace

namespace {
/// A module in LLVM IR, for a target.
struct Translation {
  const tenon::isa::HostTarget *Target;
  std::unique_ptr<llvm::LLVMContext> Context;
  std::unique_ptr<llvm::Module> Module;
};
} // namespace

/// `Module`, on buffers or tensors, after `Build`'s passes.
static llvm::Expected<Translation>
translate(ModuleOp Module, const tenon::isa::HostTarget &Target,
          const Messages &Said,
          llvm::function_ref<void(OpPassManager &)> Build) {
  if (failed(run(Module, Build)))
    return Said.error("lowering to the CPU failed");
  finish(Module);
  Translation Result{&Target, std::make_unique<llvm::LLVMContext>(), nullptr};
  Result.Module = translateModuleToLLVMIR(Module, *Result.Context);
  if (!Result.Module)
    return Said.error("translation to LLVM IR failed");
  keepToInterface(*Result.Module);
  return Result;
}

/// Most of the time of a compilation is LLVM's, which works on each target in a
/// thread of its own; the linker takes one object at a time.
static llvm::Expected<std::vector<tenon::isa::Executable>>
makeExecutables(MutableArrayRef<Translation> Translated,
                tenon::Optimization Level) {
  std::vector<std::optional<llvm::Expected<SmallString<0>>>> Objects(
      Translated.size());
  // LLVM's own pool is of one thread once its linker was asked for one.
  llvm::DefaultThreadPool Pool;
  for (auto [From, Object] : llvm::zip(Translated, Objects))
    Pool.async([&Object = Object, &From = From, Level] {
      Object.emplace(tenon::emitObject(*From.Module, *From.Target, Level));
    });
  Pool.wait();
  std::vector<tenon::isa::Executable> Executables;
  llvm::Error Failed = llvm::Error::success();
  for (auto [From, Object] : llvm::zip(Translated, Objects)) {
    auto Executable =
        *Object ? link(**Object, *From.Target)
                : llvm::Expected<tenon::isa::Executable>(Object->takeError());
    if (Executable)
      Executables.push_back(*std::move(Executable));
    else
      Failed = llvm::joinErrors(std::move(Failed), Executable.takeError());
  }
  if (Failed)
    return std::move(Failed);
  return Executables;
}

/// Kernels are the functions that a module has from outside.
static void publish(ModuleOp Module) {
  for (auto Function : Module.getOps<func::FuncOp>())
    if (!Function.isExternal())
      Function.setPublic();
}

/// How the buffers of the kernels in `Module` lie.
static std::vector<tenon::WorkspacePlan> workspacesOf(ModuleOp Module) {
  std::vector<tenon::WorkspacePlan> Plans;
  for (auto Function : Module.getOps<func::FuncOp>()) {
    auto Facts = Function->getAttrOfType<DictionaryAttr>(tenon::WorkspaceAttr);
    if (!Facts)
      continue;
    auto number = [&](StringRef Name) {
      return uint64_t(Facts.getAs<IntegerAttr>(Name).getInt());
    };
    Plans.push_back({Function.getName().str(), number("bytes"), number("bound"),
                     number("by_size"), number("buffers")});
  }
  return Plans;
}

llvm::Expected<tenon::HostObjects>
tenon::compileForHosts(ModuleOp Module,
                       ArrayRef<const isa::HostTarget *> Targets,
                       PassObserver Observe) {
  Messages Said(Module.getContext());
  publish(Module);
  if (failed(run(Module, buildBufferPipeline, Observe)))
    return Said.error("lowering to the CPU failed");
  HostObjects Objects;
  Objects.Workspaces = workspacesOf(Module);
  // Targets go from the least demanding to the most, programs the other way.
  std::vector<Translation> Translated;
  for (const isa::HostTarget *Target : llvm::reverse(Targets)) {
    OwningOpRef<ModuleOp> Copy = Module.clone();
    auto Made = translate(*Copy, *Target, Said, [&](OpPassManager &Manager) {
      buildHostPipeline(Manager, registersOf(*Target));
    });
    if (!Made)
      return Made.takeError();
    Translated.push_back(std::move(*Made));
  }
  auto Made = makeExecutables(Translated, Optimization::ForSpeed);
  if (!Made)
    return Made.takeError();
  Objects.Executables = *std::move(Made);
  return Objects;
}

llvm::Expected<tenon::isa::Executable> tenon::compileHere(ModuleOp Module,
                                                          Optimization Level) {
  if (Level == Optimization::ForSpeed) {
    auto Made = compileForHosts(Module, {&thisHost()});
    if (!Made)
      return Made.takeError();
    return std::move(Made->Executables.front());
  }
  Messages Said(Module.getContext());
  publish(Module);
  auto Translated = translate(Module, thisHost(), Said, buildReferencePipeline);
  if (!Translated)
    return Translated.takeError();
  auto Made = makeExecutables(*Translated, Level);
  if (!Made)
    return Made.takeError();
  return std::move(Made->front());
}

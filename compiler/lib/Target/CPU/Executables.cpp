//===- Executables.cpp - Host code for every host -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What hosts share is done once. Kernels lead through a network and call its
// loop nests: one object for all targets of an architecture. Loop nests are
// compiled for each target.
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
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/ThreadPool.h"

#include <map>

using namespace mlir;

/// What isa/host_abi.h asks for beside the kernels.
static void addVersion(llvm::Module &Module) {
  auto *Word = llvm::Type::getInt32Ty(Module.getContext());
  new llvm::GlobalVariable(Module, Word, /*isConstant=*/true,
                           llvm::GlobalValue::ExternalLinkage,
                           llvm::ConstantInt::get(Word, TENON_HOST_ABI_VERSION),
                           TENON_HOST_ABI_SYMBOL);
}

/// Runs what `Build` adds; what comes out is verified once.
static LogicalResult run(ModuleOp Module,
                         llvm::function_ref<void(OpPassManager &)> Build,
                         tenon::PassObserver Observe = nullptr) {
  PassManager Manager(Module.getContext());
  Manager.enableVerifier(false);
  Build(Manager);
  if (Observe)
    Observe(Manager);
  return success(succeeded(Manager.run(Module)) && succeeded(verify(Module)));
}

/// Kernels get their entries; loops are seen where both are linked together,
/// everything else is its module's alone.
static void finish(ModuleOp Module) {
  tenon::passMemory(Module);
  for (auto Function :
       llvm::make_early_inc_range(Module.getOps<LLVM::LLVMFuncOp>())) {
    auto Unaliased =
        Function->getAttrOfType<DenseI64ArrayAttr>(tenon::UnaliasedAttr);
    if (Unaliased)
      Function.setVisibility_(LLVM::Visibility::Hidden);
    if (Function.isExternal())
      continue;
    Function.setLinkage(Unaliased ? LLVM::Linkage::External
                                  : LLVM::Linkage::Internal);
    if (Unaliased)
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
link(ArrayRef<StringRef> Objects, const tenon::isa::HostTarget &Target) {
  auto Image = tenon::linkObjects(Objects);
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
  for (llvm::Function &Function : *Result.Module)
    Function.setDoesNotThrow(); // unwinding would import functions
  return Result;
}

/// What is spent on `Module`. A block of very many instructions is a list of
/// calls: nothing gets faster, and registers are allocated in a time that grows
/// with the square of its length.
static tenon::Optimization levelOf(const llvm::Module &Module,
                                   tenon::Optimization Level) {
  constexpr size_t Most = 20'000;
  for (const llvm::Function &Function : Module)
    for (const llvm::BasicBlock &Block : Function)
      if (Block.size() > Most)
        return tenon::Optimization::None;
  return Level;
}

/// Object code of each, in the same order. Most of the time of a compilation is
/// LLVM's, which works on each in a thread of its own.
static llvm::Expected<std::vector<SmallString<0>>>
emitObjects(MutableArrayRef<Translation> Translated,
            tenon::Optimization Level) {
  std::vector<std::optional<llvm::Expected<SmallString<0>>>> Emitted(
      Translated.size());
  // LLVM's own pool is of one thread once its linker was asked for one.
  llvm::DefaultThreadPool Pool;
  for (auto [From, Object] : llvm::zip(Translated, Emitted))
    Pool.async([&Object = Object, &From = From, Level] {
      Object.emplace(tenon::emitObject(*From.Module, *From.Target,
                                       levelOf(*From.Module, Level)));
      From.Module.reset();
    });
  Pool.wait();
  std::vector<SmallString<0>> Objects(Emitted.size());
  llvm::Error Failed = llvm::Error::success();
  for (auto [From, To] : llvm::zip(Emitted, Objects)) {
    if (*From)
      To = std::move(**From);
    else
      Failed = llvm::joinErrors(std::move(Failed), From->takeError());
  }
  if (Failed)
    return std::move(Failed);
  return Objects;
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

namespace {
/// The host code of one program, in parts.
class HostCode {
public:
  HostCode(ModuleOp Kernels, ArrayRef<const tenon::isa::HostTarget *> Targets,
           const Messages &Said)
      : Kernels(Kernels), Targets(Targets), Said(Said) {}

  llvm::Error translateParts();
  llvm::Expected<std::vector<tenon::isa::Executable>> link();

private:
  llvm::Error add(ModuleOp Part, const tenon::isa::HostTarget &Target,
                  llvm::function_ref<void(OpPassManager &)> Build);

  ModuleOp Kernels;
  ArrayRef<const tenon::isa::HostTarget *> Targets;
  const Messages &Said;
  /// Kernels of each architecture, then loops of each target.
  std::vector<Translation> Parts;
  /// Which of the parts are whose kernels.
  std::map<tenon::isa::Architecture, size_t> KernelsOf;
};
} // namespace

llvm::Error HostCode::add(ModuleOp Part, const tenon::isa::HostTarget &Target,
                          llvm::function_ref<void(OpPassManager &)> Build) {
  OwningOpRef<ModuleOp> Copy = Part.clone();
  auto Made = translate(*Copy, Target, Said, Build);
  if (!Made)
    return Made.takeError();
  Parts.push_back(std::move(*Made));
  return llvm::Error::success();
}

llvm::Error HostCode::translateParts() {
  OwningOpRef<ModuleOp> Loops = tenon::takeLoops(Kernels);
  for (const tenon::isa::HostTarget *Target : Targets) {
    // The first of an architecture asks for the least.
    if (!KernelsOf.try_emplace(Target->architecture, Parts.size()).second)
      continue;
    if (llvm::Error E = add(Kernels, *Target, tenon::buildKernelsPipeline))
      return E;
    addVersion(*Parts.back().Module);
  }
  for (const tenon::isa::HostTarget *Target : Targets)
    if (llvm::Error E = add(*Loops, *Target, [&](OpPassManager &Manager) {
          tenon::buildLoopsPipeline(Manager, tenon::registersOf(*Target));
        }))
      return E;
  return llvm::Error::success();
}

llvm::Expected<std::vector<tenon::isa::Executable>> HostCode::link() {
  auto Objects = emitObjects(Parts, tenon::Optimization::ForSpeed);
  if (!Objects)
    return Objects.takeError();
  std::vector<tenon::isa::Executable> Executables;
  // Targets go from the least demanding to the most, programs the other way.
  for (size_t I = Targets.size(); I-- > 0;) {
    auto Linked = ::link({(*Objects)[KernelsOf.at(Targets[I]->architecture)],
                          (*Objects)[KernelsOf.size() + I]},
                         *Targets[I]);
    if (!Linked)
      return Linked.takeError();
    Executables.push_back(*std::move(Linked));
  }
  return Executables;
}

llvm::Expected<tenon::HostObjects>
tenon::compileForHosts(ModuleOp Module,
                       ArrayRef<const isa::HostTarget *> Targets,
                       PassObserver Observe) {
  Messages Said(Module.getContext());
  publish(Module);
  if (failed(run(Module, buildBufferPipeline, Observe)))
    return Said.error("lowering to the CPU failed");
  HostObjects Made;
  Made.Workspaces = workspacesOf(Module);
  HostCode Code(Module, Targets, Said);
  if (llvm::Error E = Code.translateParts())
    return std::move(E);
  auto Linked = Code.link();
  if (!Linked)
    return Linked.takeError();
  Made.Executables = *std::move(Linked);
  return Made;
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
  addVersion(*Translated->Module);
  auto Objects = emitObjects(*Translated, Level);
  if (!Objects)
    return Objects.takeError();
  return link({Objects->front()}, thisHost());
}

//===- Executables.cpp - Host code for every host -------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What hosts share is done once. Kernels lead through a network and call its
// loop nests: one object for all targets of an architecture. Loop nests are
// compiled for each target, in parts, so that threads have equal work.
//
//===----------------------------------------------------------------------===//

#include "Codegen.h"
#include "KernelEntry.h"
#include "ObjectEmitter.h"
#include "PassMemory.h"
#include "Passes.h"
#include "RunLoops.h"

#include "tenon/Target/CPU/CPUTarget.h"
#include "tenon/Target/CPU/Hosts.h"
#include "tenon/Transforms/Passes.h"

#include "isa/executable.h"
#include "isa/host_abi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"

#include <map>

using namespace mlir;

/// What isa/host_abi.h asks for beside the kernels.
static void addFacts(llvm::Module &Module, uint64_t Constants) {
  auto add = [&](unsigned Bits, uint64_t Number, const char *Name) {
    auto *Type = llvm::Type::getIntNTy(Module.getContext(), Bits);
    new llvm::GlobalVariable(Module, Type, /*isConstant=*/true,
                             llvm::GlobalValue::ExternalLinkage,
                             llvm::ConstantInt::get(Type, Number), Name);
  };
  add(32, TENON_HOST_ABI_VERSION, TENON_HOST_ABI_SYMBOL);
  add(64, Constants, TENON_HOST_CONSTANTS_SYMBOL);
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

/// Kernels and loop nests get their entries; those of loops are seen where both
/// are linked together, everything else is its module's alone.
static void finish(ModuleOp Module) {
  tenon::passMemory(Module);
  for (auto Function :
       llvm::make_early_inc_range(Module.getOps<LLVM::LLVMFuncOp>())) {
    auto Unaliased =
        Function->getAttrOfType<DenseI64ArrayAttr>(tenon::UnaliasedAttr);
    if (!Function.isExternal()) {
      Function.setLinkage(LLVM::Linkage::Internal);
      if (Function->hasAttr(tenon::SignatureAttr))
        tenon::addKernelEntry(Function);
      else // a network runs each once or a few times
        Function.setNoInline(true);
    }
    if (!Unaliased)
      continue;
    for (int64_t Argument : Unaliased.asArrayRef())
      Function.setArgAttr(Argument, LLVM::LLVMDialect::getNoAliasAttrName(),
                          UnitAttr::get(Module.getContext()));
    tenon::addLoopsEntry(Function);
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

/// `Module`, on buffers or tensors, after `Build`'s passes.
static llvm::Expected<tenon::TargetModule>
translate(ModuleOp Module, const tenon::isa::HostTarget &Target,
          const Messages &Said,
          llvm::function_ref<void(OpPassManager &)> Build) {
  if (failed(run(Module, Build)))
    return Said.error("lowering to the CPU failed");
  finish(Module);
  tenon::TargetModule Result{&Target, std::make_unique<llvm::LLVMContext>(),
                             nullptr};
  Result.Module = translateModuleToLLVMIR(Module, *Result.Context);
  if (!Result.Module)
    return Said.error("translation to LLVM IR failed");
  for (llvm::Function &Function : *Result.Module)
    Function.setDoesNotThrow(); // unwinding would import functions
  return Result;
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
/// Makes the host code of one program, in parts.
class HostCodeMaker {
public:
  HostCodeMaker(ModuleOp Kernels,
                ArrayRef<const tenon::isa::HostTarget *> Targets,
                const Messages &Said)
      : Kernels(Kernels), Targets(Targets), Said(Said) {}

  llvm::Error translateParts();
  llvm::Expected<tenon::isa::HostCode> link();

private:
  /// The place in Targets of the one that this one's code is the same as, but
  /// for products of bytes.
  std::optional<size_t> baseOf(const tenon::isa::HostTarget &Target) const;
  /// Returns the number of its object.
  llvm::Expected<size_t> add(
      ModuleOp Part, const tenon::isa::HostTarget &Target,
      llvm::function_ref<void(OpPassManager &)> Build,
      llvm::function_ref<void(llvm::Module &)> Complete = [](auto &) {});

  ModuleOp Kernels;
  ArrayRef<const tenon::isa::HostTarget *> Targets;
  const Messages &Said;
  std::string Constants;
  std::vector<tenon::isa::KernelLoops> Nests;
  tenon::ObjectEmitter Emitter{tenon::Optimization::ForSpeed};
  /// Numbers of objects: the kernels of each architecture, the loops of each
  /// target.
  std::map<tenon::isa::Architecture, size_t> KernelsOf;
  std::vector<SmallVector<size_t>> LoopsOf;
};
} // namespace

llvm::Expected<size_t>
HostCodeMaker::add(ModuleOp Part, const tenon::isa::HostTarget &Target,
                   llvm::function_ref<void(OpPassManager &)> Build,
                   llvm::function_ref<void(llvm::Module &)> Complete) {
  OwningOpRef<ModuleOp> Copy = Part.clone();
  auto Made = translate(*Copy, Target, Said, Build);
  if (!Made)
    return Made.takeError();
  Complete(*Made->Module);
  return Emitter.add(std::move(*Made));
}

std::optional<size_t>
HostCodeMaker::baseOf(const tenon::isa::HostTarget &Target) const {
  for (auto [I, Other] : llvm::enumerate(Targets))
    if (Other->name == Target.base)
      return I;
  return std::nullopt;
}

llvm::Error HostCodeMaker::translateParts() {
  Nests = tenon::loopsOf(Kernels);
  Constants = tenon::takeConstants(Kernels);
  std::vector<tenon::LoopsPart> Loops = tenon::takeLoops(Kernels);
  for (const tenon::isa::HostTarget *Target : Targets) {
    // The first of an architecture asks for the least.
    if (KernelsOf.count(Target->architecture))
      continue;
    auto Number =
        add(Kernels, *Target, tenon::buildKernelsPipeline,
            [&](llvm::Module &Module) { addFacts(Module, Constants.size()); });
    if (!Number)
      return Number.takeError();
    KernelsOf[Target->architecture] = *Number;
  }
  for (const tenon::isa::HostTarget *Target : Targets) {
    auto Build = [&](OpPassManager &Manager) {
      tenon::buildLoopsPipeline(Manager, tenon::registersOf(*Target));
    };
    std::optional<size_t> Base = baseOf(*Target);
    LoopsOf.emplace_back();
    for (auto [I, Part] : llvm::enumerate(Loops)) {
      if (Base && !Part.HasDotProducts) {
        LoopsOf.back().push_back(LoopsOf[*Base][I]);
        continue;
      }
      auto Number = add(*Part.Module, *Target, Build);
      if (!Number)
        return Number.takeError();
      LoopsOf.back().push_back(*Number);
    }
  }
  return llvm::Error::success();
}

llvm::Expected<tenon::isa::HostCode> HostCodeMaker::link() {
  auto Objects = Emitter.wait();
  if (!Objects)
    return Objects.takeError();
  tenon::isa::HostCode Code;
  // Targets go from the least demanding to the most, programs the other way.
  for (size_t I = Targets.size(); I-- > 0;) {
    std::optional<size_t> Base = baseOf(*Targets[I]);
    if (Base && LoopsOf[*Base] == LoopsOf[I])
      continue; // the same code, which asks for more
    SmallVector<StringRef> Parts = {
        (*Objects)[KernelsOf.at(Targets[I]->architecture)]};
    for (size_t Number : LoopsOf[I])
      Parts.push_back((*Objects)[Number]);
    auto Linked = ::link(Parts, *Targets[I]);
    if (!Linked)
      return Linked.takeError();
    *Code.add_executables() = *std::move(Linked);
  }
  Code.set_constants(std::move(Constants));
  Code.mutable_kernels()->Add(Nests.begin(), Nests.end());
  return Code;
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
  HostCodeMaker Maker(Module, Targets, Said);
  if (llvm::Error E = Maker.translateParts())
    return std::move(E);
  auto Linked = Maker.link();
  if (!Linked)
    return Linked.takeError();
  Made.Code = *std::move(Linked);
  return Made;
}

llvm::Expected<tenon::isa::HostCode> tenon::compileHere(ModuleOp Module,
                                                        Optimization Level) {
  if (Level == Optimization::ForSpeed) {
    {
      Messages Said(Module.getContext());
      if (failed(run(Module, buildSimplificationPipeline)))
        return Said.error("simplifying the network failed");
    }
    auto Made = compileForHosts(Module, {&thisHost()});
    if (!Made)
      return Made.takeError();
    return std::move(Made->Code);
  }
  Messages Said(Module.getContext());
  publish(Module);
  auto Translated =
      translate(Module, thisHost(), Said, [](OpPassManager &Manager) {
        buildReferencePipeline(Manager, registersOf(thisHost()).HasFma);
      });
  if (!Translated)
    return Translated.takeError();
  addFacts(*Translated->Module, /*Constants=*/0);
  ObjectEmitter Emitter(Level);
  Emitter.add(std::move(*Translated));
  auto Objects = Emitter.wait();
  if (!Objects)
    return Objects.takeError();
  auto Linked = link({Objects->front()}, thisHost());
  if (!Linked)
    return Linked.takeError();
  isa::HostCode Code;
  *Code.add_executables() = *std::move(Linked);
  return Code;
}

//===- OutlineLoops.cpp - A function for every loop nest ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Layers of a network are often equal but for their weights. As a function of
// its own each is compiled once, and what is compiled stays small. Where types
// say all of how arrays lie, calls hand over pointers and no descriptors: of a
// network with very many layers, calls are most of what is compiled.
//
// A function computes a part of its results, as many threads share them. Who
// calls it is the runtime: kernels call a declaration that stands for that,
// with how long all of it may take.
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"
#include "LoopWork.h"
#include "Passes.h"

#include "tenon/Transforms/NodeNames.h"

#include "isa/executable.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tenon;

/// What FuncToLLVM calls it.
static constexpr llvm::StringLiteral BarePointersAttr = "llvm.bareptr";

namespace {

struct OutlineLoopsPass
    : PassWrapper<OutlineLoopsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineLoopsPass)

  StringRef getArgument() const override { return "tenon-outline-loops"; }
  StringRef getDescription() const override {
    return "Make a function of each loop nest, one of those that are equal";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, func::FuncDialect>();
  }
  void runOnOperation() override;

private:
  void outline(linalg::LinalgOp Op, int64_t Number);

  /// A function, and the declaration that runs all of it.
  struct Outlined {
    func::FuncOp Loops, Run;
  };
  /// By what is printed of them under one name.
  llvm::StringMap<Outlined> Functions;
};

} // namespace

/// The allocation, place in the workspace (by its offset), constant or kernel's
/// argument that `V` is a view of: no two that one operation needs share
/// memory. Null where that is not known.
static Value root(Value V) {
  while (auto View = V.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto Place = V.getDefiningOp<memref::ViewOp>())
      return Place.getByteShift();
    V = View.getViewSource();
  }
  if (auto Argument = dyn_cast<BlockArgument>(V))
    return llvm::isa<func::FuncOp>(Argument.getOwner()->getParentOp())
               ? V
               : Value();
  return V.getDefiningOp<memref::AllocOp>() ||
                 V.getDefiningOp<memref::GetGlobalOp>()
             ? V
             : Value();
}

/// Whether a pointer says all of each array that the types do not.
static bool arePointers(ArrayRef<Value> Arguments) {
  return llvm::all_of(Arguments, [](Value V) {
    auto T = dyn_cast<MemRefType>(V.getType());
    return !T || LLVMTypeConverter::canConvertToBarePtr(T);
  });
}

/// The arguments, in LLVM's counting, that share memory with no other: pointers
/// or, of descriptors, the aligned pointers.
static SmallVector<int64_t> unaliased(ArrayRef<Value> Arguments) {
  bool Bare = arePointers(Arguments);
  llvm::DenseMap<Value, unsigned> Roots;
  for (Value V : Arguments)
    if (llvm::isa<MemRefType>(V.getType()))
      ++Roots[root(V)];
  if (Roots.contains(Value()))
    return {};
  SmallVector<int64_t> Result;
  int64_t Position = 0;
  for (Value V : Arguments) {
    auto T = dyn_cast<MemRefType>(V.getType());
    if (T && Roots[root(V)] == 1)
      Result.push_back(Position + !Bare);
    Position += T && !Bare ? 3 + 2 * T.getRank() : 1;
  }
  return Result;
}

void OutlineLoopsPass::outline(linalg::LinalgOp Op, int64_t Number) {
  llvm::SetVector<Value> Read(Op->operand_begin(), Op->operand_end());
  getUsedValuesDefinedAbove(Op->getRegions(), Read);
  SmallVector<Value> Arguments, Constants;
  for (Value V : Read)
    (matchPattern(V, m_Constant()) ? Constants : Arguments).push_back(V);

  OpBuilder B(&getContext());
  B.setInsertionPointToEnd(getOperation().getBody());
  SmallVector<Type> Types(ValueRange(Arguments).getTypes());
  Types.append({B.getIndexType(), B.getIndexType()});
  auto Function = func::FuncOp::create(B, Op.getLoc(), "loops",
                                       B.getFunctionType(Types, {}));
  Function.setPrivate();
  Function->setAttr(UnaliasedAttr,
                    B.getDenseI64ArrayAttr(unaliased(Arguments)));
  if (arePointers(Arguments))
    Function->setAttr(BarePointersAttr, B.getUnitAttr());
  Block *Body = Function.addEntryBlock();
  IRMapping Map;
  Map.map(Arguments, Body->getArguments().take_front(Arguments.size()));
  B.setInsertionPointToEnd(Body);
  for (Value V : Constants)
    Map.map(V, B.clone(*V.getDefiningOp())->getResult(0));
  B.clone(*Op, Map);
  func::ReturnOp::create(B, Op.getLoc());

  std::string Text;
  llvm::raw_string_ostream(Text) << Function;
  Outlined &Known = Functions[Text];
  if (Known.Loops) {
    Function.erase();
  } else {
    Function.setName(("loops_" + Twine(Functions.size() - 1)).str());
    B.setInsertionPoint(Function);
    Known = {Function, func::FuncOp::create(B, Op.getLoc(),
                                            ("run_" + Function.getName()).str(),
                                            B.getFunctionType(Types, {}))};
    Known.Run.setPrivate();
    Known.Run->setAttr(RunsAttr, FlatSymbolRefAttr::get(Function));
    if (Function->hasAttr(BarePointersAttr))
      Known.Run->setAttr(BarePointersAttr, B.getUnitAttr());
  }
  B.setInsertionPoint(Op);
  Arguments.push_back(estimatedNanoseconds(B, Op));
  Arguments.push_back(arith::ConstantIndexOp::create(B, Op.getLoc(), Number));
  LoopWork Work = workOf(Op);
  auto Call = func::CallOp::create(B, Op.getLoc(), Known.Run, Arguments);
  Call->setAttr(WorkAttr, B.getDenseI64ArrayAttr(
                              {int64_t(Work.Operations), int64_t(Work.Bytes)}));
  Op->erase();
}

void OutlineLoopsPass::runOnOperation() {
  Functions.clear();
  SmallVector<func::FuncOp> Kernels(getOperation().getOps<func::FuncOp>());
  for (func::FuncOp Kernel : Kernels) {
    SmallVector<linalg::LinalgOp> Ops;
    Kernel.walk([&](linalg::LinalgOp Op) {
      // An assertion speaks for the kernel that it stands in.
      bool Asserts = Op->walk([](cf::AssertOp) {
                         return WalkResult::interrupt();
                       }).wasInterrupted();
      if (!Asserts)
        Ops.push_back(Op);
    });
    for (auto [I, Op] : llvm::enumerate(Ops))
      outline(Op, I);
  }
}

static bool hasDotProducts(func::FuncOp Function) {
  return Function
      .walk([](linalg::GenericOp Op) {
        return readDotProduct(Op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Kernels are the functions that have a body and are no loops.
std::vector<isa::KernelLoops> tenon::loopsOf(ModuleOp Module) {
  std::vector<isa::KernelLoops> Kernels;
  for (auto Function : Module.getOps<func::FuncOp>()) {
    if (Function.isExternal() || Function->hasAttr(UnaliasedAttr))
      continue;
    isa::KernelLoops &Kernel = Kernels.emplace_back();
    Kernel.set_symbol(isa::kernelSymbol(Function.getName().str()));
    Function.walk([&](func::CallOp Call) {
      auto Work = Call->getAttrOfType<DenseI64ArrayAttr>(WorkAttr);
      if (!Work)
        return;
      auto Number = getConstantIntValue(Call.getOperands().back());
      while (Kernel.nests_size() <= *Number)
        Kernel.add_nests();
      isa::LoopNest &Nest = *Kernel.mutable_nests(*Number);
      auto Run = Module.lookupSymbol<func::FuncOp>(Call.getCallee());
      Nest.set_function(
          Run->getAttrOfType<FlatSymbolRefAttr>(RunsAttr).getValue().str());
      for (Attribute Name : nodeNames({Call.getOperation()}))
        Nest.add_nodes(cast<StringAttr>(Name).str());
      Nest.set_operations(Work[0]);
      Nest.set_bytes(Work[1]);
      auto Loops = Module.lookupSymbol<func::FuncOp>(Nest.function());
      Nest.set_multiplies_bytes(hasDotProducts(Loops));
    });
  }
  return Kernels;
}

std::vector<LoopsPart> tenon::takeLoops(ModuleOp Module) {
  // Few enough that threads share the work evenly, many enough that what each
  // module costs of itself does not show.
  constexpr size_t FunctionsOfPart = 24;
  std::vector<LoopsPart> Parts;
  OpBuilder B(Module.getContext());
  SmallVector<func::FuncOp> With, Without;
  for (auto Function : Module.getOps<func::FuncOp>())
    if (Function->hasAttr(UnaliasedAttr))
      (hasDotProducts(Function) ? With : Without).push_back(Function);
  auto take = [&](ArrayRef<func::FuncOp> Functions, bool HasDotProducts) {
    for (size_t I = 0; I < Functions.size(); ++I) {
      func::FuncOp Function = Functions[I];
      if (I % FunctionsOfPart == 0)
        Parts.push_back({ModuleOp::create(Module.getLoc()), HasDotProducts});
      B.setInsertionPoint(Function);
      B.insert(Function.cloneWithoutRegions());
      Block *Body = Parts.back().Module->getBody();
      Function->moveBefore(Body, Body->end());
    }
  };
  take(With, true);
  take(Without, false);
  return Parts;
}

std::unique_ptr<Pass> tenon::createOutlineLoopsPass() {
  return std::make_unique<OutlineLoopsPass>();
}

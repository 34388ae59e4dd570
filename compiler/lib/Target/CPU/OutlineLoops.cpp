//===- OutlineLoops.cpp - A function for every loop nest ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Layers of a network are often equal but for their weights. As a function of
// its own each is compiled once, and what is compiled stays small. Where types
// say all of how arrays lie, calls hand over pointers and no descriptors: of a
// network with very many layers, calls are most of what is compiled.
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"
#include "Passes.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
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
    Registry.insert<func::FuncDialect>();
  }
  void runOnOperation() override;

private:
  void outline(linalg::LinalgOp Op);

  /// By what is printed of them under one name.
  llvm::StringMap<func::FuncOp> Functions;
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

void OutlineLoopsPass::outline(linalg::LinalgOp Op) {
  llvm::SetVector<Value> Read(Op->operand_begin(), Op->operand_end());
  getUsedValuesDefinedAbove(Op->getRegions(), Read);
  SmallVector<Value> Arguments, Constants;
  for (Value V : Read)
    (matchPattern(V, m_Constant()) ? Constants : Arguments).push_back(V);

  OpBuilder B(&getContext());
  B.setInsertionPointToEnd(getOperation().getBody());
  auto Function = func::FuncOp::create(
      B, Op.getLoc(), "loops",
      B.getFunctionType(ValueRange(Arguments).getTypes(), {}));
  Function.setPrivate();
  Function->setAttr(UnaliasedAttr,
                    B.getDenseI64ArrayAttr(unaliased(Arguments)));
  if (arePointers(Arguments))
    Function->setAttr(BarePointersAttr, B.getUnitAttr());
  Block *Body = Function.addEntryBlock();
  IRMapping Map;
  Map.map(Arguments, Body->getArguments());
  B.setInsertionPointToEnd(Body);
  for (Value V : Constants)
    Map.map(V, B.clone(*V.getDefiningOp())->getResult(0));
  B.clone(*Op, Map);
  func::ReturnOp::create(B, Op.getLoc());

  std::string Text;
  llvm::raw_string_ostream(Text) << Function;
  func::FuncOp &Known = Functions[Text];
  if (Known) {
    Function.erase();
  } else {
    Function.setName(("loops_" + Twine(Functions.size() - 1)).str());
    Known = Function;
  }
  B.setInsertionPoint(Op);
  func::CallOp::create(B, Op.getLoc(), Known, Arguments);
  Op->erase();
}

void OutlineLoopsPass::runOnOperation() {
  Functions.clear();
  SmallVector<linalg::LinalgOp> Ops;
  getOperation().walk([&](linalg::LinalgOp Op) {
    // An assertion speaks for the kernel that it stands in.
    bool Asserts = Op->walk([](cf::AssertOp) {
                       return WalkResult::interrupt();
                     }).wasInterrupted();
    if (!Asserts)
      Ops.push_back(Op);
  });
  for (linalg::LinalgOp Op : Ops)
    outline(Op);
}

static bool hasDotProducts(func::FuncOp Function) {
  return Function
      .walk([](linalg::GenericOp Op) {
        return readDotProduct(Op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
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

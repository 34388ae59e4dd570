//===- GraphSize.cpp - Operators and memory of a graph of tensors ---------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Transforms/GraphSize.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tenon;

static TensorBytes &operator+=(TensorBytes &A, TensorBytes B) {
  A = {llvm::SaturatingAdd(A.Bytes, B.Bytes), A.Open + B.Open};
  return A;
}

static TensorBytes operator+(TensorBytes A, TensorBytes B) { return A += B; }

static TensorBytes operator-(TensorBytes A, TensorBytes B) {
  return {A.Bytes - std::min(A.Bytes, B.Bytes), A.Open - B.Open};
}

static TensorBytes most(TensorBytes A, TensorBytes B) {
  return {std::max(A.Bytes, B.Bytes), std::max(A.Open, B.Open)};
}

/// As a buffer stores them: whole bytes an element.
static uint64_t elementBytes(Type Element) {
  if (auto Complex = dyn_cast<ComplexType>(Element))
    return 2 * elementBytes(Complex.getElementType());
  if (Element.isIntOrFloat())
    return llvm::divideCeil(Element.getIntOrFloatBitWidth(), 8);
  return 8; // an index
}

static TensorBytes bytesOf(Type T) {
  auto Tensor = dyn_cast<TensorType>(T);
  if (!Tensor)
    return {};
  if (!Tensor.hasStaticShape())
    return {0, 1};
  uint64_t Bytes = elementBytes(Tensor.getElementType());
  for (int64_t Extent : Tensor.getShape())
    Bytes = llvm::SaturatingMultiply(Bytes, uint64_t(Extent));
  return {Bytes, 0};
}

/// The attribute of a constant tensor.
static ElementsAttr constantOf(Operation *Op) {
  ElementsAttr Value;
  if (Op->getNumResults() == 1 &&
      isa<RankedTensorType>(Op->getResult(0).getType()))
    matchPattern(Op, m_Constant(&Value));
  return Value;
}

static bool isOperator(Operation *Op) {
  return llvm::any_of(Op->getResultTypes(), llvm::IsaPred<TensorType>) &&
         !Op->hasTrait<OpTrait::ConstantLike>() && !isa<tensor::EmptyOp>(Op);
}

/// The operand that the result of a view lies in.
static Value viewed(Operation *Op) {
  if (isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
          tensor::ExtractSliceOp, tensor::ReshapeOp, tosa::ReshapeOp>(Op))
    return Op->getOperand(0);
  return {};
}

namespace {

/// One function: which tensors have memory of their own, and how long.
class Lifetimes {
public:
  explicit Lifetimes(FunctionOpInterface Function) : Function(Function) {
    Function->walk<WalkOrder::PreOrder>([&](Operation *Op) { visit(Op); });
  }

  TensorBytes peak();
  TensorBytes written() const { return Written; }

private:
  void visit(Operation *Op);
  void placeArguments(LoopLikeOpInterface Loop);
  void placeResult(OpResult Result);
  bool canOverwrite(Value V);
  TensorBytes peakOf(Block &Body);
  /// By value: an insertion moves what the map holds.
  Value homeOf(Value V) const {
    Value Of = Home.lookup(V);
    return Of ? Of : V;
  }
  TensorBytes owned(Value V) const {
    return Home.count(V) ? TensorBytes() : bytesOf(V.getType());
  }

  FunctionOpInterface Function;
  /// Of a value without memory of its own the one in whose memory it lies.
  llvm::DenseMap<Value, Value> Home;
  /// The last operation, in the block of the value, that reads its memory.
  llvm::DenseMap<Value, Operation *> LastReader;
  TensorBytes Written;
};

} // namespace

/// An operation may write into an operand that it alone reads and that an
/// operator made. A body may run again: it must not write into what is outside.
bool Lifetimes::canOverwrite(Value V) {
  Operation *Maker = V.getDefiningOp();
  return Maker && V.hasOneUse() && isOperator(Maker) && !viewed(Maker) &&
         Maker->getBlock() == V.use_begin()->getOwner()->getBlock();
}

void Lifetimes::placeResult(OpResult Result) {
  Operation *Op = Result.getOwner();
  Value Source = viewed(Op);
  if (auto Writer = dyn_cast<DestinationStyleOpInterface>(Op))
    if (OpOperand *Init = Writer.getTiedOpOperand(Result);
        Init && canOverwrite(Init->get()))
      Source = Init->get();
  if (auto Loop = dyn_cast<LoopLikeOpInterface>(Op))
    if (OpOperand *Init = Loop.getTiedLoopInit(Result);
        Init && canOverwrite(Init->get()))
      Source = Init->get();
  if (Source) {
    Home[Result] = homeOf(Source);
  } else if (!isa<RegionBranchOpInterface>(Op)) { // else its bodies write it
    Written += bytesOf(Result.getType());
  }
}

/// A loop carries values in the memory that they start in.
void Lifetimes::placeArguments(LoopLikeOpInterface Loop) {
  for (BlockArgument Argument : Loop.getRegionIterArgs())
    if (OpOperand *Init = Loop.getTiedLoopInit(Argument);
        Init && canOverwrite(Init->get()))
      Home[Argument] = homeOf(Init->get());
}

void Lifetimes::visit(Operation *Op) {
  for (Value Operand : Op->getOperands()) {
    auto Of = Home.find(Operand);
    Value Memory = Of == Home.end() ? Operand : Of->second;
    if (bytesOf(Memory.getType()).Bytes || bytesOf(Memory.getType()).Open)
      LastReader[Memory] = Memory.getParentBlock()->findAncestorOpInBlock(*Op);
  }
  if (auto Loop = dyn_cast<LoopLikeOpInterface>(Op))
    placeArguments(Loop);
  if (isOperator(Op))
    for (OpResult Result : Op->getResults())
      placeResult(Result);
}

TensorBytes Lifetimes::peakOf(Block &Body) {
  TensorBytes Live, Most;
  for (BlockArgument Argument : Body.getArguments())
    Live += owned(Argument);
  Most = Live;
  llvm::DenseMap<Operation *, TensorBytes> FreedBehind;
  auto die = [&](Value V, Operation *Unread) {
    Operation *Last = LastReader.lookup(V);
    FreedBehind[Last ? Last : Unread] += owned(V);
  };
  bool IsFunction = Body.getParentOp() == Function.getOperation();
  if (!IsFunction && !Body.empty())
    for (BlockArgument Argument : Body.getArguments())
      die(Argument, &Body.front());
  for (Operation &Op : Body) {
    TensorBytes Inside;
    for (Region &Region : Op.getRegions())
      for (Block &Nested : Region)
        Inside = most(Inside, peakOf(Nested));
    Most = most(Most, Live + Inside);
    if (isOperator(&Op))
      for (Value Result : Op.getResults()) {
        Live += owned(Result);
        die(Result, &Op);
      }
    Most = most(Most, Live);
    Live = Live - FreedBehind.lookup(&Op);
  }
  return Most;
}

TensorBytes Lifetimes::peak() {
  TensorBytes Most;
  for (Block &Body : Function.getFunctionBody())
    Most = most(Most, peakOf(Body));
  return Most;
}

GraphSize tenon::measureGraph(Operation *Root) {
  GraphSize Size;
  llvm::DenseSet<Attribute> Constants;
  Root->walk([&](Operation *Op) {
    Size.Operators += isOperator(Op);
    if (ElementsAttr Value = constantOf(Op);
        Value && Constants.insert(Value).second)
      Size.Constants += bytesOf(Value.getType()).Bytes;
    if (auto Function = dyn_cast<FunctionOpInterface>(Op)) {
      Lifetimes Tensors(Function);
      Size.Tensors += Tensors.written();
      Size.Peak = most(Size.Peak, Tensors.peak());
    }
  });
  return Size;
}

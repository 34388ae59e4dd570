//===- ControlFlow.cpp - If ----------------------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tenon::frontend;

/// What the condition is, where compilation can tell.
static std::optional<bool> knownCondition(Lowering &L) {
  if (auto Values = L.integers(0); Values && !Values->empty())
    return Values->front() != 0;
  DenseElementsAttr Elements;
  if (matchPattern(L.in(0).Tensor, m_Constant(&Elements)) && Elements.isSplat())
    return Elements.getSplatValue<bool>();
  return std::nullopt;
}

static FailureOr<LoweredBody> lowerBranch(Lowering &L, Region &Branch) {
  auto Body = LoweredBody::lower(L, Branch, {});
  if (succeeded(Body) && int64_t(Body->results().size()) != L.N.outputCount())
    return L.error() << "a branch of it has " << Body->results().size()
                     << " outputs, expected " << L.N.outputCount();
  return Body;
}

/// The one branch that is ever taken.
static LogicalResult lowerTaken(Lowering &L, Region &Taken) {
  auto Body = lowerBranch(L, Taken);
  if (failed(Body))
    return failure();
  Body->place(L, {});
  for (auto [Index, Result] : llvm::enumerate(Body->results()))
    if (failed(L.define(Index, Result.Tensor, Result.Element)))
      return failure();
  return success();
}

/// Of one element, whatever its rank.
static bool isNumber(const PlainType &Of) {
  return Of.Tensor.hasStaticShape() && Of.Tensor.getNumElements() == 1;
}

/// The type that holds what either branch gives.  A number may be a scalar in
/// one and a list in the other, as ONNX's function of AffineGrid has it: it is
/// of the higher rank then, which broadcasting cannot tell from the other.
static std::optional<PlainType> eitherType(const PlainType &A,
                                           const PlainType &B) {
  if (A.Element == B.Element && isNumber(A) && isNumber(B))
    return A.Tensor.getRank() < B.Tensor.getRank() ? B : A;
  return joined(A, B);
}

static Value asType(Lowering &L, Value Tensor, RankedTensorType Of) {
  if (cast<RankedTensorType>(Tensor.getType()).getRank() != Of.getRank())
    return L.reshaped(Tensor, Extents(Of.getRank(), L.extent(1)));
  return opened(L, Tensor, Of);
}

static LogicalResult lowerIf(Lowering &L) {
  Region *Branches[] = {L.N.graph("then_branch"), L.N.graph("else_branch")};
  if (std::optional<bool> Known = knownCondition(L))
    return lowerTaken(L, *Branches[!*Known]);
  Value Condition = onlyElement(L, L.in(0));
  SmallVector<LoweredBody, 2> Bodies;
  for (Region *Branch : Branches) {
    auto Body = lowerBranch(L, *Branch);
    if (failed(Body))
      return failure();
    Bodies.push_back(*Body);
  }
  int64_t Count = L.N.outputCount();
  SmallVector<Type> Types;
  for (int64_t Index = 0; Index < Count; ++Index) {
    const Plain &Then = Bodies[0].results()[Index];
    const Plain &Else = Bodies[1].results()[Index];
    auto Both = eitherType(PlainType(Then), PlainType(Else));
    if (!Both)
      return L.error() << "its branches give output '" << L.N.outputName(Index)
                       << "' in " << Then.rank() << " and " << Else.rank()
                       << " dimensions or in two element types: no program "
                          "holds either";
    Types.push_back(Both->Tensor);
  }
  auto If = scf::IfOp::create(L.B, Types, Condition, /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
  for (auto [Body, Branch] : llvm::zip(Bodies, If->getRegions())) {
    OpBuilder::InsertionGuard Guard(L.B);
    L.B.setInsertionPointToEnd(&Branch.front());
    Body.place(L, {});
    SmallVector<Value> Results;
    for (auto [Result, Of] : llvm::zip(Body.results(), Types))
      Results.push_back(asType(L, Result.Tensor, cast<RankedTensorType>(Of)));
    scf::YieldOp::create(L.B, Results);
  }
  for (int64_t Index = 0; Index < Count; ++Index)
    if (failed(L.define(Index, If.getResult(Index),
                        Bodies[0].results()[Index].Element)))
      return failure();
  return success();
}

ArrayRef<LoweredOperator> tenon::frontend::controlFlowOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "If", 1, lowerIf},
  };
  return Table;
}

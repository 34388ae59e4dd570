//===- Lowering.cpp - Inputs, outputs and numbers of a lowering ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "../Tensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace tenon;
using namespace tenon::frontend;

Type tenon::frontend::heldType(Type Element) {
  MLIRContext *Context = Element.getContext();
  if (auto Integer = dyn_cast<IntegerType>(Element)) {
    unsigned Width = Integer.getWidth();
    return IntegerType::get(Context, Width == 1 || Width >= 8 ? Width : 8);
  }
  auto Float = dyn_cast<FloatType>(Element);
  if (!Float)
    return {};
  return Float.getWidth() >= 16 ? Type(Float) : IntegerType::get(Context, 8);
}

Type tenon::frontend::arithmeticType(Type Element) {
  return isa<FloatType>(Element) && Element.getIntOrFloatBitWidth() < 32
             ? Type(Float32Type::get(Element.getContext()))
             : Element;
}

Lowering::Lowering(const Node &N, OpBuilder &Builder,
                   std::vector<std::optional<Plain>> Inputs,
                   BodyLowering LowerBody)
    : N(N), B(N.location(), Builder), LowerBody(LowerBody),
      Inputs(std::move(Inputs)), Outputs(N.outputCount()) {}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

LogicalResult Lowering::checkRank(int64_t Index, int64_t Rank) const {
  if (in(Index).rank() == Rank)
    return success();
  return error() << "its input '" << N.inputName(Index) << "' has "
                 << in(Index).rank() << " dimensions, expected " << Rank;
}

FailureOr<int64_t> Lowering::axis(int64_t Axis, int64_t Rank) const {
  if (Axis < -Rank || Axis >= Rank)
    return error() << "axis " << Axis << " is outside of a tensor with " << Rank
                   << " dimensions";
  return Axis < 0 ? Axis + Rank : Axis;
}

void Lowering::require(Value Condition, const Twine &Message) {
  auto Constant = Condition.getDefiningOp<arith::ConstantIntOp>();
  if (Constant && Constant.value())
    return;
  cf::AssertOp::create(
      B, Condition,
      (Twine("node '") + N.name() + "' (" + N.describe() + "): " + Message)
          .str());
}

Value Lowering::onlyIf(Value Condition, RankedTensorType Of,
                       llvm::function_ref<Value()> Make) {
  if (getConstantIntValue(Condition).value_or(0) != 0)
    return Make();
  auto If = scf::IfOp::create(B, Of, Condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(If.thenBlock());
  scf::YieldOp::create(B, Make());
  B.setInsertionPointToStart(If.elseBlock());
  SmallVector<Value> None(Of.getNumDynamicDims(), index(0));
  Value Zero = arith::ConstantOp::create(B, B.getZeroAttr(Of.getElementType()));
  Value Empty = tensor::EmptyOp::create(B, Of, None);
  scf::YieldOp::create(B, linalg::FillOp::create(B, Zero, Empty).getResult(0));
  return If.getResult(0);
}

LogicalResult Lowering::define(int64_t Index, Value Tensor, Type Element) {
  auto Have = cast<RankedTensorType>(Tensor.getType());
  if (isTooLarge(Have.getShape()))
    return error() << "its result of " << describe(Have.getShape())
                   << " is too large";
  auto Declared = dyn_cast<RankedTensorType>(N.output(Index).getType());
  if (Declared && Declared.getRank() != Have.getRank())
    return error() << "output '" << N.outputName(Index) << "' has "
                   << Have.getRank() << " dimensions, but the model says "
                   << Declared.getRank();
  SmallVector<int64_t> Dims(Have.getShape());
  Value AreSo;
  for (int64_t Axis = 0; Declared && Axis < Have.getRank(); ++Axis) {
    int64_t Said = Declared.getDimSize(Axis);
    if (ShapedType::isDynamic(Said) || Said == Dims[Axis])
      continue;
    if (!ShapedType::isDynamic(Dims[Axis]))
      return error() << "dimension " << Axis << " of output '"
                     << N.outputName(Index) << "' is " << Dims[Axis]
                     << ", but the model says " << Said;
    Value IsSo =
        arith::CmpIOp::create(B, arith::CmpIPredicate::eq,
                              index(extentOf(Tensor, Axis)), index(Said));
    require(IsSo, "dimension " + Twine(Axis) + " of its output '" +
                      N.outputName(Index) + "' is not " + Twine(Said) +
                      ", as the model says");
    AreSo = AreSo ? Value(arith::AndIOp::create(B, AreSo, IsSo)) : IsSo;
    Dims[Axis] = Said;
  }
  if (AreSo) {
    auto Known = RankedTensorType::get(Dims, Have.getElementType());
    Tensor = onlyIf(AreSo, Known, [&]() -> Value {
      return tensor::CastOp::create(B, Known, Tensor);
    });
  }
  Outputs[Index] = Plain{Tensor, Element};
  return success();
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

Value Lowering::index(OpFoldResult Of) {
  return getValueOrCreateConstantIndexOp(B, B.getLoc(), Of);
}

Value Lowering::index(int64_t Of) {
  return arith::ConstantIndexOp::create(B, Of);
}

OpFoldResult Lowering::extent(int64_t Of) const {
  return IntegerAttr::get(IndexType::get(B.getContext()), Of);
}

Value Lowering::number(Type Held, double Number) {
  if (auto Float = dyn_cast<FloatType>(Held)) {
    APFloat Rounded(Number);
    bool Loses;
    Rounded.convert(Float.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                    &Loses);
    return arith::ConstantOp::create(B, FloatAttr::get(Float, Rounded));
  }
  return integer(Held, int64_t(Number));
}

Value Lowering::integer(Type Held, int64_t Number) {
  return arith::ConstantOp::create(B, IntegerAttr::get(Held, Number));
}

template <typename Op>
static OpFoldResult folded(Lowering &L, OpFoldResult A, OpFoldResult B,
                           llvm::function_ref<int64_t(int64_t, int64_t)> Fold) {
  auto First = getConstantIntValue(A), Second = getConstantIntValue(B);
  if (First && Second)
    return L.extent(Fold(*First, *Second));
  return L.B.createOrFold<Op>(L.index(A), L.index(B));
}

/// What no extent can be stays so large that nobody takes it for one.
static int64_t saturated(bool Overflows, int64_t Result, bool IsNegative) {
  if (!Overflows)
    return Result;
  return IsNegative ? std::numeric_limits<int64_t>::min()
                    : std::numeric_limits<int64_t>::max();
}

OpFoldResult Lowering::add(OpFoldResult A, OpFoldResult B) {
  return folded<arith::AddIOp>(*this, A, B, [](int64_t A, int64_t B) {
    int64_t Sum;
    bool Overflows = llvm::AddOverflow(A, B, Sum);
    return saturated(Overflows, Sum, A < 0);
  });
}
OpFoldResult Lowering::sub(OpFoldResult A, OpFoldResult B) {
  return folded<arith::SubIOp>(*this, A, B, [](int64_t A, int64_t B) {
    int64_t Difference;
    bool Overflows = llvm::SubOverflow(A, B, Difference);
    return saturated(Overflows, Difference, A < 0);
  });
}
OpFoldResult Lowering::mul(OpFoldResult A, OpFoldResult B) {
  return folded<arith::MulIOp>(*this, A, B, [](int64_t A, int64_t B) {
    int64_t Product;
    bool Overflows = llvm::MulOverflow(A, B, Product);
    return saturated(Overflows, Product, (A < 0) != (B < 0));
  });
}
OpFoldResult Lowering::floorDiv(OpFoldResult A, OpFoldResult B) {
  return folded<arith::FloorDivSIOp>(*this, A, B,
                                     llvm::divideFloorSigned<int64_t, int64_t>);
}
OpFoldResult Lowering::ceilDiv(OpFoldResult A, OpFoldResult B) {
  return folded<arith::CeilDivSIOp>(*this, A, B,
                                    llvm::divideCeilSigned<int64_t, int64_t>);
}
OpFoldResult Lowering::min(OpFoldResult A, OpFoldResult B) {
  return folded<arith::MinSIOp>(
      *this, A, B, [](int64_t A, int64_t B) { return std::min(A, B); });
}
OpFoldResult Lowering::max(OpFoldResult A, OpFoldResult B) {
  return folded<arith::MaxSIOp>(
      *this, A, B, [](int64_t A, int64_t B) { return std::max(A, B); });
}

OpFoldResult Lowering::product(ArrayRef<OpFoldResult> Of) {
  OpFoldResult Result = extent(1);
  for (OpFoldResult Factor : Of)
    Result = mul(Result, Factor);
  return Result;
}

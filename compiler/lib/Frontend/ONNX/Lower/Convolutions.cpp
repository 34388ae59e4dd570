//===- Convolutions.cpp - Convolutions -----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Operators.h"
#include "Products.h"
#include "WindowGeometry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// The sum over windows
//===----------------------------------------------------------------------===//

namespace {
/// What a named operation of linalg is created from.
struct Named {
  Value X, W, Into;
  DenseIntElementsAttr Strides, Dilations;

  template <typename Op> Value create(Lowering &L) const {
    return Op::create(L.B, Into.getType(), ValueRange{X, W}, Into, Strides,
                      Dilations)
        .getResult(0);
  }
};
} // namespace

static DenseIntElementsAttr vectorOf(Lowering &L, ArrayRef<int64_t> Values) {
  return DenseIntElementsAttr::get(
      RankedTensorType::get(int64_t(Values.size()), L.B.getI64Type()), Values);
}

static Named named(Lowering &L, Value X, Value W, ArrayRef<Step> Steps,
                   ArrayRef<OpFoldResult> Of) {
  SmallVector<int64_t> Strides, Dilations;
  for (const Step &Each : Steps) {
    Strides.push_back(Each.Stride);
    Dilations.push_back(Each.Dilation);
  }
  Type Held = cast<RankedTensorType>(X.getType()).getElementType();
  return {X, W, L.filled(Of, L.number(Held, 0)), vectorOf(L, Strides),
          vectorOf(L, Dilations)};
}

/// Any form: `OfX`, `OfW` and `To` list the loops of the axes in front of the
/// spatial ones; behind the loops of the result are those of the sums, channels
/// first.
static Value general(Lowering &L, const Named &N, ArrayRef<Step> Steps,
                     ArrayRef<int> OfX, ArrayRef<int> OfW, int Front) {
  int Spatial = Steps.size(), Dims = Front + Spatial + 1 + Spatial;
  auto Dim = [&](int Index) { return L.B.getAffineDimExpr(Index); };
  auto Some = [&](ArrayRef<int> Of) {
    return llvm::map_to_vector(Of, [&](int Index) {
      return Dim(Index < 0 ? Front + Spatial : Index);
    });
  };
  SmallVector<AffineExpr> X = Some(OfX), W = Some(OfW), To;
  for (int Index = 0; Index < Front + Spatial; ++Index)
    To.push_back(Dim(Index));
  for (auto [Axis, Each] : llvm::enumerate(Steps)) {
    AffineExpr Inner = Dim(Front + Spatial + 1 + Axis);
    X.push_back(Dim(Front + Axis) * Each.Stride + Inner * Each.Dilation);
    W.push_back(Inner);
  }
  MLIRContext *Context = L.B.getContext();
  return L.contracted(N.X, N.W,
                      {AffineMap::get(Dims, 0, X, Context),
                       AffineMap::get(Dims, 0, W, Context),
                       AffineMap::get(Dims, 0, To, Context)},
                      L.extentsOf(N.Into));
}

static Value inOneGroup(Lowering &L, const Named &N, ArrayRef<Step> Steps) {
  switch (Steps.size()) {
  case 1:
    return N.create<linalg::Conv1DNcwFcwOp>(L);
  case 2:
    return N.create<linalg::Conv2DNchwFchwOp>(L);
  case 3:
    return N.create<linalg::Conv3DNcdhwFcdhwOp>(L);
  }
  return general(L, N, Steps, {0, -1}, {1, -1}, 2);
}

/// One channel a group, one result a channel: no sum over channels.
static Value channelByChannel(Lowering &L, const Named &N,
                              ArrayRef<Step> Steps) {
  switch (Steps.size()) {
  case 1:
    return N.create<linalg::DepthwiseConv1DNcwCwOp>(L);
  case 2:
    return N.create<linalg::DepthwiseConv2DNchwChwOp>(L);
  case 3:
    return N.create<linalg::DepthwiseConv3DNcdhwCdhwOp>(L);
  }
  llvm_unreachable("more axes take the general form");
}

FailureOr<Value>
tenon::frontend::convolutionOf(Lowering &L, Value X, Value W, int64_t Groups,
                               ArrayRef<Step> Steps,
                               ArrayRef<OpFoldResult> Spatial) {
  OpFoldResult Batch = L.extentOf(X, 0), Count = L.extentOf(W, 0);
  OpFoldResult Each = L.extentOf(W, 1), Group = L.extent(Groups);
  if (failed(L.agreed(L.extentOf(X, 1), L.mul(Each, Group),
                      "the channels of its input are not those of its weights, "
                      "times its groups")))
    return failure();
  Extents Of = {Batch, Count};
  llvm::append_range(Of, Spatial);
  if (Groups == 1)
    return inOneGroup(L, named(L, X, W, Steps, Of), Steps);
  if (getConstantIntValue(Each) == 1 && getConstantIntValue(Count) == Groups &&
      Steps.size() <= 3)
    return channelByChannel(L, named(L, X, L.merged(W, 0, 2), Steps, Of),
                            Steps);
  if (failed(L.agreed(L.mul(L.floorDiv(Count, Group), Group), Count,
                      "the outputs of its weights are no multiple of its "
                      "groups")))
    return failure();
  OpFoldResult Outputs = L.floorDiv(Count, Group);
  X = L.split(X, 1, {Group, Each});
  W = L.split(W, 0, {Group, Outputs});
  Of.insert(Of.begin() + 1, Group);
  Of[2] = Outputs;
  Named N = named(L, X, W, Steps, Of);
  Value Result = Steps.size() == 2
                     ? N.create<linalg::Conv2DNgchwGfchwOp>(L)
                     : general(L, N, Steps, {0, 1, -1}, {1, 2, -1}, 3);
  return L.merged(Result, 1, 2);
}

//===----------------------------------------------------------------------===//
// Conv
//===----------------------------------------------------------------------===//

FailureOr<Value> tenon::frontend::convolution(Lowering &L, Value X, Value W) {
  FailureOr<SmallVector<int64_t>> Kernel = kernelOf(L, W);
  FailureOr<int64_t> Groups = L.N.integer("group", 1);
  if (failed(Kernel) || failed(Groups))
    return failure();
  if (*Groups < 1)
    return L.error() << "group is " << *Groups << ", expected 1 or more";
  FailureOr<WindowAxes> Axes = readWindows(L, X, *Kernel);
  if (failed(Axes))
    return failure();
  SmallVector<Step> Steps;
  Extents Spatial;
  for (const WindowAxis &Axis : *Axes) {
    Steps.push_back({Axis.Stride, Axis.Dilation});
    Spatial.push_back(Axis.Out);
  }
  Type Held = cast<RankedTensorType>(X.getType()).getElementType();
  return convolutionOf(L, paddedFor(L, X, *Axes, L.number(Held, 0)), W, *Groups,
                       Steps, Spatial);
}

FailureOr<Value> tenon::frontend::biased(Lowering &L, Value X, int64_t Input) {
  if (!L.has(Input))
    return X;
  if (failed(L.checkRank(Input, 1)) ||
      failed(L.agreed(L.extentOf(X, 1), L.extentOf(L.in(Input).Tensor, 0),
                      "its bias has not one element for each output channel")))
    return failure();
  Value Bias = L.widened(L.in(Input));
  Extents Of = L.extentsOf(X);
  auto Held = cast<RankedTensorType>(X.getType()).getElementType();
  AffineMap Identity = L.B.getMultiDimIdentityMap(Of.size());
  return L.mapped({X, Bias}, {Identity, Identity.getSubMap({1})}, Of, Held,
                  [](OpBuilder &B, Location Loc, ValueRange E) -> Value {
                    if (isa<FloatType>(E[0].getType()))
                      return arith::AddFOp::create(B, Loc, E[0], E[1]);
                    return arith::AddIOp::create(B, Loc, E[0], E[1]);
                  });
}

LogicalResult tenon::frontend::defineBiased(Lowering &L, Value Result) {
  FailureOr<Value> Sum = biased(L, Result, 2);
  return failed(Sum) ? failure() : L.define(L.narrowed(*Sum, L.in(0).Element));
}

static LogicalResult lowerConv(Lowering &L) {
  FailureOr<Value> Result =
      convolution(L, L.widened(L.in(0)), L.widened(L.in(1)));
  return failed(Result) ? failure() : defineBiased(L, *Result);
}

ArrayRef<LoweredOperator> tenon::frontend::convolutionOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "Conv", 1, lowerConv},
      {"", "ConvTranspose", 1, lowerConvTranspose},
      {"", "DeformConv", 19, lowerDeformConv},
  };
  return Table;
}

//===- Pooling.cpp - Windows as one element each ----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Pooling.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tenon::frontend;

Value tenon::frontend::larger(OpBuilder &B, Location Loc, Value X, Value Y,
                              bool IsUnsigned) {
  if (isa<FloatType>(X.getType()))
    return arith::MaximumFOp::create(B, Loc, X, Y);
  if (IsUnsigned)
    return arith::MaxUIOp::create(B, Loc, X, Y);
  return arith::MaxSIOp::create(B, Loc, X, Y);
}

Value tenon::frontend::least(Lowering &L, Type Element) {
  Type Held = heldType(Element);
  if (auto Float = dyn_cast<FloatType>(Held))
    return L.number(Float, -std::numeric_limits<double>::infinity());
  if (Element.isUnsignedInteger())
    return L.integer(Held, 0);
  return L.B.create<arith::ConstantOp>(L.B.getIntegerAttr(
      Held, APInt::getSignedMinValue(Held.getIntOrFloatBitWidth())));
}

SmallVector<AffineMap> tenon::frontend::windowMaps(Lowering &L,
                                                   ArrayRef<WindowAxis> Axes) {
  int64_t Spatial = Axes.size(), Dims = 2 + 2 * Spatial;
  auto Dim = [&](int64_t Index) { return L.B.getAffineDimExpr(Index); };
  SmallVector<AffineExpr> From = {Dim(0), Dim(1)}, Inner, To(From);
  for (auto [Index, Axis] : llvm::enumerate(Axes)) {
    Inner.push_back(Dim(2 + Spatial + Index));
    To.push_back(Dim(2 + Index));
    From.push_back(Dim(2 + Index) * Axis.Stride + Inner.back() * Axis.Dilation);
  }
  MLIRContext *Context = L.B.getContext();
  return {AffineMap::get(Dims, 0, From, Context),
          AffineMap::get(Dims, 0, Inner, Context),
          AffineMap::get(Dims, 0, To, Context)};
}

Value tenon::frontend::windowShape(Lowering &L, ArrayRef<WindowAxis> Axes,
                                   Type Held) {
  Extents Of;
  for (const WindowAxis &Axis : Axes)
    Of.push_back(L.extent(Axis.Kernel));
  return L.empty(Of, Held);
}

Value tenon::frontend::pooled(Lowering &L, Value X, ArrayRef<WindowAxis> Axes,
                              Value Initial, Combine By, bool IsUnsigned) {
  Value Into = L.filled(windowedExtents(L, X, Axes), Initial);
  return L.accumulated({X, windowShape(L, Axes, Initial.getType())},
                       windowMaps(L, Axes), Into,
                       [&](OpBuilder &B, Location Loc, ValueRange E) {
                         return By(B, Loc, E[2], E[0], IsUnsigned);
                       });
}

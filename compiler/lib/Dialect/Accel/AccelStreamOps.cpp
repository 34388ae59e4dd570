//===- AccelStreamOps.cpp - Instructions as operations --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Dialect/Accel/Accel.h"

using namespace mlir;
using namespace tenon::accel;

LogicalResult StreamOp::verify() {
  Block &Body = getBody().front();
  if (Body.empty() || !isa<FinishOp>(Body.back()))
    return emitOpError("expected accel.finish as the last instruction");
  int64_t Layers = getLayers().size();
  for (Operation &Op : Body) {
    auto Layer = Op.getAttrOfType<IntegerAttr>("layer");
    if (!Layer || !isa<LoadOp, StoreOp, GemmOp, AluOp, SetOp, FinishOp>(Op))
      return Op.emitOpError("is no instruction");
    if (isa<FinishOp>(Op) && &Op != &Body.back())
      return Op.emitOpError("stands before the end of the stream");
    if (Layer.getInt() < 0 || (Layer.getInt() >= Layers && Layers > 0))
      return Op.emitOpError("names layer ")
             << Layer.getInt() << ", the stream has " << Layers;
  }
  return success();
}

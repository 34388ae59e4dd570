//===- UpgradeAttributes.cpp - Attributes that became inputs --------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// And attributes that are called or written otherwise now.
//
//===----------------------------------------------------------------------===//

#include "Upgrade.h"
#include "onnx/onnx_pb.h"

using namespace mlir;
using namespace tenon::frontend;
using namespace tenon::onnx;

/// A reduction, Squeeze or Unsqueeze.
LogicalResult tenon::frontend::upgradeAxes(Upgrade &U) {
  return U.integersToInput("axes", 1);
}

LogicalResult tenon::frontend::upgradeReshape(Upgrade &U) {
  U.drop({"consumed_inputs"});
  return U.integersToInput("shape", 1);
}

/// The first form had the second's input already, or the attribute.
LogicalResult tenon::frontend::upgradeSplit(Upgrade &U) {
  if (U.View.hasInput(1))
    return success();
  return U.integersToInput("split", 1);
}

LogicalResult tenon::frontend::upgradeTopK(Upgrade &U) {
  return U.integersToInput("k", 1);
}

LogicalResult tenon::frontend::upgradeSlice(Upgrade &U) {
  return success(succeeded(U.integersToInput("starts", 1)) &&
                 succeeded(U.integersToInput("ends", 2)) &&
                 succeeded(U.integersToInput("axes", 3)));
}

LogicalResult tenon::frontend::upgradeClip(Upgrade &U) {
  U.drop({"consumed_inputs"});
  return success(succeeded(U.realToInput("min", 1)) &&
                 succeeded(U.realToInput("max", 2)));
}

LogicalResult tenon::frontend::upgradePad2(Upgrade &U) {
  if (Attribute Pads = U.take("paddings"))
    U.set("pads", Pads);
  return success();
}

LogicalResult tenon::frontend::upgradePad11(Upgrade &U) {
  // The value first: it is the one that may not be known how to write.
  Attribute Value = U.Op.getNodeAttributes().get("value");
  auto Zero = dyn_cast_or_null<FloatAttr>(Value);
  if (Zero && Zero.getValue().isPosZero())
    U.take("value");
  else if (failed(U.realToInput("value", 2)))
    return failure();
  return U.integersToInput("pads", 1);
}

/// Inference alone is compiled: what said so is dropped.
LogicalResult tenon::frontend::upgradeDropout(Upgrade &U) {
  if (U.View.outputCount() != 1)
    return failure(); // the mask was not always of booleans
  U.drop({"is_test", "consumed_inputs"});
  return U.realToInput("ratio", 1);
}

LogicalResult tenon::frontend::upgradeScatter(Upgrade &U) {
  U.Op.setOpType("ScatterElements");
  return success();
}

/// The type's name became its number.
LogicalResult tenon::frontend::upgradeCast(Upgrade &U) {
  auto To = dyn_cast_or_null<StringAttr>(U.Op.getNodeAttributes().get("to"));
  ::onnx::TensorProto::DataType Type;
  if (!To || !::onnx::TensorProto::DataType_Parse(To.str(), &Type))
    return failure();
  U.set("to", U.B.getI64IntegerAttr(Type));
  return success();
}

/// Statistics of one value a channel, and those the node is given.
LogicalResult tenon::frontend::upgradeBatchNormalization(Upgrade &U) {
  auto Says = [&](StringRef Name, int64_t Default) {
    auto Held =
        dyn_cast_or_null<IntegerAttr>(U.Op.getNodeAttributes().get(Name));
    return Held ? Held.getInt() : Default;
  };
  if (U.View.outputCount() != 1 || Says("spatial", 1) != 1 ||
      Says("training_mode", 0) != 0)
    return failure();
  U.drop({"spatial", "is_test", "consumed_inputs"});
  return success();
}

//===- FixBatch.cpp - The batch of quantised networks ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "FixBatch.h"
#include "mlir/IR/Builders.h"
#include "tenon/Dialect/ONNX/Node.h"

using namespace mlir;
using namespace tenon;

/// Of those that integer clusters are formed around.
static bool isQuantised(onnx::NodeOp Op) {
  StringRef Name = Op.getOpType();
  return Name == "DequantizeLinear" || Name == "QuantizeLinear" ||
         Name.starts_with("QLinear") || Name.ends_with("Integer");
}

void tenon::frontend::fixBatch(onnx::GraphOp Graph) {
  bool HasQuantised = Graph
                          .walk([](onnx::NodeOp Op) {
                            return isQuantised(Op) ? WalkResult::interrupt()
                                                   : WalkResult::advance();
                          })
                          .wasInterrupted();
  if (!HasQuantised)
    return;
  for (BlockArgument Input : Graph.getBody().getArguments()) {
    auto Type = dyn_cast<RankedTensorType>(Input.getType());
    if (!Type || Type.getRank() == 0 || !Type.isDynamicDim(0))
      continue;
    StringRef Open = onnx::dimensionName(Type, 0);
    mlir::emitWarning(
        NameLoc::get(StringAttr::get(Graph.getContext(), onnx::nameOf(Input))))
        << "the batch '" << (Open.empty() ? "?" : Open) << "' of input '"
        << onnx::nameOf(Input) << "' is taken as 1";
    SmallVector<int64_t> Dims(Type.getShape());
    Dims[0] = 1;
    SmallVector<StringAttr> Names;
    for (int64_t Axis = 0; Axis < Type.getRank(); ++Axis)
      Names.push_back(StringAttr::get(
          Graph.getContext(), Axis ? onnx::dimensionName(Type, Axis) : ""));
    bool HasNames =
        llvm::any_of(Names, [](StringAttr Name) { return !Name.empty(); });
    Input.setType(RankedTensorType::get(
        Dims, Type.getElementType(),
        HasNames ? onnx::DimsAttr::get(Graph.getContext(), Names)
                 : Attribute()));
  }
}

//===- WatchTensors.cpp - Tensors that become outputs ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Quantization/WatchTensors.h"
#include "tenon/Quantization/Rewriting.h"

using namespace mlir;
using namespace tenon;
using namespace tenon::onnx;

void tenon::quantization::watchTensors(GraphOp Graph,
                                       const std::vector<std::string> &Names) {
  Rewriting R(Graph);
  auto Yield = cast<YieldOp>(Graph.getBody().front().getTerminator());
  SmallVector<Value> Values(Yield.getValues());
  SmallVector<Attribute> Called(Yield.getNames().getValue()),
      Types(Yield.getTypes().getValue());
  R.B.setInsertionPoint(Yield);
  for (const std::string &Name : Names) {
    Value Of = R.find(Name);
    Values.push_back(R.node("Identity", Of, Of.getType(), Name + "/watched"));
    Called.push_back(R.B.getStringAttr(nameOf(Values.back())));
    Types.push_back(TypeAttr::get(Of.getType()));
  }
  Yield.getValuesMutable().assign(Values);
  Yield.setNamesAttr(R.B.getArrayAttr(Called));
  Yield.setTypesAttr(R.B.getArrayAttr(Types));
}

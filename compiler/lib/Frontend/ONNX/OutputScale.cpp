//===- OutputScale.cpp - What the network's outputs mean ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "OutputScale.h"
#include "llvm/ADT/StringSwitch.h"

using namespace tenon::frontend;

/// Where an operator has the scale of its result, the zero point behind it.
static int scaleInput(llvm::StringRef Operator) {
  return llvm::StringSwitch<int>(Operator)
      .Case("QuantizeLinear", 1)
      .Cases({"QLinearConv", "QLinearMatMul"}, 6)
      .Default(-1);
}

static bool onlyMoves(llvm::StringRef Operator) {
  return llvm::StringSwitch<bool>(Operator)
      .Cases({"Reshape", "Flatten", "Transpose", "Squeeze", "Unsqueeze"}, true)
      .Default(false);
}

std::optional<OutputScale> tenon::frontend::outputScale(const Graph &Source,
                                                        llvm::StringRef Name) {
  // Nodes stand behind what they read, so one walk from the end finds the
  // chain.
  for (const Node &N : llvm::reverse(Source.nodes())) {
    if (N.Proto->output_size() == 0 || Name != N.Proto->output(0))
      continue;
    if (onlyMoves(N.Operator)) {
      Name = N.input(0);
      continue;
    }
    int At = scaleInput(N.Operator);
    auto Scale = Source.initializers().find(At < 0 ? "" : N.input(At));
    if (Scale == Source.initializers().end() || Scale->second.size() != 1)
      return std::nullopt;
    auto Zero = Source.initializers().find(N.input(At + 1));
    bool HasZero = Zero != Source.initializers().end() &&
                   Zero->second.size() == 1 && Zero->second.isInteger();
    return OutputScale{Scale->second.real(0),
                       HasZero ? Zero->second.integer(0) : 0};
  }
  return std::nullopt;
}

//===- Activations.cpp - Activations of com.microsoft ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "../Definitions.h"

using namespace mlir;
using namespace tenon::frontend;

static LogicalResult defineGelu(Definition &D) {
  D.write("y = Gelu (x)");
  return success();
}

static LogicalResult defineFastGelu(Definition &D) {
  std::string Biased = D.has("bias") ? D.let("Add (x, bias)") : "x";
  D.write("y = Gelu <approximate : string = \"tanh\"> (" + Biased + ")");
  return success();
}

static LogicalResult defineQuickGelu(Definition &D) {
  auto Alpha = D.N.real("alpha", 1.702);
  if (failed(Alpha))
    return failure();
  D.write("scaled = Mul (x, " + D.realLike(*Alpha, "x") + ")");
  D.write("gate = Sigmoid (scaled)");
  D.write("y = Mul (x, gate)");
  return success();
}

static LogicalResult defineBiasGelu(Definition &D) {
  D.write("biased = Add (x, bias)");
  D.write("y = Gelu (biased)");
  return success();
}

static LogicalResult defineBiasSplitGelu(Definition &D) {
  D.write("biased = Add (x, bias)");
  D.write("left, right = Split <axis : int = -1, num_outputs : int = 2> "
          "(biased)");
  D.write("gate = Gelu (right)");
  D.write("y = Mul (left, gate)");
  return success();
}

static LogicalResult defineBiasAdd(Definition &D) {
  D.write("biased = Add (x, bias)");
  D.write("y = Add (biased, skip)");
  return success();
}

/// The bias is added at the axes behind `axis`, or at those before it.
static LogicalResult defineBiasSoftmax(Definition &D) {
  auto Axis = D.N.integer("axis", 1);
  auto IsInner = D.N.integer("is_inner_broadcast", 1);
  RankedTensorType Type = D.type("x");
  if (failed(Axis) || failed(IsInner))
    return failure();
  if (!*IsInner)
    return D.error() << "is_inner_broadcast of 0 is not supported";
  if (!Type || *Axis < -Type.getRank() || *Axis >= Type.getRank())
    return D.error() << "axis " << *Axis
                     << " is outside of its input, or that has no known rank";
  D.write("biased = Add (x, bias)");
  int64_t At = *Axis < 0 ? *Axis + Type.getRank() : *Axis;
  D.write("shape = Shape (biased)");
  D.write("flat = Flatten <axis : int = " + llvm::Twine(At) + "> (biased)");
  D.write("rows = Softmax <axis : int = -1> (flat)");
  D.write("y = Reshape (rows, shape)");
  return success();
}

ArrayRef<DefinedOperator> tenon::frontend::activationDefinitions() {
  static constexpr DefinedOperator Table[] = {
      {"com.microsoft", "BiasAdd", "x bias skip", "y", defineBiasAdd},
      {"com.microsoft", "BiasGelu", "x bias", "y", defineBiasGelu},
      {"com.microsoft", "BiasSoftmax", "x bias", "y", defineBiasSoftmax},
      {"com.microsoft", "BiasSplitGelu", "x bias", "y", defineBiasSplitGelu},
      {"com.microsoft", "FastGelu", "x bias", "y", defineFastGelu},
      {"com.microsoft", "Gelu", "x", "y", defineGelu},
      {"com.microsoft", "QuickGelu", "x", "y", defineQuickGelu},
  };
  return Table;
}

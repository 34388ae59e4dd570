//===- Activations.cpp - Activation functions with parameters ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Formulas.h"
#include "Operators.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
struct Parameter {
  StringLiteral Name;
  double Default;
};

/// `Of` gets the inputs and the values of the parameters.
struct Activation {
  StringLiteral Name;
  int64_t Since;
  Scalar (*Of)(ArrayRef<Scalar> X, ArrayRef<double> P);
  Parameter Parameters[2] = {{"", 0}, {"", 0}};
};
} // namespace

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

static Scalar clampedToOne(Scalar X) {
  return max(min(X, X.number(1)), X.number(0));
}

static Scalar positive(Scalar X) { return max(X, X.number(0)); }
static Scalar negative(Scalar X) { return min(X, X.number(0)); }

static Scalar celu(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return positive(X[0]) + negative(P[0] * (exp(X[0] / P[0]) - 1.0));
}

static Scalar elu(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return choose(X[0] < 0.0, P[0] * (exp(X[0]) - 1.0), X[0]);
}

static Scalar hardSigmoid(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return clampedToOne(P[0] * X[0] + P[1]);
}

static Scalar hardSwish(ArrayRef<Scalar> X, ArrayRef<double>) {
  return X[0] * clampedToOne(X[0] / 6.0 + 0.5);
}

static Scalar leakyRelu(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return choose(X[0] < 0.0, P[0] * X[0], X[0]);
}

static Scalar mish(ArrayRef<Scalar> X, ArrayRef<double>) {
  return X[0] * tanh(softplus(X[0]));
}

static Scalar prelu(ArrayRef<Scalar> X, ArrayRef<double>) {
  return choose(X[0] < 0.0, X[1] * X[0], X[0]);
}

static Scalar selu(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return P[1] * choose(X[0] > 0.0, X[0], P[0] * (exp(X[0]) - 1.0));
}

/// Integers are compared with the parameters as they are, not rounded.
static Scalar shrink(ArrayRef<Scalar> X, ArrayRef<double> P) {
  Type Element = X[0].element();
  Scalar Of = X[0].isFloat() ? X[0] : X[0].as(X[0].builder().getF64Type());
  Scalar Shrunk =
      choose(Of < -P[1], Of + P[0], choose(Of > P[1], Of - P[0], Of.number(0)));
  return Shrunk.as(Element);
}

static Scalar softsign(ArrayRef<Scalar> X, ArrayRef<double>) {
  return X[0] / (1.0 + abs(X[0]));
}

static Scalar swish(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return X[0] * sigmoid(P[0] * X[0]);
}

static Scalar swiglu(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return swish(X, P) * X[1];
}

static Scalar thresholdedRelu(ArrayRef<Scalar> X, ArrayRef<double> P) {
  return choose(X[0] > P[0], X[0], X[0].number(0));
}

static constexpr Activation Activations[] = {
    {"Celu", 12, celu, {{"alpha", 1}, {"", 0}}},
    {"Elu", 6, elu, {{"alpha", 1}, {"", 0}}},
    {"HardSigmoid", 6, hardSigmoid, {{"alpha", 0.2f}, {"beta", 0.5}}},
    {"HardSwish", 14, hardSwish},
    {"LeakyRelu", 6, leakyRelu, {{"alpha", 0.01f}, {"", 0}}},
    {"Mish", 18, mish},
    {"PRelu", 7, prelu},
    {"Selu",
     6,
     selu,
     {{"alpha", 1.67326319217681884765625f},
      {"gamma", 1.05070102214813232421875f}}},
    {"Shrink", 9, shrink, {{"bias", 0}, {"lambd", 0.5}}},
    {"Softsign", 1, softsign},
    {"SwiGLU", 28, swiglu, {{"alpha", 1}, {"", 0}}},
    {"Swish", 24, swish, {{"alpha", 1}, {"", 0}}},
    {"ThresholdedRelu", 10, thresholdedRelu, {{"alpha", 1}, {"", 0}}},
};

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

static LogicalResult lowerActivation(Lowering &L) {
  const auto *Found = llvm::find_if(Activations, [&](const Activation &Each) {
    return Each.Name == L.N.operatorName();
  });
  SmallVector<double> Values;
  for (const Parameter &Each : Found->Parameters) {
    FailureOr<double> Value = L.N.real(Each.Name, Each.Default);
    if (failed(Value))
      return failure();
    Values.push_back(*Value);
  }
  return lowerFormula(L,
                      [&](ArrayRef<Scalar> X) { return Found->Of(X, Values); });
}

static LogicalResult lowerGelu(Lowering &L) {
  FailureOr<std::string> Approximate = L.N.string("approximate", "none");
  if (failed(Approximate))
    return failure();
  if (*Approximate != "none" && *Approximate != "tanh")
    return L.error() << "approximate is '" << *Approximate
                     << "', expected 'none' or 'tanh'";
  bool ByTanh = *Approximate == "tanh";
  return lowerFormula(L, [&](ArrayRef<Scalar> Inputs) {
    Scalar X = Inputs[0];
    if (!ByTanh)
      return 0.5 * X * (1.0 + (X * M_SQRT1_2).apply<math::ErfOp>());
    constexpr double Factor = M_2_SQRTPI * M_SQRT1_2; // the root of 2 / pi
    return 0.5 * X * (1.0 + tanh(Factor * (X + 0.044715 * (X * X * X))));
  });
}

ArrayRef<LoweredOperator> tenon::frontend::activationOperators() {
  static const auto Table = [] {
    SmallVector<LoweredOperator> Table = {{"", "Gelu", 20, lowerGelu}};
    for (const Activation &Each : Activations)
      Table.push_back({"", Each.Name, Each.Since, lowerActivation});
    return Table;
  }();
  return Table;
}

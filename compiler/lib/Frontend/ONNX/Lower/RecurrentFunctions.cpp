//===- RecurrentFunctions.cpp - Functions of recurrent layers ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "RecurrentFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

namespace {
/// Emits arithmetic on one element.
struct Element {
  OpBuilder &B;
  Location Loc;
  Type Of;

  Value number(double X) const {
    return arith::ConstantOp::create(B, Loc, FloatAttr::get(Of, X));
  }
  template <typename Op> Value make(ValueRange X) const {
    return Op::create(B, Loc, X);
  }
  Value add(Value X, Value Y) const { return make<arith::AddFOp>({X, Y}); }
  Value mul(Value X, Value Y) const { return make<arith::MulFOp>({X, Y}); }
  Value max(Value X, Value Y) const { return make<arith::MaximumFOp>({X, Y}); }
  Value min(Value X, Value Y) const { return make<arith::MinimumFOp>({X, Y}); }
  Value ifAtLeast(Value X, double Least, Value Then, Value Else) const {
    Value Is = arith::CmpFOp::create(B, Loc, arith::CmpFPredicate::OGE, X,
                                     number(Least));
    return arith::SelectOp::create(B, Loc, Is, Then, Else);
  }
};

using Emit = Value (*)(const Element &E, Value X, double Alpha, double Beta);
} // namespace

struct tenon::frontend::ActivationKind {
  llvm::StringLiteral Name;
  /// Which numbers it has, and what they are where the node does not say.
  std::optional<double> Alpha, Beta;
  Emit Compute;
};

Value tenon::frontend::logistic(OpBuilder &B, Location Loc, Value X) {
  Value One = arith::ConstantOp::create(B, Loc, FloatAttr::get(X.getType(), 1));
  Value Power = math::ExpOp::create(B, Loc, arith::NegFOp::create(B, Loc, X));
  return arith::DivFOp::create(B, Loc, One,
                               arith::AddFOp::create(B, Loc, One, Power));
}

static Value scaled(const Element &E, Value X, double Alpha, double Beta) {
  return E.add(E.mul(X, E.number(Alpha)), E.number(Beta));
}

static Value elu(const Element &E, Value X, double Alpha, double) {
  Value Below = E.mul(E.make<math::ExpM1Op>(X), E.number(Alpha));
  return E.ifAtLeast(X, 0, X, Below);
}

static Value hardSigmoid(const Element &E, Value X, double Alpha, double Beta) {
  return E.max(E.min(scaled(E, X, Alpha, Beta), E.number(1)), E.number(0));
}

static Value leakyRelu(const Element &E, Value X, double Alpha, double) {
  return E.ifAtLeast(X, 0, X, E.mul(X, E.number(Alpha)));
}

static Value relu(const Element &E, Value X, double, double) {
  return E.max(X, E.number(0));
}

static Value scaledTanh(const Element &E, Value X, double Alpha, double Beta) {
  return E.mul(E.make<math::TanhOp>(E.mul(X, E.number(Beta))), E.number(Alpha));
}

static Value sigmoid(const Element &E, Value X, double, double) {
  return logistic(E.B, E.Loc, X);
}

/// log(1 + exp(x)), written such that nothing overflows.
static Value softplus(const Element &E, Value X, double, double) {
  Value Size = E.make<math::AbsFOp>(X);
  Value Power = E.make<math::ExpOp>(E.make<arith::NegFOp>(Size));
  return E.add(E.max(X, E.number(0)), E.make<math::Log1pOp>(Power));
}

static Value softsign(const Element &E, Value X, double, double) {
  Value By = E.add(E.make<math::AbsFOp>(X), E.number(1));
  return E.make<arith::DivFOp>({X, By});
}

static Value tanhOf(const Element &E, Value X, double, double) {
  return E.make<math::TanhOp>(X);
}

static Value thresholdedRelu(const Element &E, Value X, double Alpha, double) {
  return E.ifAtLeast(X, Alpha, X, E.number(0));
}

static constexpr ActivationKind Kinds[] = {
    {"Affine", 1, 0, scaled},
    {"Elu", 1, std::nullopt, elu},
    {"HardSigmoid", 0.2, 0.5, hardSigmoid},
    {"LeakyRelu", 0.01, std::nullopt, leakyRelu},
    {"Relu", std::nullopt, std::nullopt, relu},
    {"ScaledTanh", 1, 1, scaledTanh},
    {"Sigmoid", std::nullopt, std::nullopt, sigmoid},
    {"Softplus", std::nullopt, std::nullopt, softplus},
    {"Softsign", std::nullopt, std::nullopt, softsign},
    {"Tanh", std::nullopt, std::nullopt, tanhOf},
    {"ThresholdedRelu", 1, std::nullopt, thresholdedRelu},
};

Value Activation::operator()(OpBuilder &B, Location Loc, Value X) const {
  Element E{B, Loc, X.getType()};
  if (Clip > 0)
    X = E.max(E.min(X, E.number(Clip)), E.number(-Clip));
  return Kind->Compute(E, X, Alpha, Beta);
}

FailureOr<SmallVector<Activation>>
tenon::frontend::readActivations(Lowering &L, ArrayRef<StringRef> Default,
                                 int64_t Directions) {
  SmallVector<std::string> Names;
  for (int64_t Each = 0; Each < Directions; ++Each)
    for (StringRef Name : Default)
      Names.push_back(Name.str());
  size_t Count = Names.size();
  auto Given = L.N.strings("activations", Names);
  auto Alphas = L.N.reals("activation_alpha", {});
  auto Betas = L.N.reals("activation_beta", {});
  FailureOr<double> Clip = L.N.real("clip", 0);
  if (failed(Given) || failed(Alphas) || failed(Betas) || failed(Clip))
    return failure();
  // A network that says it has one direction more may name what it needs.
  if (Given->size() < Count)
    return L.error() << "activations names " << Given->size()
                     << " functions, but the node needs " << Count;
  SmallVector<Activation> Result;
  size_t NextAlpha = 0, NextBeta = 0;
  // The numbers go to the functions that have one, in their order.
  auto Take = [](ArrayRef<double> From, size_t &Next,
                 std::optional<double> Else) {
    if (!Else)
      return 0.0;
    return Next < From.size() ? From[Next++] : *Else;
  };
  for (const std::string &Name : ArrayRef(*Given).take_front(Count)) {
    const auto *Kind = llvm::find_if(Kinds, [&](const ActivationKind &Each) {
      return Each.Name.equals_insensitive(Name);
    });
    if (Kind == std::end(Kinds))
      return L.error() << "the activation '" << Name
                       << "' is none that ONNX knows";
    double Alpha = Take(*Alphas, NextAlpha, Kind->Alpha);
    double Beta = Take(*Betas, NextBeta, Kind->Beta);
    Result.push_back({Kind, Alpha, Beta, *Clip});
  }
  return Result;
}

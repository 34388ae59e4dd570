//===- Quantizations.cpp - QuantizeLinear and DequantizeLinear -----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "Quantizations.h"
#include "../ElementTypes.h"
#include "Operators.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon::frontend;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Scalar tenon::frontend::quantizedElement(Scalar X, Scalar Scale,
                                         std::optional<Scalar> Zero,
                                         Type Precision, Type To,
                                         const Narrowing &How) {
  Type Wide = arithmeticType(Precision);
  auto Rounded = [&](Scalar Of) { return Of.as(Precision).as(Wide); };
  Scalar Quotient = Rounded(Rounded(X) / Rounded(Scale));
  OpBuilder &B = X.builder();
  if (isa<FloatType>(To)) {
    if (Zero)
      Quotient = Quotient + Zero->as(Wide);
    return X.of(Lowering::convertedElement(B, X.location(), Quotient.held(),
                                           Wide, To, How),
                To);
  }
  // Far outside of every type, and far inside of i32; NaN becomes the least.
  constexpr double Bound = 1 << 18;
  Scalar Whole = Quotient.apply<math::RoundEvenOp>();
  Whole = Whole.apply<arith::MaxNumFOp>(Whole.number(-Bound));
  Whole = Whole.apply<arith::MinNumFOp>(Whole.number(Bound));
  Type I32 = B.getI32Type();
  Scalar Sum =
      X.of(arith::FPToSIOp::create(B, X.location(), I32, Whole.held()), I32);
  if (Zero)
    Sum = Sum + Zero->as(I32);
  auto Edge = [&](bool IsHighest) {
    unsigned Width = To.getIntOrFloatBitWidth();
    if (To.isUnsignedInteger())
      return Sum.integer(IsHighest ? llvm::maxUIntN(Width) : 0);
    return Sum.integer(IsHighest ? llvm::maxIntN(Width) : llvm::minIntN(Width));
  };
  return max(min(Sum, Edge(/*IsHighest=*/true)), Edge(/*IsHighest=*/false))
      .as(To);
}

Scalar tenon::frontend::dequantizedElement(Scalar X, Scalar Scale,
                                           std::optional<Scalar> Zero,
                                           Type To) {
  Type F32 = X.builder().getF32Type();
  Type Exact = X.isFloat() ? F32 : Type(X.builder().getI32Type());
  Scalar Difference = X.as(Exact);
  if (Zero)
    Difference = Difference - Zero->as(Exact);
  return (Difference.as(F32) * Scale.as(F32)).as(To);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// The element type that an attribute names; null where it is absent or 0.
static FailureOr<Type> namedType(Lowering &L, StringRef Name) {
  FailureOr<int64_t> Number = L.N.integer(Name, 0);
  if (failed(Number))
    return failure();
  Type Result = elementType(L.B.getContext(), *Number);
  if (*Number != 0 && (!Result || !heldType(Result)))
    return L.error() << Name << " is " << describeElement(*Number)
                     << ", which is no type of numbers";
  return Result;
}

using ElementFormula = llvm::function_ref<Scalar(Scalar X, Scalar Scale,
                                                 std::optional<Scalar> Zero)>;

/// `Of` for each element, with its scale and zero point.
static LogicalResult lowerScaled(Lowering &L, Type To, ElementFormula Of) {
  auto Axis = L.N.integer("axis", 1), Block = L.N.integer("block_size", 0);
  if (failed(Axis) || failed(Block))
    return failure();
  if (*Block < 0)
    return L.error() << "block_size is " << *Block << ", expected at least 0";
  Value X = L.in(0).Tensor;
  SmallVector<Value> Tensors = {X};
  SmallVector<AffineMap> Maps = {L.B.getMultiDimIdentityMap(L.in(0).rank())};
  for (int64_t Index : {1, 2}) {
    if (!L.has(Index))
      continue;
    FailureOr<Followed> Scale = followScale(L, L.in(Index), X, *Axis, *Block);
    if (failed(Scale))
      return failure();
    Tensors.push_back(Scale->Tensor);
    Maps.push_back(Scale->Map);
  }
  Value Result =
      L.mapped(Tensors, Maps, L.extentsOf(X), heldType(To),
               [&](OpBuilder &B, Location Loc, ValueRange Held) {
                 std::optional<Scalar> Zero;
                 if (L.has(2))
                   Zero.emplace(B, Loc, Held[2], L.in(2).Element);
                 return Of(Scalar(B, Loc, Held[0], L.in(0).Element),
                           Scalar(B, Loc, Held[1], L.in(1).Element), Zero)
                     .held();
               });
  return L.define({Result, To});
}

static LogicalResult lowerQuantize(Lowering &L) {
  auto Named = namedType(L, "output_dtype"), Given = namedType(L, "precision");
  auto Saturates = L.N.integer("saturate", 1);
  if (failed(Named) || failed(Given) || failed(Saturates))
    return failure();
  Type To = *Named;
  if (L.has(2)) {
    if (To && To != L.in(2).Element)
      return L.error() << "output_dtype is " << describeType(To)
                       << ", but its zero point is "
                       << describeType(L.in(2).Element);
    To = L.in(2).Element;
  }
  if (!To)
    To = IntegerType::get(L.B.getContext(), 8, IntegerType::Unsigned);
  if (!isa<FloatType>(To) && To.getIntOrFloatBitWidth() > 16)
    return L.error() << "it quantises to " << describeType(To)
                     << ", expected integers of at most 16 bits or floats of "
                        "at most 8";
  Type Precision = *Given ? *Given : L.in(1).Element;
  // Scales that are powers of two, or integers, have no quotients themselves.
  auto Float = dyn_cast<FloatType>(Precision);
  if (!Float || Float.getWidth() < 16)
    Precision = L.B.getF32Type();
  Narrowing How;
  How.Saturates = *Saturates != 0;
  return lowerScaled(
      L, To, [&](Scalar X, Scalar Scale, std::optional<Scalar> Zero) {
        return quantizedElement(X, Scale, Zero, Precision, To, How);
      });
}

static LogicalResult lowerDequantize(Lowering &L) {
  FailureOr<Type> Named = namedType(L, "output_dtype");
  if (failed(Named))
    return failure();
  Type To = *Named ? *Named : L.in(1).Element;
  return lowerScaled(L, To,
                     [&](Scalar X, Scalar Scale, std::optional<Scalar> Zero) {
                       return dequantizedElement(X, Scale, Zero, To);
                     });
}

//===----------------------------------------------------------------------===//
// DynamicQuantizeLinear
//===----------------------------------------------------------------------===//

static LogicalResult lowerDynamicQuantize(Lowering &L) {
  const Plain &In = L.in(0);
  Type F32 = L.B.getF32Type();
  auto Byte = IntegerType::get(L.B.getContext(), 8, IntegerType::Unsigned);
  auto All = llvm::to_vector(llvm::seq<int64_t>(0, In.rank()));
  // The range has 0 in it.
  auto Extreme = [&](Scalar (*Combine)(Scalar, Scalar)) {
    return Plain{L.reduced(In.Tensor, All, /*Keeps=*/false, L.number(F32, 0),
                           [&](OpBuilder &B, Location Loc, ValueRange X) {
                             return Combine(Scalar(B, Loc, X[0], F32),
                                            Scalar(B, Loc, X[1], F32))
                                 .held();
                           }),
                 F32};
  };
  Plain Least = Extreme(min), Most = Extreme(max);
  auto Scale = computed(L, {Least, Most}, F32, [](ArrayRef<Scalar> X) {
    // All zeros: any scale does.
    return choose(X[0] == X[1], X[0].number(1), (X[1] - X[0]) / 255.0);
  });
  if (failed(Scale))
    return failure();
  auto Zero = computed(L, {Least, *Scale}, Byte, [](ArrayRef<Scalar> X) {
    Scalar At = -X[0] / X[1];
    return max(min(At, At.number(255)), At.number(0))
        .apply<math::RoundEvenOp>();
  });
  if (failed(Zero))
    return failure();
  AffineMap One = AffineMap::get(In.rank(), 0, {}, L.B.getContext());
  Value Result = L.mapped(
      {In.Tensor, Scale->Tensor, Zero->Tensor},
      {L.B.getMultiDimIdentityMap(In.rank()), One, One}, L.extentsOf(In.Tensor),
      heldType(Byte), [&](OpBuilder &B, Location Loc, ValueRange X) {
        return quantizedElement(Scalar(B, Loc, X[0], F32),
                                Scalar(B, Loc, X[1], F32),
                                Scalar(B, Loc, X[2], Byte), F32, Byte, {})
            .held();
      });
  return success(succeeded(L.define(0, Result, Byte)) &&
                 succeeded(L.define(1, Scale->Tensor, F32)) &&
                 succeeded(L.define(2, Zero->Tensor, Byte)));
}

ArrayRef<LoweredOperator> tenon::frontend::quantizationOperators() {
  static constexpr LoweredOperator Table[] = {
      {"", "DequantizeLinear", 10, lowerDequantize},
      {"", "DynamicQuantizeLinear", 11, lowerDynamicQuantize},
      {"", "QuantizeLinear", 10, lowerQuantize},
  };
  return Table;
}

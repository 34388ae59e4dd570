//===- ScalarBody.cpp - The body of an element-wise operation -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Floats of up to 32 bits are computed as doubles and rounded behind each
// operation: a double has more than twice their digits, so that sums, products,
// quotients and roots come out as if they had been rounded once (Figueroa, When
// is double rounding innocuous?, SIGNUM 1995).
//
//===----------------------------------------------------------------------===//

#include "ScalarBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace tenon;

static Scalar real(double Value) {
  Scalar Result;
  Result.Real = Value;
  return Result;
}

static Scalar integer(int64_t Value) {
  Scalar Result;
  Result.Integer = Value;
  return Result;
}

/// The bits of an integer of `Type` without a sign.
static uint64_t bits(Type Type, int64_t Value) {
  unsigned Width = Type.isIndex() ? 64 : Type.getIntOrFloatBitWidth();
  return uint64_t(Value) & llvm::maskTrailingOnes<uint64_t>(Width);
}

/// -0 is less than 0.
static bool isLess(double A, double B) {
  return A < B || (A == B && std::signbit(A) && !std::signbit(B));
}

static bool compare(arith::CmpFPredicate Predicate, double A, double B) {
  using P = arith::CmpFPredicate; // nothing is a NaN
  switch (Predicate) {
  case P::OEQ:
  case P::UEQ:
    return A == B;
  case P::ONE:
  case P::UNE:
    return A != B;
  case P::OLT:
  case P::ULT:
    return A < B;
  case P::OLE:
  case P::ULE:
    return A <= B;
  case P::OGT:
  case P::UGT:
    return A > B;
  case P::OGE:
  case P::UGE:
    return A >= B;
  case P::ORD:
  case P::AlwaysTrue:
    return true;
  case P::UNO:
  case P::AlwaysFalse:
    return false;
  }
  llvm_unreachable("all predicates are above");
}

ScalarBody::Formula ScalarBody::formulaOf(Operation *Op) {
  using In = const Scalar *;
  Type From = Op->getNumOperands() ? Op->getOperand(0).getType() : Type();
  return llvm::TypeSwitch<Operation *, Formula>(Op)
      .Case([](arith::AddFOp) {
        return [](In X) { return real(X[0].Real + X[1].Real); };
      })
      .Case([](arith::SubFOp) {
        return [](In X) { return real(X[0].Real - X[1].Real); };
      })
      .Case([](arith::MulFOp) {
        return [](In X) { return real(X[0].Real * X[1].Real); };
      })
      .Case([](arith::DivFOp) {
        return [](In X) { return real(X[0].Real / X[1].Real); };
      })
      .Case([](arith::NegFOp) { return [](In X) { return real(-X[0].Real); }; })
      .Case([](math::AbsFOp) {
        return [](In X) { return real(std::fabs(X[0].Real)); };
      })
      .Case([](math::SqrtOp) {
        return [](In X) { return real(std::sqrt(X[0].Real)); };
      })
      .Case([](arith::MaximumFOp) {
        return [](In X) { return isLess(X[0].Real, X[1].Real) ? X[1] : X[0]; };
      })
      .Case([](arith::MinimumFOp) {
        return [](In X) { return isLess(X[1].Real, X[0].Real) ? X[1] : X[0]; };
      })
      .Case<arith::ExtFOp, arith::TruncFOp>(
          [](auto) { return [](In X) { return X[0]; }; })
      .Case([](arith::CmpFOp Compare) {
        return [P = Compare.getPredicate()](In X) {
          return integer(compare(P, X[0].Real, X[1].Real));
        };
      })
      .Case([](arith::AddIOp) {
        return [](In X) {
          return integer(uint64_t(X[0].Integer) + uint64_t(X[1].Integer));
        };
      })
      .Case([](arith::SubIOp) {
        return [](In X) {
          return integer(uint64_t(X[0].Integer) - uint64_t(X[1].Integer));
        };
      })
      .Case([](arith::MulIOp) {
        return [](In X) {
          return integer(uint64_t(X[0].Integer) * uint64_t(X[1].Integer));
        };
      })
      .Case([](arith::AndIOp) {
        return [](In X) { return integer(X[0].Integer & X[1].Integer); };
      })
      .Case([](arith::OrIOp) {
        return [](In X) { return integer(X[0].Integer | X[1].Integer); };
      })
      .Case([](arith::XOrIOp) {
        return [](In X) { return integer(X[0].Integer ^ X[1].Integer); };
      })
      .Case([](arith::MaxSIOp) {
        return [](In X) { return X[0].Integer < X[1].Integer ? X[1] : X[0]; };
      })
      .Case([](arith::MinSIOp) {
        return [](In X) { return X[1].Integer < X[0].Integer ? X[1] : X[0]; };
      })
      .Case([From](arith::CmpIOp Compare) {
        return [P = Compare.getPredicate(), From](In X) {
          unsigned Width = From.isIndex() ? 64 : From.getIntOrFloatBitWidth();
          return integer(arith::applyCmpPredicate(
              P, APInt(Width, bits(From, X[0].Integer)),
              APInt(Width, bits(From, X[1].Integer))));
        };
      })
      .Case<arith::ExtSIOp, arith::TruncIOp, arith::IndexCastOp>(
          [](auto) { return [](In X) { return X[0]; }; })
      .Case([From](arith::ExtUIOp) {
        return [From](In X) { return integer(bits(From, X[0].Integer)); };
      })
      .Case([](arith::SelectOp) {
        return [](In X) { return X[0].Integer ? X[1] : X[2]; };
      })
      .Default([](Operation *) { return Formula(); });
}

unsigned ScalarBody::addRegister(Value V, DenseMap<Value, unsigned> &Of) {
  Registers.push_back({});
  Types.push_back(V.getType());
  return Of[V] = Registers.size() - 1;
}

/// A constant outside of the body gets a register of its own.
std::optional<unsigned> ScalarBody::registerOf(Value V,
                                               DenseMap<Value, unsigned> &Of) {
  if (auto Known = Of.find(V); Known != Of.end())
    return Known->second;
  Attribute Constant;
  if (!matchPattern(V, m_Constant(&Constant)))
    return std::nullopt;
  Scalar Value;
  if (auto Float = dyn_cast<FloatAttr>(Constant))
    Value = real(Float.getValueAsDouble());
  else if (auto Integer = dyn_cast<IntegerAttr>(Constant))
    Value = integer(Integer.getValue().getSExtValue());
  else
    return std::nullopt;
  unsigned Register = addRegister(V, Of);
  Registers[Register] = Value;
  return Register;
}

bool ScalarBody::addStep(Operation &Op, DenseMap<Value, unsigned> &Of) {
  if (Op.hasTrait<OpTrait::ConstantLike>())
    return registerOf(Op.getResult(0), Of).has_value();
  Step Next;
  if (auto Index = dyn_cast<linalg::IndexOp>(Op))
    Next.Loop = Index.getDim();
  else if (Next.Compute = formulaOf(&Op); !Next.Compute)
    return false;
  if (!ConstantTensor::holds(Op.getResult(0).getType()))
    return false;
  for (Value Operand : Op.getOperands()) {
    auto From = registerOf(Operand, Of);
    if (!From || !ConstantTensor::holds(Operand.getType()))
      return false;
    Next.From.push_back(*From);
  }
  StepResults.push_back(addRegister(Op.getResult(0), Of));
  Steps.push_back(std::move(Next));
  return true;
}

std::optional<ScalarBody> ScalarBody::read(Block &Body) {
  ScalarBody Result;
  DenseMap<Value, unsigned> Of;
  for (BlockArgument Argument : Body.getArguments())
    Result.addRegister(Argument, Of);
  Result.NumArguments = Result.Registers.size();
  for (Operation &Op : Body.without_terminator())
    if (Op.getNumResults() != 1 || !Result.addStep(Op, Of))
      return std::nullopt;
  for (Value Yielded : Body.getTerminator()->getOperands()) {
    auto Register = Result.registerOf(Yielded, Of);
    if (!Register)
      return std::nullopt;
    Result.Yielded.push_back(*Register);
  }
  return Result;
}

static bool isNaN(Type Type, Scalar Value) {
  return isa<FloatType>(Type) && std::isnan(Value.Real);
}

bool ScalarBody::compute(ArrayRef<Scalar> Arguments, ArrayRef<int64_t> Place,
                         MutableArrayRef<Scalar> Results) {
  llvm::copy(Arguments, Registers.begin());
  for (auto [Step, Result] : llvm::zip(Steps, StepResults)) {
    Scalar Operands[3];
    for (auto [I, From] : llvm::enumerate(Step.From)) {
      Operands[I] = Registers[From];
      if (isNaN(Types[From], Operands[I]))
        return false;
    }
    Scalar Value =
        Step.Loop ? integer(Place[*Step.Loop]) : Step.Compute(Operands);
    Registers[Result] = rounded(Types[Result], Value);
  }
  for (auto [Result, Register] : llvm::zip(Results, Yielded)) {
    Result = Registers[Register];
    if (isNaN(Types[Register], Result))
      return false;
  }
  return true;
}

std::optional<unsigned> ScalarBody::yieldedArgument() const {
  if (Yielded.size() == 1 && Yielded[0] < NumArguments)
    return Yielded[0];
  return std::nullopt;
}

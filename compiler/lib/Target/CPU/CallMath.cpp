//===- CallMath.cpp - Mathematics by the library of our own ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Runs on loops, where every operand is a scalar: transcendental functions
// become calls of Math/functions.h, and what works on floats of 16 bits works
// on 32, with each result rounded.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "Math/functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace {

struct CallMathPass : PassWrapper<CallMathPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CallMathPass)

  StringRef getArgument() const override { return "tenon-call-math"; }
  StringRef getDescription() const override {
    return "Call functions of the mathematics library, compute in 32 bits what "
           "is rounded to 16";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, func::FuncDialect>();
  }
  void runOnOperation() override;
};

} // namespace

static bool isSmallFloat(Type T) { return T.isF16() || T.isBF16(); }

/// Whether the operation computes in its operands' or its result's type, rather
/// than moving bits.
static bool computesInSmallFloats(Operation *Op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          Op->getDialect()) ||
      isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::BitcastOp,
          arith::SelectOp>(Op))
    return false;
  return llvm::any_of(Op->getOperandTypes(), isSmallFloat) ||
         llvm::any_of(Op->getResultTypes(), isSmallFloat);
}

/// The same operation on floats of 32 bits: sums, products, quotients and roots
/// of 11 bits are rounded as if from the exact value.
static void widen(Operation *Op) {
  OpBuilder B(Op);
  Type Wide = B.getF32Type();
  SmallVector<Value> Operands;
  for (Value V : Op->getOperands())
    Operands.push_back(
        isSmallFloat(V.getType())
            ? arith::ExtFOp::create(B, Op->getLoc(), Wide, V).getResult()
            : V);
  SmallVector<Type> Results;
  for (Type T : Op->getResultTypes())
    Results.push_back(isSmallFloat(T) ? Wide : T);
  Operation *New = B.create(Op->getLoc(), Op->getName().getIdentifier(),
                            Operands, Results, Op->getAttrs());
  for (auto [Old, V] : llvm::zip(Op->getResults(), New->getResults()))
    Old.replaceAllUsesWith(
        Old.getType() == V.getType()
            ? Value(V)
            : arith::TruncFOp::create(B, Op->getLoc(), Old.getType(), V)
                  .getResult());
  Op->erase();
}

/// The library's name of the operation's function; empty where it has none.
static StringRef functionOf(Operation *Op) {
#define TENON_NAME(name) #name,
  static const llvm::StringSet<> Functions = {
      TENON_UNARY_FUNCTIONS(TENON_NAME) TENON_BINARY_FUNCTIONS(TENON_NAME)};
#undef TENON_NAME
  if (isa<arith::RemFOp>(Op))
    return "fmod";
  if (isa<math::PowFOp>(Op))
    return "pow";
  StringRef Name = Op->getName().stripDialect();
  return isa_and_nonnull<math::MathDialect>(Op->getDialect()) &&
                 Functions.contains(Name)
             ? Name
             : "";
}

static void call(Operation *Op, StringRef Name, ModuleOp Module) {
  Type T = Op->getResult(0).getType();
  std::string Symbol = ("tenon_" + Name + (T.isF64() ? "_f64" : "_f32")).str();
  OpBuilder B(Op);
  auto Function = Module.lookupSymbol<func::FuncOp>(Symbol);
  if (!Function) {
    OpBuilder Top = OpBuilder::atBlockBegin(Module.getBody());
    Function =
        func::FuncOp::create(Top, Op->getLoc(), Symbol,
                             B.getFunctionType(Op->getOperandTypes(), {T}));
    Function.setPrivate();
  }
  Op->replaceAllUsesWith(
      func::CallOp::create(B, Op->getLoc(), Function, Op->getOperands()));
  Op->erase();
}

void CallMathPass::runOnOperation() {
  getOperation().walk([](Operation *Op) {
    if (computesInSmallFloats(Op))
      widen(Op);
  });
  getOperation().walk([&](Operation *Op) {
    StringRef Name = functionOf(Op);
    if (!Name.empty() &&
        isa<Float32Type, Float64Type>(Op->getResult(0).getType()))
      call(Op, Name, getOperation());
  });
}

std::unique_ptr<Pass> tenon::createCallMathPass() {
  return std::make_unique<CallMathPass>();
}

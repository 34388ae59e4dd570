//===- ContractProducts.cpp - Products that are added at once -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Half of a processor's floating-point rate is its fused multiplication and
// addition. Which products are added so decides bits, so that is said once, in
// front of all passes that differ between code for speed and its reference: in
// sums of products, matrix products and convolutions, and nowhere else. Hosts
// that have the instruction use it for all of these, others for none.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tenon;

namespace {

/// sum + x * w, of 32 bits: doubles are for what wants no shortcut.
struct Step {
  arith::AddFOp Add;
  arith::MulFOp Product;
};

} // namespace

static std::optional<Step> readStep(arith::AddFOp Add) {
  if (!Add.getType().isF32())
    return std::nullopt;
  auto Product = Add.getRhs().getDefiningOp<arith::MulFOp>();
  if (!Product)
    Product = Add.getLhs().getDefiningOp<arith::MulFOp>();
  return Product ? std::optional(Step{Add, Product}) : std::nullopt;
}

/// The step of an operation whose body is no more than one.
static std::optional<Step> stepOf(linalg::LinalgOp Op) {
  if (!Op.getNumReductionLoops() || Op.getNumDpsInits() != 1)
    return std::nullopt;
  auto Add = Op.getBlock()
                 ->getTerminator()
                 ->getOperand(0)
                 .getDefiningOp<arith::AddFOp>();
  auto S = Add ? readStep(Add) : std::nullopt;
  Value Sum = Op.getRegionOutputArgs()[0];
  if (!S || (Add.getLhs() != Sum && Add.getRhs() != Sum))
    return std::nullopt;
  return S;
}

namespace {

struct MarkContractionsPass
    : PassWrapper<MarkContractionsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkContractionsPass)

  StringRef getArgument() const override { return "tenon-mark-contractions"; }
  StringRef getDescription() const override {
    return "Say which products of floats may be added without being rounded";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, linalg::LinalgDialect>();
  }
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> Ops;
    getOperation().walk([&](linalg::LinalgOp Op) { Ops.push_back(Op); });
    IRRewriter Rewriter(&getContext());
    for (linalg::LinalgOp Op : Ops) {
      if (!stepOf(Op))
        continue;
      if (!llvm::isa<linalg::GenericOp>(Op.getOperation())) {
        Rewriter.setInsertionPoint(Op);
        auto General = linalg::generalizeNamedOp(Rewriter, Op);
        if (failed(General))
          continue;
        Op = cast<linalg::LinalgOp>(General->getOperation());
      }
      Step S = *stepOf(Op);
      S.Add.setFastmath(arith::FastMathFlags::contract);
      S.Product.setFastmath(arith::FastMathFlags::contract);
    }
  }
};

/// Behind all fusion: products may have become others' since.
struct ContractProductsPass
    : PassWrapper<ContractProductsPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ContractProductsPass)

  explicit ContractProductsPass(bool HasFma) : HasFma(HasFma) {}
  StringRef getArgument() const override { return "tenon-contract-products"; }
  StringRef getDescription() const override {
    return "Add marked products at once where the host has that";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<math::MathDialect>();
  }
  void runOnOperation() override {
    SmallVector<Step> Steps;
    getOperation().walk([&](arith::AddFOp Add) {
      if (Add.getFastmath() != arith::FastMathFlags::contract)
        return;
      auto S = readStep(Add);
      if (S && S->Product.getFastmath() == arith::FastMathFlags::contract)
        Steps.push_back(*S);
    });
    for (auto [Add, Product] : Steps) {
      if (HasFma) {
        OpBuilder B(Add);
        Value Sum =
            Add.getLhs() == Product.getResult() ? Add.getRhs() : Add.getLhs();
        Add.replaceAllUsesWith(math::FmaOp::create(B, Add.getLoc(),
                                                   Product.getLhs(),
                                                   Product.getRhs(), Sum)
                                   .getResult());
        Add.erase();
        if (Product.use_empty())
          Product.erase();
        continue;
      }
      Add.setFastmath(arith::FastMathFlags::none);
      Product.setFastmath(arith::FastMathFlags::none);
    }
  }

  bool HasFma;
};

} // namespace

std::unique_ptr<Pass> tenon::createMarkContractionsPass() {
  return std::make_unique<MarkContractionsPass>();
}

std::unique_ptr<Pass> tenon::createContractProductsPass(bool HasFma) {
  return std::make_unique<ContractProductsPass>(HasFma);
}

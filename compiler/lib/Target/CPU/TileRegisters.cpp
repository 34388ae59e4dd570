//===- TileRegisters.cpp - Tiles of results in vector registers ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// linalg.generic on buffers becomes loops over tiles of its results, as large
// as the registers hold: those of the first intrinsic that it is
// (Intrinsics/HostIntrinsic.h).
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "CollapseLoops.h"
#include "Intrinsics/HostIntrinsic.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tenon;

namespace {
struct TileRegistersPass
    : PassWrapper<TileRegistersPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileRegistersPass)

  TileRegistersPass(const RegisterFile &Registers) : Registers(Registers) {}
  TileRegistersPass(const TileRegistersPass &Other)
      : PassWrapper(Other), Registers(Other.Registers) {}
  StringRef getArgument() const override { return "tenon-tile-registers"; }
  StringRef getDescription() const override {
    return "Loops over tiles of results that stay in vector registers";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<affine::AffineDialect, arith::ArithDialect,
                    LLVM::LLVMDialect, memref::MemRefDialect, scf::SCFDialect,
                    vector::VectorDialect>();
  }
  LogicalResult initialize(MLIRContext *) override;
  void runOnOperation() override;

  RegisterFile Registers;
  Option<std::string> Host{
      *this, "host",
      llvm::cl::desc("whose registers they are (default: those given)")};
};
} // namespace

LogicalResult TileRegistersPass::initialize(MLIRContext *Context) {
  if (Host.empty())
    return success();
  const isa::HostTarget *Target = isa::findHostTarget(Host.getValue());
  if (!Target)
    return emitError(UnknownLoc::get(Context), "host '")
           << Host << "' is unknown";
  Registers = registersOf(*Target);
  return success();
}

/// Writes `Op`, or a share of it, where it is an intrinsic of the host.
static bool writeTiles(OpBuilder &B, linalg::GenericOp Op,
                       const RegisterFile &Registers,
                       const std::optional<Share> &S) {
  for (const HostIntrinsic &Intrinsic : hostIntrinsics()) {
    if (!Intrinsic.IsOn(Registers))
      continue;
    if (auto Loops = Intrinsic.Match(B, Op, Registers)) {
      Loops->write(S);
      // For who reads the IR: a loop nest is a function.
      Op->getParentOfType<func::FuncOp>()->setAttr(
          IntrinsicAttr, B.getStringAttr(Intrinsic.Name));
      return true;
    }
  }
  return false;
}

void TileRegistersPass::runOnOperation() {
  IRRewriter Rewriter(&getContext());
  SmallVector<linalg::LinalgOp> Ops;
  getOperation().walk([&](linalg::LinalgOp Op) { Ops.push_back(Op); });
  for (linalg::LinalgOp Op : Ops) {
    Rewriter.setInsertionPoint(Op);
    auto Generic = dyn_cast<linalg::GenericOp>(Op.getOperation());
    if (!Generic)
      if (auto General = linalg::generalizeNamedOp(Rewriter, Op);
          succeeded(General))
        Generic = *General;
    if (!Generic)
      continue;
    Generic = collapseLoops(Rewriter, Generic);
    std::optional<Share> S = shareOf(Generic);
    Rewriter.setInsertionPoint(Generic);
    if (writeTiles(Rewriter, Generic, Registers, S))
      Rewriter.eraseOp(Generic);
    else if (S)
      writeSharedLoops(Rewriter, Generic, *S);
  }
}

std::unique_ptr<Pass>
tenon::createTileRegistersPass(const RegisterFile &Registers) {
  return std::make_unique<TileRegistersPass>(Registers);
}

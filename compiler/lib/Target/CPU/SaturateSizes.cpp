//===- SaturateSizes.cpp - Sizes that no memory has -----------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The bytes of a buffer of dynamic size are a product of what the run brings,
// and a product that overflows would allocate less than loops write. They are
// computed here, and are UINT64_MAX where they have more than 64 bits: nobody
// gives so many (isa/host_abi.h). A negative extent is as good as one too many.
//
//===----------------------------------------------------------------------===//

#include "Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace {

struct SaturateSizesPass
    : PassWrapper<SaturateSizesPass, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SaturateSizesPass)

  StringRef getArgument() const override { return "tenon-saturate-sizes"; }
  StringRef getDescription() const override {
    return "Allocate buffers of dynamic size by bytes that do not overflow";
  }
  void getDependentDialects(DialectRegistry &Registry) const override {
    Registry.insert<arith::ArithDialect, LLVM::LLVMDialect,
                    memref::MemRefDialect>();
  }
  void runOnOperation() override;
};

} // namespace

/// Bytes of an element in memory; none of types that are no numbers.
static std::optional<int64_t> elementBytes(Type Element) {
  if (Element.isIndex())
    return 8;
  if (!Element.isIntOrFloat())
    return std::nullopt;
  return llvm::divideCeil(Element.getIntOrFloatBitWidth(), 8);
}

/// A * B of unsigned numbers, or the greatest one.
static Value saturatingProduct(ImplicitLocOpBuilder &B, Value X, Value Y) {
  auto Word = B.getI64Type();
  auto Pair =
      LLVM::LLVMStructType::getLiteral(B.getContext(), {Word, B.getI1Type()});
  Value Both = LLVM::UMulWithOverflowOp::create(B, Pair, X, Y);
  auto part = [&](int64_t At) {
    return LLVM::ExtractValueOp::create(B, Both, ArrayRef<int64_t>(At));
  };
  Value Most = arith::ConstantIntOp::create(B, Word, -1);
  return arith::SelectOp::create(B, part(1), Most, part(0));
}

static void saturate(memref::AllocOp Alloc, uint64_t Bytes) {
  MemRefType T = Alloc.getType();
  ImplicitLocOpBuilder B(Alloc.getLoc(), Alloc);
  for (int64_t Extent : T.getShape())
    if (!ShapedType::isDynamic(Extent))
      Bytes = llvm::SaturatingMultiply(Bytes, uint64_t(Extent));
  Value Product =
      arith::ConstantIntOp::create(B, B.getI64Type(), int64_t(Bytes));
  for (Value Extent : Alloc.getDynamicSizes())
    Product = saturatingProduct(
        B, Product, arith::IndexCastOp::create(B, B.getI64Type(), Extent));
  Value Size = arith::IndexCastOp::create(B, B.getIndexType(), Product);
  auto Raw = memref::AllocOp::create(
      B, MemRefType::get({ShapedType::kDynamic}, B.getI8Type()), Size);
  Value Begin = arith::ConstantIndexOp::create(B, 0);
  Alloc.replaceAllUsesWith(
      memref::ViewOp::create(B, T, Raw, Begin, Alloc.getDynamicSizes())
          .getResult());
  Alloc.erase();
}

void SaturateSizesPass::runOnOperation() {
  SmallVector<memref::AllocOp> Allocs;
  getOperation().walk([&](memref::AllocOp Alloc) {
    if (!Alloc.getDynamicSizes().empty())
      Allocs.push_back(Alloc);
  });
  for (memref::AllocOp Alloc : Allocs) {
    auto Bytes = elementBytes(Alloc.getType().getElementType());
    if (!Bytes || !Alloc.getType().getLayout().isIdentity()) {
      Alloc.emitOpError("is a buffer of dynamic size that is no dense array of "
                        "numbers");
      return signalPassFailure();
    }
    saturate(Alloc, *Bytes);
  }
}

std::unique_ptr<Pass> tenon::createSaturateSizesPass() {
  return std::make_unique<SaturateSizesPass>();
}

//===- VectorBody.cpp - Bodies on vectors ---------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "VectorBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

bool tenon::worksOnVectors(Operation &Op) {
  if (!isa_and_nonnull<arith::ArithDialect>(Op.getDialect()))
    return llvm::isa<linalg::YieldOp>(Op) ||
           (llvm::isa<math::FmaOp>(Op) && Op.getResultTypes().front().isF32());
  for (Type T :
       llvm::concat<const Type>(Op.getOperandTypes(), Op.getResultTypes()))
    if (!T.isF16() && !T.isF32() && !T.isF64() && !T.isSignlessInteger())
      return false;
  if (llvm::isa<arith::ExtFOp, arith::TruncFOp>(Op))
    return !Op.getOperand(0).getType().isF64() &&
           !Op.getResult(0).getType().isF64();
  return llvm::isa<
      arith::ConstantOp, arith::AddFOp, arith::SubFOp, arith::MulFOp,
      arith::DivFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
      arith::MaxNumFOp, arith::MinNumFOp, arith::CmpFOp, arith::AddIOp,
      arith::SubIOp, arith::MulIOp, arith::MulSIExtendedOp, arith::AndIOp,
      arith::OrIOp, arith::XOrIOp, arith::ShLIOp, arith::ShRSIOp,
      arith::ShRUIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
      arith::MinUIOp, arith::CmpIOp, arith::SelectOp, arith::ExtSIOp,
      arith::ExtUIOp, arith::TruncIOp>(Op);
}

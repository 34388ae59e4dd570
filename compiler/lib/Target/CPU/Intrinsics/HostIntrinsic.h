//===- HostIntrinsic.h - What hosts compute in tiles ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// An operation on buffers that a host has instructions for is declared as an
// intrinsic: the registers that it asks for, how an operation is recognised, by
// its indexing maps and its body, the tile of results that it takes, and what
// writes one. docs/extending.md adds one.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_INTRINSICS_HOSTINTRINSIC_H
#define TENON_LIB_TARGET_CPU_INTRINSICS_HOSTINTRINSIC_H

#include "TileLoops.h"

#include "../RegisterFile.h"

#include <memory>

namespace tenon {

/// On a function of one loop nest, once it is written: the intrinsic's name.
constexpr llvm::StringLiteral IntrinsicAttr = "tenon.intrinsic";

/// What writes the loops of `Op` at `B`, over tiles that fit `Registers`; null
/// where the operation is another, or better left to a later intrinsic.
using IntrinsicMatch =
    std::unique_ptr<TileLoops>(mlir::OpBuilder &B, mlir::linalg::GenericOp Op,
                               const RegisterFile &Registers);

struct HostIntrinsic {
  llvm::StringLiteral Name;
  /// Whether a host with such registers has it.
  bool (*IsOn)(const RegisterFile &Registers);
  IntrinsicMatch *Match;
};

/// All of them; the first that matches is taken.
llvm::ArrayRef<HostIntrinsic> hostIntrinsics();

/// 16 x 16 dot products of bytes in x86's tile registers.
IntrinsicMatch matchMatrices;
/// Dot products of bytes (DotProduct.h).
IntrinsicMatch matchDotProducts;
/// Sums of products of bytes by channel, over small windows.
IntrinsicMatch matchDepthwise;
/// The largest or least of dense rows.
IntrinsicMatch matchExtremum;
/// Any body, on vectors of neighbouring results or on single ones.
IntrinsicMatch matchAny;

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_INTRINSICS_HOSTINTRINSIC_H

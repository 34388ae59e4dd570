//===- RegisterFile.h - A host's vector registers ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TARGET_CPU_REGISTERFILE_H
#define TENON_LIB_TARGET_CPU_REGISTERFILE_H

#include "isa/host_target.h"

namespace tenon {

/// What multiplies bytes and adds neighbouring products.
enum class DotInstruction {
  None,
  Pairs,       ///< x86's pmaddwd, on two numbers of 16 bits
  Quads,       ///< x86's vpdpbusd, on four bytes, those of x without a sign
  SignedQuads, ///< Arm's sdot, on four bytes with signs
};

/// What a tile of results may take.
struct RegisterFile {
  unsigned VectorBits;   ///< of a register; what holds one element: no vectors
  unsigned Accumulators; ///< registers that a tile of results may take; the
                         ///< others are for its inputs
  unsigned Vectors;      ///< registers along a row of the tile
  DotInstruction Dot = DotInstruction::None;
  bool HasFma = false; ///< a product and a sum, rounded once
  /// Loads and stores of some elements of a vector.
  bool HasMasks = false;
  /// x86's tile registers, and tdpbssd on them: MatrixTile.cpp.
  bool HasMatrices = false;
};

RegisterFile registersOf(const isa::HostTarget &Target);

} // namespace tenon

#endif // TENON_LIB_TARGET_CPU_REGISTERFILE_H

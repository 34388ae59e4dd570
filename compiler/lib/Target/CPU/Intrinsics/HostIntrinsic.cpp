//===- HostIntrinsic.cpp - What hosts compute in tiles --------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "HostIntrinsic.h"

using namespace tenon;

static bool always(const RegisterFile &) { return true; }

static bool hasMatrices(const RegisterFile &Registers) {
  return Registers.HasMatrices;
}

static bool multipliesNeighbours(const RegisterFile &Registers) {
  return Registers.Dot != DotInstruction::None;
}

llvm::ArrayRef<HostIntrinsic> tenon::hostIntrinsics() {
  static constexpr HostIntrinsic Table[] = {
      {"matrices", hasMatrices, matchMatrices},
      {"dot-products", always, matchDotProducts},
      {"depthwise", multipliesNeighbours, matchDepthwise},
      {"extremum", always, matchExtremum},
      {"any", always, matchAny}};
  return Table;
}

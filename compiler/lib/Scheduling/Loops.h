//===- Loops.h - The two loops of an instruction ----------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0. Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_SCHEDULING_LOOPS_H
#define TENON_LIB_SCHEDULING_LOOPS_H

#include "isa/isa.h"
#include "tenon/Scheduling/Schedule.h"

namespace tenon::scheduling {

/// Two affine loops of an instruction around a rectangle of pixels.
struct Loops {
  uint32_t Outer = 1, Inner = 1;
  isa::MicroOp OuterStep, InnerStep;
};

template <typename Instruction>
inline void setLoops(Instruction &I, const Loops &Of) {
  I.outerCount = Of.Outer;
  I.innerCount = Of.Inner;
  if (Of.Outer > 1) {
    I.dstOuter = Of.OuterStep.dst;
    I.srcOuter = Of.OuterStep.src;
    I.thirdOuter = Of.OuterStep.third;
  }
  if (Of.Inner > 1) {
    I.dstInner = Of.InnerStep.dst;
    I.srcInner = Of.InnerStep.src;
    I.thirdInner = Of.InnerStep.third;
  }
}

/// Loops over the pixels of a tile: destinations are dense, sources have the
/// pitches of the loaded box. If the pixels need one loop only, the other one
/// runs over the output blocks and `CoversBlocks` is set.
inline Loops pixelLoops(const Tile &T, uint32_t RowPitch, uint32_t ColPitch,
                        isa::MicroOp BlockStep, bool &CoversBlocks) {
  Loops Result;
  bool Linear = T.Rows == 1 || T.Cols == 1 || RowPitch == T.Cols * ColPitch;
  CoversBlocks = Linear || T.Blocks == 1;
  if (!Linear) {
    Result.Outer = T.Rows, Result.Inner = T.Cols;
    Result.OuterStep = {T.Cols, RowPitch, 0};
    Result.InnerStep = {1, ColPitch, 0};
    return Result;
  }
  Result.Outer = T.Blocks;
  Result.OuterStep = BlockStep;
  Result.Inner = T.pixels();
  Result.InnerStep = {1, T.Cols == 1 ? RowPitch : ColPitch, 0};
  return Result;
}

} // namespace tenon::scheduling

#endif // TENON_LIB_SCHEDULING_LOOPS_H

//===- FieldLimits.h - What one instruction can say -------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The largest counts, strides and paddings of the fields that the lowering
// writes, from the encodings of a configuration.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_FIELDLIMITS_H
#define TENON_SCHEDULING_FIELDLIMITS_H

#include "isa/isa.h"

namespace tenon::scheduling {

struct FieldLimits {
  explicit FieldLimits(const isa::Layout &L);

  uint32_t Rows, Elements;           ///< of a LOAD or STORE
  uint64_t RowStride, ElementStride; ///< of a LOAD or STORE, in beats
  uint64_t DramBytes;                ///< that LOAD and STORE address
  uint32_t Padding;                  ///< on each side of a LOAD
  uint32_t Iterations;               ///< of each loop of GEMM and ALU
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_FIELDLIMITS_H

//===- FieldLimits.cpp - What one instruction can say ---------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tenon/Scheduling/FieldLimits.h"

#include "isa/field_limits.h"

#include <algorithm>
#include <initializer_list>

using namespace tenon;
using namespace tenon::scheduling;

/// What all the fields `Names` of all the formats hold.
static uint64_t largest(const isa::Layout &L,
                        std::initializer_list<const char *> Formats,
                        std::initializer_list<const char *> Names) {
  uint64_t Least = ~uint64_t(0);
  for (const char *Format : Formats)
    for (const char *Name : Names)
      Least = std::min(Least, isa::largestValue(L, Format, Name).value());
  return Least;
}

FieldLimits::FieldLimits(const isa::Layout &L)
    : Rows(largest(L, {"load", "store"}, {"y_size"})),
      Elements(largest(L, {"load", "store"}, {"x_size"})),
      RowStride(largest(L, {"load", "store"}, {"y_stride"})),
      ElementStride(largest(L, {"load", "store"}, {"x_stride"})),
      DramBytes((largest(L, {"load", "store"}, {"dram"}) + 1) * L.beatBytes),
      Padding(largest(L, {"load"},
                      {"pad_top", "pad_bottom", "pad_left", "pad_right"})),
      Iterations(largest(L, {"gemm", "alu"}, {"outer_count", "inner_count"})) {}

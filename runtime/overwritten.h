//===- runtime/overwritten.h - Which segments a run destroys ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_OVERWRITTEN_H
#define TENON_RUNTIME_OVERWRITTEN_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include <vector>

namespace tenon::runtime {

/// Indices of the segments of a valid program that some STORE or pack may write
/// into (zeros in the padding of regions that are used again, say); all others
/// hold their contents from run to run. All where an instruction cannot be
/// decoded.
std::vector<int> overwrittenSegments(const isa::Program &program,
                                     const isa::Layout &layout);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_OVERWRITTEN_H

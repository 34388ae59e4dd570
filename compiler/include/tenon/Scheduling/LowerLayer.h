//===- LowerLayer.h - A scheduled layer becomes instructions ----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_LOWERLAYER_H
#define TENON_SCHEDULING_LOWERLAYER_H

#include "tenon/Scheduling/Schedule.h"
#include "tenon/Scheduling/StreamBuilder.h"

#include "llvm/Support/Error.h"

namespace tenon::scheduling {

/// Appends the layer's steps, tile after tile, to the builder. The schedule
/// must have passed Tiling::check.
llvm::Error lowerLayer(StreamBuilder &Builder, const Layer &TheLayer,
                       const Schedule &S, uint32_t LayerIndex);

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_LOWERLAYER_H

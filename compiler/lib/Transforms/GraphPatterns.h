//===- GraphPatterns.h - Rewrites of the graph level ------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_GRAPHPATTERNS_H
#define TENON_LIB_TRANSFORMS_GRAPHPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// conv(flatten(image), 1x1 weights) == conv(image, weights in its order).
void populateFlattenIntoWeights(mlir::RewritePatternSet &Patterns);

/// rescale(reshape(x)) == reshape(rescale(x)), where the last axis is split.
void populateRescaleBeforeReshape(mlir::RewritePatternSet &Patterns);

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_GRAPHPATTERNS_H

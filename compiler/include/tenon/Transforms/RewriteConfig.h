//===- RewriteConfig.h - How patterns are applied ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_REWRITECONFIG_H
#define TENON_TRANSFORMS_REWRITECONFIG_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tenon {

/// Patterns for operations, not for control flow: before blocks are made there
/// are none to merge, and looking for them in the region of every operation
/// takes as long as the patterns.
inline mlir::GreedyRewriteConfig structuredRewrite() {
  return mlir::GreedyRewriteConfig().setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
}

} // namespace tenon

#endif // TENON_TRANSFORMS_REWRITECONFIG_H

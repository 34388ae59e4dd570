//===- RewriteConfig.h - How patterns are applied ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TRANSFORMS_REWRITECONFIG_H
#define TENON_TRANSFORMS_REWRITECONFIG_H

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include <memory>

namespace tenon {

/// Patterns for operations, not for control flow: before blocks are made there
/// are none to merge, and looking for them in the region of every operation
/// takes as long as the patterns.
inline mlir::GreedyRewriteConfig structuredRewrite() {
  return mlir::GreedyRewriteConfig().setRegionSimplificationLevel(
      mlir::GreedySimplifyRegionLevel::Disabled);
}

/// Upstream's canonicalisation, without the patterns
/// * that folds a padded tensor, inserted with a step, into what it is inserted
///   into: it adds the padding to the offset as if the step were 1;
/// * that cuts slices out of a concatenation's parts, where a convolution with
///   groups, whose input it is, would not be seen as one any more.
inline std::unique_ptr<mlir::Pass> createStructuredCanonicalizer() {
  return mlir::createCanonicalizerPass(
      structuredRewrite(),
      /*disabledPatterns=*/{"(anonymous namespace)::FoldInsertPadIntoFill",
                            "ConcatSliceOptimization"});
}

} // namespace tenon

#endif // TENON_TRANSFORMS_REWRITECONFIG_H

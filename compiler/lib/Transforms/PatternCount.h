//===- PatternCount.h - How often patterns were applied ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_LIB_TRANSFORMS_PATTERNCOUNT_H
#define TENON_LIB_TRANSFORMS_PATTERNCOUNT_H

#include "mlir/IR/PatternMatch.h"

namespace tenon {

/// Listens to a greedy rewrite, and counts the patterns that changed something.
class PatternCount : public mlir::RewriterBase::Listener {
public:
  void notifyPatternEnd(const mlir::Pattern &,
                        mlir::LogicalResult Status) override {
    Applied += succeeded(Status);
  }
  uint64_t applied() const { return Applied; }

private:
  uint64_t Applied = 0;
};

} // namespace tenon

#endif // TENON_LIB_TRANSFORMS_PATTERNCOUNT_H

// Part of Tenon, under the Apache License v2.0.
//
// One launch: what each of its instructions touches, in an order in which they
// can execute.

#ifndef TENON_ISA_VERIFIER_LAUNCH_H
#define TENON_ISA_VERIFIER_LAUNCH_H

#include "isa/verifier/findings.h"
#include "isa/verifier/operands.h"

namespace tenon::isa {

/// Contents of the scratchpads and of DRAM, over all launches.
struct Contents {
  Contents(const Layout &layout, const Program &program)
      : walker(layout, program), operands(layout) {}

  AccessWalker walker;
  Operands operands;
  /// Of the scratchpads; DRAM is the walker's.
  std::array<IntervalSet, spaceCount> written;
};

/// Adds what is wrong with the accesses of the instructions in order.sequence,
/// and leaves `contents` as the launch does. By token of the order: whether a
/// conflict needs it; without all the others the order would be as good.
std::vector<bool> verifyLaunch(const Layout &layout, const Launch &launch,
                               const Stream &stream, const Order &order,
                               Contents &contents, Findings &findings);

} // namespace tenon::isa

#endif // TENON_ISA_VERIFIER_LAUNCH_H

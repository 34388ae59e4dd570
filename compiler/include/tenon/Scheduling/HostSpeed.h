//===- HostSpeed.h - What cost models assume of the host --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_HOSTSPEED_H
#define TENON_SCHEDULING_HOSTSPEED_H

namespace tenon {

/// How fast the host beside the accelerator is; both are more than 0. The
/// default is the Arm core of a small FPGA at 650 MHz.
struct HostSpeed {
  /// Operations a millisecond: about three cycles for a multiply-accumulate
  /// with its loads.
  double OperationsPerMs = 2e5;
  /// Bytes a millisecond of packing into the blocked layout.
  double PackedBytesPerMs = 2e5;
};

/// Milliseconds to leave the accelerator and to come back: a launch with its
/// two cache flushes.
constexpr double LaunchMs = 0.05;

} // namespace tenon

#endif // TENON_SCHEDULING_HOSTSPEED_H

//===- HostSpeed.h - What cost models assume of the host --------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// The host is the Arm core beside the accelerator on a small FPGA: 650 MHz.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_HOSTSPEED_H
#define TENON_SCHEDULING_HOSTSPEED_H

namespace tenon {

/// Operations a millisecond: about three cycles for a multiply-accumulate with
/// its loads.
constexpr double HostOperationsPerMs = 2e5;
/// Bytes a millisecond of packing into the blocked layout.
constexpr double PackBytesPerMs = 2e5;

} // namespace tenon

#endif // TENON_SCHEDULING_HOSTSPEED_H

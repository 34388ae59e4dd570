//===- tools/tenon/host_peaks.h - What this machine does at most *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_HOST_PEAKS_H
#define TENON_TOOLS_TENON_HOST_PEAKS_H

#include "sim/trace/report.pb.h"

#include <algorithm>

namespace tenon::tools {

/// Measures it in the threads of the process's pool, a third of a second:
/// chains of multiplications and additions that stay in registers, with the
/// widest instructions of those that compiled code may use, and copies between
/// arrays of several sizes.
report::HostPeaks measureHostPeaks();

/// Milliseconds that operations and bytes take at least.
struct HostBound {
  double arithmeticMs = 0, memoryMs = 0;

  double ms() const { return std::max(arithmeticMs, memoryMs); }
};

/// With the bandwidth of the smallest memory that holds the bytes.
HostBound hostBound(const report::HostPeaks &peaks, double operations,
                    double bytes, bool multipliesBytes);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_HOST_PEAKS_H

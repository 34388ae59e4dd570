//===- sim/report/page.h - A run as one HTML file ---------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_PAGE_H
#define TENON_SIM_REPORT_PAGE_H

#include "sim/trace/trace.pb.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <string>

namespace tenon::sim {

/// A self-contained HTML page of one run or of two side by side; it opens
/// without a network. The traces must have been read or made.
absl::StatusOr<std::string>
reportPage(absl::Span<const trace::Trace *const> traces);

/// `text` with &, <, >, " and ' as entities.
} // namespace tenon::sim

#endif // TENON_SIM_REPORT_PAGE_H

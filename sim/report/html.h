//===- sim/report/html.h - Pages of embedded files --------------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SIM_REPORT_HTML_H
#define TENON_SIM_REPORT_HTML_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message.h"

#include <string>
#include <vector>

namespace tenon::sim {

/// A file that the program carries.
struct Asset {
  std::string path; // "report.html", "timeline.js", ...
  std::string text;
};

/// One file of `assets`: the .html among them with the .css as {{style}}, all
/// others in their order as {{scripts}}, and {{data}}: JSON, gzip, base64.
absl::StatusOr<std::string> fillPage(const std::vector<Asset> &assets,
                                     absl::string_view title,
                                     const google::protobuf::Message &data);

std::string escapeHtml(absl::string_view text);

} // namespace tenon::sim

#endif // TENON_SIM_REPORT_HTML_H

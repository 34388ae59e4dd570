// Part of Tenon, under the Apache License v2.0.
//
// Traces: the compressed file, and bytes that are no gzip stream as the message
// inside of one. What is read becomes a page, a Perfetto trace and a
// comparison.

#include "sim/report/comparison.h"
#include "sim/report/page.h"
#include "sim/report/perfetto.h"
#include "sim/trace/trace_file.h"
#include "tests/fuzz/input/target.h"

#include "absl/strings/match.h"
#include "google/protobuf/io/gzip_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"

#include <algorithm>
#include <vector>

namespace tenon::fuzz {
namespace {

std::string zipped(absl::string_view bytes) {
  std::string result;
  google::protobuf::io::StringOutputStream to(&result);
  google::protobuf::io::GzipOutputStream zip(&to);
  void *room;
  int size;
  while (!bytes.empty() && zip.Next(&room, &size)) {
    size_t count = std::min(bytes.size(), size_t(size));
    std::copy_n(bytes.data(), count, static_cast<char *>(room));
    zip.BackUp(size - int(count));
    bytes.remove_prefix(count);
  }
  zip.Close();
  return result;
}

} // namespace

absl::Status trace(absl::string_view input) {
  std::string file;
  if (!absl::StartsWith(input, "\x1f\x8b")) {
    file = zipped(input);
    input = file;
  }
  auto trace = sim::parseTrace(input, "input");
  if (!trace.ok())
    return trace.status();
  std::vector<const tenon::trace::Trace *> two = {&*trace, &*trace};
  checkError(sim::reportPage(two).status());
  checkError(sim::perfettoTrace(two).status());
  sim::comparisonText(sim::compareReports(trace->report(), trace->report()));
  return absl::OkStatus();
}

} // namespace tenon::fuzz

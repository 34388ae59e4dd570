// Part of Tenon, under the Apache License v2.0.
//
// Bytes from a serial line, where anything may hang at the other end: what is
// taken for a response is one by the specification (hw/bridge/README.md),
// however the bytes come in pieces.

#include "runtime/fpga/frames.h"
#include "tests/fuzz/input/target.h"

#include <algorithm>

namespace tenon::fuzz {
namespace {

std::vector<std::vector<uint8_t>> responses(absl::Span<const uint8_t> bytes,
                                            size_t piece, uint64_t &skipped) {
  runtime::ResponseDecoder decoder;
  std::vector<std::vector<uint8_t>> found;
  for (size_t at = 0; at < bytes.size(); at += piece) {
    decoder.push(bytes.subspan(at, piece));
    while (auto response = decoder.next()) {
      if (response->payload.size() > runtime::mostPayloadBytes)
        broken("a response longer than the protocol has");
      if (auto hello = runtime::parseHello(response->payload);
          hello && runtime::encode(*hello).size() != response->payload.size())
        broken("an answer to HELLO of another size");
      found.push_back(runtime::encode(*response));
    }
  }
  skipped = decoder.skippedBytes();
  return found;
}

} // namespace

absl::Status frames(absl::string_view input) {
  const absl::Span<const uint8_t> bytes(
      reinterpret_cast<const uint8_t *>(input.data()), input.size());
  uint64_t skipped = 0, skippedBytewise = 0;
  const auto whole =
      responses(bytes, std::max<size_t>(1, bytes.size()), skipped);
  if (whole != responses(bytes, 1, skippedBytewise) ||
      skipped != skippedBytewise)
    broken("what is found depends on the pieces that bytes come in");
  // Each stands in the stream as it is encoded, in this order.
  auto from = bytes.begin();
  uint64_t taken = 0;
  for (const std::vector<uint8_t> &frame : whole) {
    from = std::search(from, bytes.end(), frame.begin(), frame.end());
    if (from == bytes.end())
      broken("a response that was not sent");
    from += std::ptrdiff_t(frame.size());
    taken += frame.size();
  }
  if (taken + skipped > bytes.size())
    broken("more bytes are taken and skipped than came");
  return whole.empty() ? absl::InvalidArgumentError("no response")
                       : absl::OkStatus();
}

} // namespace tenon::fuzz

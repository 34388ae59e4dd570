// Part of Tenon, under the Apache License v2.0.

#include "tests/fuzz/input/target.h"

#include "isa/isa.h"

#include <cstdio>
#include <cstdlib>

namespace tenon::fuzz {

void broken(absl::string_view what) {
  std::fprintf(stderr, "broken promise: %.*s\n", int(what.size()), what.data());
  std::abort();
}

void checkError(const absl::Status &status) {
  if (status.ok())
    return;
  if (status.message().empty())
    broken("an error has no message");
  if (status.code() == absl::StatusCode::kInternal ||
      status.code() == absl::StatusCode::kUnknown)
    broken("input is called a defect of Tenon's: " + status.ToString());
}

std::string containerOf(absl::string_view payload) {
  // Format: isa/program.h. The checksum is FNV-1a.
  uint64_t checksum = 0xcbf29ce484222325;
  for (char byte : payload)
    checksum = (checksum ^ uint8_t(byte)) * 0x100000001b3;
  std::string result("\x89TENON\r\n", 8);
  auto put = [&](uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i)
      result += char(value >> 8 * i);
  };
  put(isa::isaVersion, 4);
  put(0, 4);
  put(payload.size(), 8);
  put(checksum, 8);
  return result.append(payload.data(), payload.size());
}

} // namespace tenon::fuzz

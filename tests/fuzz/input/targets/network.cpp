// Part of Tenon, under the Apache License v2.0.
//
// ONNX as for the target `onnx`, and what the compiler makes of it.

#include "tests/fuzz/input/lower.h"
#include "tests/fuzz/input/target.h"

namespace tenon::fuzz {

absl::Status network(absl::string_view input) {
  return lower(
      [&](mlir::MLIRContext &context) { return importOnnx(input, context); });
}

} // namespace tenon::fuzz

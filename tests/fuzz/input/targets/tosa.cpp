// Part of Tenon, under the Apache License v2.0.
//
// TOSA as text or bytecode, as the compiler loads it, and what it makes of it.

#include "tenon/Frontend/ONNX/ImportModel.h"
#include "tests/fuzz/input/lower.h"
#include "tests/fuzz/input/target.h"

namespace tenon::fuzz {

absl::Status tosa(absl::string_view input) {
  return lower([&](mlir::MLIRContext &context) {
    return parseTosa({input.data(), input.size()}, "input", context);
  });
}

} // namespace tenon::fuzz

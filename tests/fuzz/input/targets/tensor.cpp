// Part of Tenon, under the Apache License v2.0.
//
// ONNX TensorProto files. What is read must be written and read as the same.

#include "tests/fuzz/input/target.h"
#include "tools/tenon/tensor_proto.h"

namespace tenon::fuzz {

absl::Status tensor(absl::string_view input) {
  auto read = tools::parseTensorProto(input, "input");
  if (!read.ok())
    return read.status();
  auto again =
      tools::parseTensorProto(tools::toTensorProto(*read, "x"), "written");
  if (!again.ok() || again->shape != read->shape || again->type != read->type ||
      again->bytes != read->bytes)
    broken("a tensor is not read as it was written");
  return absl::OkStatus();
}

} // namespace tenon::fuzz

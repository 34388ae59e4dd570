//===- tools/tenon/tensor_proto.h - ONNX's tensor files ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Files pack elements of fewer than eight bits, the first in the lowest bits;
// arrays have them one a byte.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_TENSOR_PROTO_H
#define TENON_TOOLS_TENON_TENSOR_PROTO_H

#include "runtime/tensor.h"

#include <string>

namespace tenon::tools {

/// An ONNX TensorProto file.
absl::StatusOr<runtime::Array> readTensorProto(const std::string &path);

/// The same on the file's bytes; errors name `path`.
absl::StatusOr<runtime::Array> parseTensorProto(absl::string_view file,
                                                absl::string_view path);

/// `array` as a serialised ONNX TensorProto named `name`.
std::string toTensorProto(const runtime::Array &array, const std::string &name);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_TENSOR_PROTO_H

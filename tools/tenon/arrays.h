//===- tools/tenon/arrays.h - Arrays from and to files ----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Inputs come as .npy, as ONNX TensorProto (.pb) or as a picture; outputs go
// out as .npy and .pb.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_ARRAYS_H
#define TENON_TOOLS_TENON_ARRAYS_H

#include "runtime/tensor.h"

#include <string>

namespace tenon::tools {

/// How a picture becomes a network's input: value = (pixel - mean) / std for
/// pixels 0..255, one mean and std a colour or one for all, then rounded and
/// saturated where the input is an integer. The picture is resized to the
/// input's height and width.
struct Preprocess {
  std::vector<float> mean = {0};
  std::vector<float> std = {1};
  bool bgr = false;

  /// From text "mean=128" or "mean=103.9/116.8/123.7,std=1,color=bgr"; an error
  /// names the key.
  static absl::StatusOr<Preprocess> parse(absl::string_view text);
};

/// Reads the file for the input described by `buffer`, by its ending.
absl::StatusOr<runtime::Array> readInput(const std::string &path,
                                         const isa::Buffer &buffer,
                                         const Preprocess &preprocess);

/// Whether `path` is a picture by its ending, which readInput makes values of.
bool isPicture(absl::string_view path);

/// Whether readInput knows the ending of `path`.
bool isInputFile(absl::string_view path);

/// Values for every input of `program`, equal for equal seeds; floats lie in
/// [-1, 1), integers take every value.
std::vector<runtime::Array> randomInputs(const isa::Program &program,
                                         uint64_t seed);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_ARRAYS_H

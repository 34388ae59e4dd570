//===- tools/tenon/picture.h - Pictures as network inputs -------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_TOOLS_TENON_PICTURE_H
#define TENON_TOOLS_TENON_PICTURE_H

#include "tools/tenon/arrays.h"

namespace tenon::tools {

/// More pixels than any camera's; what a small file can ask for is more.
constexpr int64_t defaultMostPixels = int64_t{1} << 26;

/// Reads a picture (PNG, JPEG or BMP) for an input of shape 1xCxHxW or 1xHxWxC
/// with C = 1 or 3.
absl::StatusOr<runtime::Array> readPicture(const std::string &path,
                                           const isa::Buffer &buffer,
                                           const Preprocess &preprocess);

/// The same on the file's bytes; errors name `path`. More than `mostPixels` are
/// refused before they are decoded.
absl::StatusOr<runtime::Array>
decodePicture(absl::string_view file, absl::string_view path,
              const isa::Buffer &buffer, const Preprocess &preprocess,
              int64_t mostPixels = defaultMostPixels);

/// An array of uint8 in the input's shape as if it were a picture: its values.
absl::StatusOr<runtime::Array> preprocessPixels(const runtime::Array &pixels,
                                                const isa::Buffer &buffer,
                                                const Preprocess &preprocess);

} // namespace tenon::tools

#endif // TENON_TOOLS_TENON_PICTURE_H

//===- runtime/tensor.h - Arrays and their blocked form ---------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Dense row-major host arrays, and the accelerator's blocked layout
// [N/BATCH][C/M][H][W][M/B][BATCH][B] of logical NHWC int8 tensors.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_TENSOR_H
#define TENON_RUNTIME_TENSOR_H

#include "isa/blocked_layout.h"
#include "isa/element_type.h"
#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tenon::runtime {

using Shape = std::vector<int64_t>;

/// A dense row-major array in host memory.
struct Array {
  isa::ElementType type = isa::ELEMENT_TYPE_UNSPECIFIED;
  Shape shape;
  std::vector<uint8_t> bytes;
};

using isa::elementBytes;
using isa::elementName;
int64_t elementCount(absl::Span<const int64_t> shape);
/// "1x3x32x32"
std::string shapeText(absl::Span<const int64_t> shape);
/// Element `index` of an array as a number (runtime/element_value.cpp); a bool
/// is 0 or 1, a 64-bit integer is rounded.
double valueAt(const Array &array, int64_t index);
/// |a[index] - b[index]| of two arrays of one type, 0 only where they are equal
/// or both NaN: integers are rounded after they were subtracted.
double distanceAt(const Array &a, const Array &b, int64_t index);
/// Whether element `i` is greater than element `j`, of integers without
/// rounding; a number is greater than a NaN.
bool isGreater(const Array &array, int64_t i, int64_t j);
/// InvalidArgument where one of `count` elements at `data` is no value of the
/// type, as a bool of 2: host code relies on it.
absl::Status checkElements(isa::ElementType type, const void *data,
                           int64_t count);

/// `array` with axis i taken from axis permutation[i]; an empty permutation
/// changes nothing. The permutation is one of the array's axes.
Array permute(const Array &array, absl::Span<const int64_t> permutation);

/// Packs an NHWC tensor into the blocked layout and back.
class BlockedLayout {
public:
  /// `nhwc`: four positive extents.
  BlockedLayout(const isa::Layout &layout, absl::Span<const int64_t> nhwc);

  /// Bytes with the padding of batch and channel blocks.
  uint64_t bytes() const;
  /// Offset of element (n, h, w, c).
  uint64_t offset(int64_t n, int64_t h, int64_t w, int64_t c) const;

  /// Dense NHWC int8 to blocked; padding becomes 0.
  std::vector<uint8_t> block(absl::Span<const uint8_t> dense) const;
  /// Blocked to dense NHWC.
  std::vector<uint8_t> dense(absl::Span<const uint8_t> blocked) const;

private:
  isa::BlockedLayout blocked;
  int64_t extentN, extentH, extentW, extentC;
  int64_t batch, blockMax, blockMin;
};

/// Adds `offset` to every byte, modulo 256.
void addOffset(std::vector<uint8_t> &bytes, int32_t offset);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_TENSOR_H

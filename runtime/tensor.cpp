//===- runtime/tensor.cpp - Arrays and their blocked form -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/tensor.h"

#include "absl/strings/str_join.h"

#include <cstring>

namespace tenon::runtime {

int64_t elementCount(absl::Span<const int64_t> shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string shapeText(absl::Span<const int64_t> shape) {
  return shape.empty() ? "scalar" : absl::StrJoin(shape, "x");
}

Array permute(const Array &array, absl::Span<const int64_t> permutation) {
  if (permutation.empty())
    return array;
  size_t rank = array.shape.size();
  Shape strides(rank, 1);
  for (size_t i = rank; i-- > 1;)
    strides[i - 1] = strides[i] * array.shape[i];
  Array result{array.type, Shape(rank), {}};
  Shape step(rank);
  for (size_t i = 0; i < rank; ++i) {
    result.shape[i] = array.shape[permutation[i]];
    step[i] = strides[permutation[i]];
  }
  unsigned width = elementBytes(array.type);
  result.bytes.resize(array.bytes.size());
  Shape index(rank, 0);
  int64_t from = 0;
  for (int64_t to = 0, n = elementCount(array.shape); to < n; ++to) {
    std::memcpy(&result.bytes[to * width], &array.bytes[from * width], width);
    for (size_t axis = rank; axis-- > 0;) {
      from += step[axis];
      if (++index[axis] < result.shape[axis])
        break;
      from -= step[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return result;
}

BlockedLayout::BlockedLayout(const isa::Layout &layout,
                             absl::Span<const int64_t> nhwc)
    : blocked(layout), extentN(nhwc[0]), extentH(nhwc[1]), extentW(nhwc[2]),
      extentC(nhwc[3]), batch(layout.config.batch()), blockMax(layout.blockMax),
      blockMin(layout.blockMin) {}

uint64_t BlockedLayout::bytes() const {
  return blocked.tensorBytes(extentN, extentH, extentW, extentC);
}

uint64_t BlockedLayout::offset(int64_t n, int64_t h, int64_t w,
                               int64_t c) const {
  uint64_t plane = n / batch * blocked.blocks(extentC) + c / blockMax;
  uint64_t pixel = (plane * extentH + h) * extentW + w;
  return pixel * blocked.pixelBytes() + blocked.withinPixel(n, c);
}

std::vector<uint8_t>
BlockedLayout::block(absl::Span<const uint8_t> dense) const {
  std::vector<uint8_t> result(bytes(), 0);
  const uint8_t *from = dense.data();
  for (int64_t n = 0; n < extentN; ++n)
    for (int64_t h = 0; h < extentH; ++h)
      for (int64_t w = 0; w < extentW; ++w)
        for (int64_t c = 0; c < extentC; c += blockMin) {
          int64_t run = std::min(blockMin, extentC - c);
          std::memcpy(&result[offset(n, h, w, c)], from, run);
          from += run;
        }
  return result;
}

std::vector<uint8_t>
BlockedLayout::dense(absl::Span<const uint8_t> blocked) const {
  std::vector<uint8_t> result(extentN * extentH * extentW * extentC);
  uint8_t *to = result.data();
  for (int64_t n = 0; n < extentN; ++n)
    for (int64_t h = 0; h < extentH; ++h)
      for (int64_t w = 0; w < extentW; ++w)
        for (int64_t c = 0; c < extentC; c += blockMin) {
          int64_t run = std::min(blockMin, extentC - c);
          std::memcpy(to, &blocked[offset(n, h, w, c)], run);
          to += run;
        }
  return result;
}

void addOffset(std::vector<uint8_t> &bytes, int32_t offset) {
  if (offset)
    for (uint8_t &byte : bytes)
      byte = static_cast<uint8_t>(byte + offset);
}

} // namespace tenon::runtime

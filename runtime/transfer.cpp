//===- runtime/transfer.cpp - Between host arrays and DRAM tensors --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/transfer.h"

#include "runtime/tensor.h"

namespace tenon::runtime {

BlockedPlaces::BlockedPlaces(const isa::Layout &layout,
                             const isa::DramTensor &tensor) {
  Shape shape(tensor.shape().begin(), tensor.shape().end());
  BlockedLayout blocked(layout, shape);
  bytes = blocked.bytes();
  for (int axis = 0; axis < 4; ++axis) {
    extents[axis] = shape[axis];
    terms[axis].resize(shape[axis]);
    std::array<int64_t, 4> index{};
    for (int64_t &at = index[axis]; at < shape[axis]; ++at)
      terms[axis][at] = blocked.offset(index[0], index[1], index[2], index[3]);
  }
}

PackPlan::PackPlan(const isa::Layout &layout, const isa::Pack &step,
                   const isa::Buffer &buffer, const isa::DramTensor &tensor)
    : places(layout, tensor), offset(static_cast<uint8_t>(step.offset())),
      outside(static_cast<uint8_t>(step.fold().outside())) {
  Shape dense(buffer.shape_size(), 1);
  for (int axis = buffer.shape_size(); axis-- > 1;)
    dense[axis - 1] = dense[axis] * buffer.shape(axis);
  for (int axis = 0; axis < 4; ++axis) {
    const int from = step.permutation(axis);
    extents[axis] = from < 0 ? 1 : buffer.shape(from);
    strides[axis] = from < 0 ? 0 : dense[from];
  }
  if (step.has_fold())
    for (int axis = 0; axis < 2; ++axis)
      windows[axis] = {step.fold().phases(axis), step.fold().step(axis),
                       step.fold().dilation(axis), step.fold().origin(axis)};
}

/// The channels of one pixel, or those of none where `source` is null.
void PackPlan::gather(const uint8_t *source, const uint64_t *channels,
                      uint8_t *to) const {
  const int64_t count = extents[3], stride = strides[3];
  for (int64_t c = 0; c < count; ++c)
    to[channels[c]] =
        source ? static_cast<uint8_t>(source[c * stride] + offset) : outside;
}

void PackPlan::run(const uint8_t *buffer, uint8_t *blocked) const {
  const auto [images, rows, columns, channels] = places.extents;
  auto within = [&](int axis, int64_t at) {
    return at >= 0 && at < extents[axis];
  };
  for (int64_t n = 0; n < images; ++n)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x) {
        uint8_t *to = blocked + places.terms[0][n] + places.terms[1][y] +
                      places.terms[2][x];
        const uint64_t *next = places.terms[3].data();
        for (int64_t py = 0; py < windows[0].phases; ++py)
          for (int64_t px = 0; px < windows[1].phases; ++px) {
            const int64_t row = windows[0].source(y, py);
            const int64_t column = windows[1].source(x, px);
            gather(within(1, row) && within(2, column)
                       ? buffer + n * strides[0] + row * strides[1] +
                             column * strides[2]
                       : nullptr,
                   next, to);
            next += extents[3];
          }
      }
}

UnpackPlan::UnpackPlan(const isa::Layout &layout, const isa::Unpack &step,
                       const isa::DramTensor &tensor)
    : places(layout, tensor), offset(static_cast<uint8_t>(step.offset())) {
  int64_t stride = 1;
  for (int axis = 4; axis-- > 0;) {
    strides[step.permutation(axis)] = stride;
    stride *= tensor.shape(step.permutation(axis));
  }
}

void UnpackPlan::run(const uint8_t *blocked, uint8_t *buffer) const {
  const auto [images, rows, columns, channels] = places.extents;
  for (int64_t n = 0; n < images; ++n)
    for (int64_t y = 0; y < rows; ++y)
      for (int64_t x = 0; x < columns; ++x) {
        const uint8_t *from = blocked + places.terms[0][n] +
                              places.terms[1][y] + places.terms[2][x];
        uint8_t *to = buffer + n * strides[0] + y * strides[1] + x * strides[2];
        for (int64_t c = 0; c < channels; ++c)
          to[c * strides[3]] =
              static_cast<uint8_t>(from[places.terms[3][c]] + offset);
      }
}

} // namespace tenon::runtime

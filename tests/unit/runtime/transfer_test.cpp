//===- transfer_test.cpp - Packing and unpacking by their definition ------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What isa/proto/program.proto says of Pack, Fold and Unpack, element by
// element and by hand.
//
//===----------------------------------------------------------------------===//

#include "runtime/tensor.h"
#include "runtime/transfer.h"

#include "isa/configuration.h"

#include "gtest/gtest.h"

#include <numeric>

using namespace tenon;
using namespace tenon::runtime;

namespace {

isa::Layout layoutWith(uint32_t batch, uint32_t in, uint32_t out) {
  isa::Configuration config = *isa::loadConfiguration("tiny");
  config.set_batch(batch);
  config.set_block_in(in);
  config.set_block_out(out);
  config.set_alu_lanes(batch * out);
  return *isa::Layout::get(config);
}

template <typename Message> Message shaped(const Shape &shape) {
  Message message;
  for (int64_t extent : shape)
    message.add_shape(extent);
  return message;
}

template <typename Step> Step stepOf(const std::vector<int> &permutation) {
  Step step;
  for (int axis : permutation)
    step.add_permutation(axis);
  return step;
}

std::vector<uint8_t> counting(const Shape &shape) {
  std::vector<uint8_t> bytes(elementCount(shape));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(i * 37 + i / 256 + 1);
  return bytes;
}

/// The tensor that a pack makes of `from`, dense; padding must stay as it is.
std::vector<uint8_t> packed(const isa::Layout &layout, const isa::Pack &step,
                            const Shape &from, const Shape &to,
                            const std::vector<uint8_t> &data) {
  auto tensor = shaped<isa::DramTensor>(to);
  PackPlan plan(layout, step, shaped<isa::Buffer>(from), tensor);
  BlockedLayout blocked(layout, to);
  EXPECT_EQ(plan.bytes(), blocked.bytes());
  std::vector<uint8_t> bytes(plan.bytes(), 0);
  plan.run(data.data(), bytes.data());
  std::vector<uint8_t> dense = blocked.dense(bytes);
  EXPECT_EQ(bytes, blocked.block(dense)) << "padding was written";
  return dense;
}

TEST(Pack, TakesAxesInOrderAndAddsTheOffset) {
  // NCHW to NHWC, in machines of several shapes.
  const Shape from{3, 13, 4, 5}, to{3, 4, 5, 13};
  const std::vector<uint8_t> data = counting(from);
  auto step = stepOf<isa::Pack>({0, 2, 3, 1});
  step.set_offset(-128);
  for (auto [batch, in, out] :
       {std::array<uint32_t, 3>{1, 4, 4}, {2, 4, 8}, {4, 8, 4}, {2, 16, 4}}) {
    auto got = packed(layoutWith(batch, in, out), step, from, to, data);
    size_t next = 0;
    for (int n = 0; n < 3; ++n)
      for (int h = 0; h < 4; ++h)
        for (int w = 0; w < 5; ++w)
          for (int c = 0; c < 13; ++c)
            ASSERT_EQ(got[next++],
                      uint8_t(data[((n * 13 + c) * 4 + h) * 5 + w] - 128));
  }
}

TEST(Pack, AddsAxesThatTheBufferLacks) {
  // A matrix of 2x5 as N and C.
  const std::vector<uint8_t> data = counting({2, 5});
  EXPECT_EQ(packed(layoutWith(1, 4, 4), stepOf<isa::Pack>({0, -1, -1, 1}),
                   {2, 5}, {2, 1, 1, 5}, data),
            data);
}

isa::Pack foldOf(std::array<int, 2> phases, std::array<int, 2> step,
                 std::array<int, 2> dilation, std::array<int, 2> origin) {
  auto pack = stepOf<isa::Pack>({0, 1, 2, 3});
  isa::Fold &fold = *pack.mutable_fold();
  for (int axis = 0; axis < 2; ++axis) {
    fold.add_phases(phases[axis]);
    fold.add_step(step[axis]);
    fold.add_dilation(dilation[axis]);
    fold.add_origin(origin[axis]);
  }
  fold.set_outside(-9);
  return pack;
}

std::vector<uint8_t> upTo(int count) {
  std::vector<uint8_t> bytes(count);
  std::iota(bytes.begin(), bytes.end(), 1);
  return bytes;
}

// Two rows of three pixels with two channels: 1..12. By hand.
TEST(Fold, GathersColumns) {
  const uint8_t o = 256 - 9;
  EXPECT_EQ(packed(layoutWith(1, 4, 4), foldOf({1, 2}, {1, 2}, {1, 1}, {0, -1}),
                   {1, 2, 3, 2}, {1, 2, 2, 4}, upTo(12)),
            (std::vector<uint8_t>{o, o, 1, 2, 3, 4, 5, 6, //
                                  o, o, 7, 8, 9, 10, 11, 12}));
}

TEST(Fold, GathersDilatedRows) {
  const uint8_t o = 256 - 9;
  // Rows -1 and 1, then 0 and 2; columns from 1.
  EXPECT_EQ(packed(layoutWith(1, 4, 4), foldOf({2, 1}, {1, 1}, {2, 1}, {-1, 1}),
                   {1, 2, 3, 2}, {1, 2, 2, 4}, upTo(12)),
            (std::vector<uint8_t>{o, o, 9, 10, o, o, 11, 12, //
                                  3, 4, o, o, 5, 6, o, o}));
}

TEST(Fold, KeepsImagesApart) {
  // Two images of 2x2: one pixel each, rows before columns.
  EXPECT_EQ(packed(layoutWith(2, 4, 4), foldOf({2, 2}, {2, 2}, {1, 1}, {0, 0}),
                   {2, 2, 2, 1}, {2, 1, 1, 4}, upTo(8)),
            upTo(8));
}

TEST(Fold, PutsTheOffsetInsideAlone) {
  auto pack = foldOf({1, 1}, {1, 1}, {1, 1}, {0, -1});
  pack.set_offset(100);
  const uint8_t o = 256 - 9;
  EXPECT_EQ(
      packed(layoutWith(1, 4, 4), pack, {1, 1, 2, 1}, {1, 1, 3, 1}, {1, 2}),
      (std::vector<uint8_t>{o, 101, 102}));
}

TEST(Unpack, GivesAxesInOrderAndAddsTheOffset) {
  // NHWC to NCHW.
  const Shape shape{3, 4, 5, 13};
  const std::vector<uint8_t> dense = counting(shape);
  auto step = stepOf<isa::Unpack>({0, 3, 1, 2});
  step.set_offset(128);
  for (auto [batch, in, out] :
       {std::array<uint32_t, 3>{1, 4, 4}, {2, 4, 8}, {4, 8, 4}}) {
    const isa::Layout layout = layoutWith(batch, in, out);
    UnpackPlan plan(layout, step, shaped<isa::DramTensor>(shape));
    std::vector<uint8_t> got(dense.size());
    plan.run(BlockedLayout(layout, shape).block(dense).data(), got.data());
    size_t next = 0;
    for (int n = 0; n < 3; ++n)
      for (int c = 0; c < 13; ++c)
        for (int h = 0; h < 4; ++h)
          for (int w = 0; w < 5; ++w)
            ASSERT_EQ(got[next++],
                      uint8_t(dense[((n * 4 + h) * 5 + w) * 13 + c] + 128));
  }
}

} // namespace

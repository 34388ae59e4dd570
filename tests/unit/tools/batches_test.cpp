//===- tests/unit/tools/batches_test.cpp ----------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/batches.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::tools {
namespace {

using runtime::Array;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void addBuffer(isa::Program &program, isa::ElementType type,
               std::initializer_list<int64_t> shape, bool output = false) {
  (output ? program.mutable_outputs() : program.mutable_inputs())
      ->Add(program.buffers_size());
  isa::Buffer &buffer = *program.add_buffers();
  buffer.set_name(output ? "y" : "x");
  buffer.set_type(type);
  buffer.mutable_shape()->Assign(shape.begin(), shape.end());
}

isa::Program programOf(isa::ElementType type, int64_t batch,
                       int64_t outputBatch) {
  isa::Program program;
  addBuffer(program, type, {batch, 1, 1, 2});
  addBuffer(program, type, {outputBatch, 2}, true);
  return program;
}

TEST(Batches, TheExtentThatAllShare) {
  EXPECT_EQ(Batches(programOf(isa::INT8, 4, 4), {}).size(), 4);
  EXPECT_EQ(Batches(programOf(isa::INT8, 4, 2), {}).size(), 1);
  isa::Program open = programOf(isa::INT8, 0, 0);
  for (isa::Buffer &buffer : *open.mutable_buffers()) {
    buffer.add_symbols("N");
    for (int i = 1; i < buffer.shape_size(); ++i)
      buffer.add_symbols("");
  }
  Batches batches(open, {});
  EXPECT_EQ(batches.size(), 1);
  EXPECT_THAT(batches.itemInputs()[0].shape(), ElementsAre(1, 1, 1, 2));
}

TEST(Batches, TheLastItemFillsUp) {
  Batches batches(programOf(isa::INT8, 3, 3), {});
  std::vector<std::vector<Array>> run = {{{isa::INT8, {1, 1, 2}, {1, 2}}},
                                         {{isa::INT8, {1, 1, 1, 2}, {3, 4}}}};
  for (auto &item : run)
    ASSERT_TRUE(batches.fit(item, false).ok());
  std::vector<Array> inputs = batches.stack(run);
  EXPECT_THAT(inputs[0].shape, ElementsAre(3, 1, 1, 2));
  EXPECT_THAT(inputs[0].bytes, ElementsAre(1, 2, 3, 4, 3, 4));
  Array part = batches.part({isa::INT8, {3, 2}, {1, 2, 3, 4, 5, 6}}, 1);
  EXPECT_THAT(part.shape, ElementsAre(1, 2));
  EXPECT_THAT(part.bytes, ElementsAre(3, 4));
}

TEST(Batches, PixelsBecomeValuesOnce) {
  Preprocess preprocess;
  preprocess.mean = {10};
  Batches batches(programOf(isa::UINT8, 1, 1), preprocess);
  std::vector<Array> item = {{isa::UINT8, {1, 1, 1, 2}, {15, 30}}};
  ASSERT_TRUE(batches.fit(item, false).ok());
  EXPECT_THAT(item[0].bytes, ElementsAre(15, 30));
  ASSERT_TRUE(batches.fit(item, true).ok());
  EXPECT_THAT(item[0].bytes, ElementsAre(5, 20));
}

TEST(Batches, WhatDoesNotFitIsSaid) {
  Batches batches(programOf(isa::INT8, 1, 1), {});
  std::vector<Array> other = {{isa::INT8, {1, 1, 1, 3}, {1, 2, 3}}};
  EXPECT_THAT(batches.fit(other, false).message(), HasSubstr("1x1x1x2"));
  std::vector<Array> pixels = {{isa::UINT8, {1, 1, 1, 2}, {1, 2}}};
  EXPECT_THAT(batches.fit(pixels, false).message(),
              HasSubstr("--preprocess makes values of pixels in uint8"));
}

} // namespace
} // namespace tenon::tools

//===- border_test.cpp - Open dimensions are bound by the inputs ----------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "isa/configuration.h"
#include "isa/program.h"
#include "runtime/border.h"
#include "tests/unit/kernels/kernels.h"
#include "tests/unit/runtime/small_network.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tenon;
using namespace tenon::runtime;

namespace {

/// Scales the rows of a <tokens>x3 matrix by a vector of <tokens>, in two
/// kernels, so that a buffer between steps is open too.
isa::Program openNetwork() {
  isa::Program program;
  program.set_isa_version(isa::isaVersion);
  *program.mutable_configuration() = *isa::loadConfiguration("tiny");
  auto buffer = [&](const char *name, bool matrix) {
    isa::Buffer &added = *program.add_buffers();
    added.set_name(name);
    added.set_type(isa::INT32);
    added.add_shape(0);
    added.add_symbols("tokens");
    if (matrix) {
      added.add_shape(3);
      added.add_symbols("");
    }
  };
  buffer("rows", true);
  buffer("scales", false);
  buffer("copy", true);
  buffer("scaled", true);
  program.add_inputs(0);
  program.add_inputs(1);
  program.add_outputs(3);
  *program.add_executables() = kernels();
  auto kernel = [&](const char *symbol, std::vector<uint32_t> inputs,
                    uint32_t output) {
    isa::HostKernel &added = *program.add_steps()->mutable_host_kernel();
    added.set_symbol(symbol);
    added.set_name(symbol);
    for (uint32_t input : inputs)
      added.add_inputs(input);
    added.add_outputs(output);
  };
  kernel("copy_rows", {0}, 2);
  kernel("scale_rows", {2, 1}, 3);
  return program;
}

Array counting(Shape shape) {
  Array array{isa::INT32, std::move(shape), {}};
  array.bytes.resize(elementCount(array.shape) * 4);
  for (int32_t i = 0; i < elementCount(array.shape); ++i)
    std::memcpy(&array.bytes[i * 4], &i, 4);
  return array;
}

std::string refusal(Session &session, const std::vector<Array> &inputs) {
  return std::string(session.run(inputs).status().message());
}

TEST(Border, ShapesFollowTheInputs) {
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(openNetwork()), *device);
  for (int64_t tokens : {1, 5, 200, 2}) {
    std::vector<Array> inputs{counting({tokens, 3}), counting({tokens})};
    auto outputs = session->run(inputs);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    const Array &scaled = (*outputs)[0];
    EXPECT_EQ(scaled.shape, (Shape{tokens, 3}));
    for (int64_t i = 0; i < tokens * 3; ++i)
      ASSERT_EQ(valueAt(scaled, i), i * (i / 3));
  }
}

TEST(Border, RefusesWhatDoesNotFit) {
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(openNetwork()), *device);
  EXPECT_EQ(refusal(*session, {counting({4, 3}), counting({5})}),
            "input 'scales': dimension 0, 'tokens', is 5, expected 4 as in "
            "input 'rows'");
  EXPECT_EQ(refusal(*session, {counting({4, 2}), counting({4})}),
            "input 'rows' must be int32 <tokens>x3, given is int32 4x2");
  EXPECT_EQ(refusal(*session, {counting({0, 3}), counting({0})}),
            "input 'rows' must be int32 <tokens>x3, given is int32 0x3");
  Array giant{isa::INT32, {int64_t{1} << 39, 3}, {}};
  Array many{isa::INT32, {int64_t{1} << 39}, {}};
  EXPECT_EQ(refusal(*session, {giant, many}),
            "buffer 'rows' would be 549755813888x3, expected less than 2^40 "
            "elements");
  Array rows = counting({2, 3}), scales = counting({2}), out = counting({2, 3});
  View odd = viewOf(out);
  odd.data = out.bytes.data() + 1;
  EXPECT_THAT(std::string(session
                              ->run({viewOf(std::as_const(rows)),
                                     viewOf(std::as_const(scales))},
                                    {odd})
                              .message()),
              testing::MatchesRegex("output 'scaled' lies at 0x[0-9a-f]*, "
                                    "expected a multiple of 4, its element's "
                                    "size"));
}

TEST(Validation, OfOpenDimensions) {
  auto invalid = [](const isa::Program &program) {
    return std::string(isa::validateProgram(program).message());
  };
  EXPECT_EQ(invalid(openNetwork()), "");
  isa::Program changed = openNetwork();
  changed.mutable_buffers(2)->add_symbols("more");
  EXPECT_EQ(invalid(changed),
            "buffer 2 'copy': it has 3 symbols for 2 dimensions");
  changed = openNetwork();
  changed.mutable_buffers(2)->set_shape(0, 7);
  EXPECT_EQ(invalid(changed), "buffer 2 'copy': dimension 0 is open ('tokens') "
                              "and has extent 7, expected 0");
  changed = openNetwork();
  changed.mutable_buffers(2)->set_symbols(0, "words");
  EXPECT_EQ(invalid(changed),
            "buffer 2 'copy': no input has the open dimension "
            "'words', so that nothing binds it");
}

} // namespace

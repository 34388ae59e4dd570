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
using ::testing::HasSubstr;

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
  *program.mutable_host_code() = kernels();
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

std::string message(const absl::Status &status) {
  return std::string(status.message());
}

std::string refusal(Session &session, const std::vector<Array> &inputs) {
  return std::string(session.run(inputs).status().message());
}

TEST(Border, ShapesFollowTheInputs) {
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(openNetwork()), *device);
  for (int64_t tokens : {1, 5, 200, 2, 0}) {
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
  Array negative{isa::INT32, {-1, 3}, {}};
  EXPECT_EQ(refusal(*session, {negative, counting({0})}),
            "input 'rows' must be int32 <tokens>x3, given is int32 -1x3");
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

std::vector<int64_t> int64sOf(const Array &array) {
  std::vector<int64_t> values(array.bytes.size() / 8);
  if (!values.empty())
    std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

TEST(Border, TheRunTellsAnExtent) {
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(tellingNetwork()), *device);
  EXPECT_EQ(message(session->result(0).status()),
            "there is no result: no run of this session has ended well since "
            "the last one began");
  struct Case {
    std::vector<int32_t> values;
    std::vector<int64_t> places;
    int sum;
  };
  for (const Case &c :
       {Case{{5, 0, 7, 0, 0, 1}, {0, 2, 5}, 13}, Case{{0, 0}, {}, 0},
        Case{{}, {}, 0}, Case{{0, 3, 3, 3}, {1, 2, 3}, 9}}) {
    auto outputs = session->run({int32s(c.values)});
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].shape, (Shape{int64_t(c.places.size())}));
    EXPECT_EQ(int64sOf((*outputs)[0]), c.places);
    EXPECT_EQ(valueAt((*outputs)[1], 0), c.sum);
  }
}

TEST(Border, WhatOnlyTheRunTellsFitsOrStays) {
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(tellingNetwork()), *device);
  const Array values = int32s({0, 4, 4, 4});
  EXPECT_EQ(*session->outputShapes({viewOf(values)}),
            (std::vector<Shape>{{unknownExtent}, {}}));
  Array places{isa::INT64, {5}, std::vector<uint8_t>(5 * 8, 0x55)};
  Array sum{isa::INT32, {}, std::vector<uint8_t>(4)};
  ASSERT_EQ(session->run({viewOf(values)}, {viewOf(places), viewOf(sum)}),
            absl::OkStatus());
  EXPECT_EQ(int64sOf(places), (std::vector<int64_t>{1, 2, 3, 0x5555555555555555,
                                                    0x5555555555555555}));
  EXPECT_EQ(session->result(0)->shape, (Shape{3}));
  Array few{isa::INT64, {2}, std::vector<uint8_t>(2 * 8)};
  EXPECT_EQ(message(session->run({viewOf(values)}, {viewOf(few), viewOf(sum)})),
            "output 'places' is 3, which takes 24 bytes; there is room for 16");
  EXPECT_EQ(arrayOf(*session->result(0)).shape, (Shape{3}));
  few.type = isa::INT32;
  EXPECT_EQ(message(session->run({viewOf(values)}, {viewOf(few), viewOf(sum)})),
            "output 'places' must be int64 ?, given is int32 2");
  EXPECT_EQ(message(session->result(9).status()),
            "the program has 2 outputs, expected an index below that, found 9");
}

TEST(Border, PassesOnWhatHostCodeRefuses) {
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(tellingNetwork()), *device);
  auto failed = session->run({int32s({1, -1})});
  EXPECT_EQ(failed.status(), absl::InvalidArgumentError(
                                 "a token is negative, expected 0 or more"));
  EXPECT_EQ(session->result(0).status().code(),
            absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(session->run({int32s({1, 1})}).ok());
}

/// What the runtime says of a kernel that makes <tokens> of the input's.
std::string saidOf(const char *symbol) {
  isa::Program program = tellingNetwork();
  program.mutable_outputs()->RemoveLast();
  isa::HostKernel &kernel = *program.mutable_steps(0)->mutable_host_kernel();
  kernel.set_symbol(symbol);
  kernel.mutable_outputs()->RemoveLast();
  program.mutable_buffers(1)->set_type(isa::INT32);
  program.mutable_buffers(1)->set_symbols(0, "tokens");
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(program), *device);
  return refusal(*session, {int32s({1, 2})});
}

TEST(Border, ComparesWhatHostCodeMade) {
  EXPECT_EQ(saidOf("one_too_many"),
            "host kernel 'places' made 'places' of 3, the program has int32 "
            "<tokens>");
  EXPECT_EQ(saidOf("too_small"),
            "host kernel 'places' made 'places' of 2 in 4 bytes");
  EXPECT_EQ(saidOf("borrowed"),
            "host kernel 'places' made nothing for 'places' of 2, the program "
            "has int32 <tokens>");
}

TEST(Border, RefusesBytesThatAreNoElements) {
  isa::Program program = openNetwork();
  program.clear_steps();
  program.clear_outputs();
  program.mutable_buffers(1)->set_type(isa::BOOL);
  auto device = deviceOf("tiny");
  auto session = *Session::create(loaded(program), *device);
  Array bools{isa::BOOL, {2}, {1, 2}};
  EXPECT_EQ(refusal(*session, {counting({2, 3}), bools}),
            "input 'scales': element 1 is the byte 2, which is no bool");
  bools.bytes[1] = 0;
  EXPECT_EQ(refusal(*session, {counting({2, 3}), bools}), "");
}

TEST(Validation, OfWorkspaces) {
  auto invalid = [](const char *symbol) {
    isa::Program program = smallNetwork();
    program.mutable_steps(3)->mutable_host_kernel()->set_symbol(symbol);
    return std::string(isa::validateProgram(program).message());
  };
  EXPECT_EQ(invalid("triple_twice"), "");
  EXPECT_THAT(invalid("silent"),
              HasSubstr("does not say how much workspace it needs: there is no "
                        "constant 'silent_workspace'"));
  EXPECT_THAT(
      invalid("insatiable"),
      HasSubstr("asks for 1099511627777 bytes of workspace, expected at "
                "most 1099511627776"));
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
  changed = openNetwork();
  changed.mutable_buffers(0)->set_symbols(0, "?");
  EXPECT_EQ(invalid(changed), "buffer 0 'rows': dimension 0 of an input is "
                              "'?', expected a name that a run binds");
  changed = openNetwork();
  changed.mutable_steps()->SwapElements(0, 1);
  EXPECT_EQ(invalid(changed),
            "step 0: host_kernel scale_rows: no step before it writes buffer "
            "'copy', which is no input");
  changed = openNetwork();
  changed.mutable_steps(1)->mutable_host_kernel()->set_outputs(0, 1);
  EXPECT_EQ(invalid(changed),
            "step 1: host_kernel scale_rows: it makes buffer 'scales', which "
            "is an input with an open dimension");
  changed = openNetwork();
  changed.mutable_steps()->RemoveLast();
  EXPECT_EQ(invalid(changed),
            "no step writes output 'scaled', which is no input");
  changed = openNetwork();
  isa::Pack &pack = *changed.add_steps()->mutable_pack();
  pack.set_buffer(0);
  isa::DramTensor &tensor = *changed.add_tensors();
  for (int64_t extent : {1, 1, 1, 1})
    tensor.add_shape(extent);
  changed.set_dram_bytes(4096);
  EXPECT_EQ(invalid(changed), "step 2: pack: buffer 'rows' has an open "
                              "dimension, tensors have none");
}

} // namespace

// Part of Tenon, under the Apache License v2.0.

#include "compiler/driver/compile.h"
#include "compiler/driver/reference.h"
#include "runtime/check.h"
#include "runtime/host_device.h"
#include "runtime/run_once.h"

#include "isa/files.h"
#include "tests/scratch_folder.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::compiler {
namespace {

using runtime::Array;
using ::testing::ElementsAre;

/// -x as the quantised tensor `inner`, uint8, transposed; its transpose as y.
constexpr char network[] = R"(
func.func @main(%x: tensor<2x3xi8> {tenon.name = "x"})
    -> (tensor<3x2xi8> {tenon.name = "y"}) {
  %z = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %a = tosa.negate %x, %z, %z {tenon.tensor = {name = "inner", unsigned = true, perm = array<i64: 1, 0>, shape = array<i64: 6>}} : (tensor<2x3xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<2x3xi8>
  %y = tosa.transpose %a {perms = array<i32: 1, 0>} : (tensor<2x3xi8>) -> tensor<3x2xi8>
  return %y : tensor<3x2xi8>
})";

isa::Program compiled() {
  const ScratchFolder folder;
  const std::string path = folder / "network.mlir";
  EXPECT_TRUE(isa::writeFile(path, network).ok());
  auto compiled = compile(path, {}, Level::Reference);
  EXPECT_TRUE(compiled.ok()) << compiled.status();
  return compiled.ok() ? compiled->program : isa::Program();
}

TEST(Reference, GivesEveryTensorInOnnxOrderAndType) {
  isa::Program program = compiled();
  EXPECT_EQ(program.steps_size(), 0);
  auto network = compileReference(program, Optimization::None);
  ASSERT_TRUE(network.ok()) << network.status();
  runtime::HostDevice cpu(network->configuration());
  auto outcome = runtime::runOnce(
      *network, cpu, {Array{isa::INT8, {2, 3}, {1, 2, 3, 4, 5, 6}}},
      runtime::Observer::ofEverything(), runtime::HostCodeTrust::Any);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  auto tensors =
      runtime::namedTensors(*network, outcome->execution, outcome->outputs);
  ASSERT_EQ(tensors.size(), 2u);
  const Array &y = tensors.at("y"), &inner = tensors.at("inner");
  EXPECT_EQ(y.type, isa::INT8);
  EXPECT_THAT(y.shape, ElementsAre(3, 2));
  EXPECT_THAT(y.bytes, ElementsAre(255, 252, 254, 251, 253, 250));
  EXPECT_EQ(inner.type, isa::UINT8);
  EXPECT_THAT(inner.shape, ElementsAre(6));
  EXPECT_THAT(inner.bytes, ElementsAre(127, 124, 126, 123, 125, 122));
}

} // namespace
} // namespace tenon::compiler

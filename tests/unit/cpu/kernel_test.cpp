//===- kernel_test.cpp - Open dimensions, types, refusals -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// What a module says of shapes that only a run knows, of element types and of
// values that it refuses, and what its kernel does then (isa/host_abi.h).
//
//===----------------------------------------------------------------------===//

#include "tests/unit/cpu/host_run.h"

#include "runtime/kernel_memory.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"

#include <cstdlib>

using namespace tenon;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

/// An array of a test, in memory of its own.
template <typename T> struct Input {
  std::vector<T> values;
  std::vector<int64_t> extents;
  TenonHostTensor tensor() { return {values.data(), extents.data()}; }
};
template <typename T> Input(std::vector<T>, std::vector<int64_t>) -> Input<T>;

/// An output that the kernel makes.
template <typename T> struct Output {
  explicit Output(size_t rank) : extents(rank, -7) {}
  std::vector<int64_t> extents;
  TenonHostTensor tensor() { return {nullptr, extents.data()}; }
  /// Takes over what a kernel made.
  std::vector<T> take(const TenonHostTensor &made) {
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    auto *begin = static_cast<T *>(made.data);
    std::vector<T> values(begin, begin + count);
    std::free(made.data);
    return values;
  }
};

/// The module, compiled for this machine.
isa::HostCode compiled(const std::string &text) {
  auto code = compile(text, {&thisHost()});
  EXPECT_TRUE(static_cast<bool>(code)) << llvm::toString(code.takeError());
  return code ? *std::move(code) : isa::HostCode();
}

/// Rows of a matrix times two, rows counted by the run; and whether there were
/// more than three, which is refused.
const char *const doubled = R"(
#map = affine_map<(i, j) -> (i, j)>
func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %zero = arith.constant 0 : index
  %rows = tensor.dim %x, %zero : tensor<?x3xf32>
  %three = arith.constant 3 : index
  %few = arith.cmpi sle, %rows, %three : index
  cf.assert %few, "x has more than 3 rows"
  %some = arith.cmpi ne, %rows, %zero : index
  cf.assert %some, "x has no rows"
  %e = tensor.empty(%rows) : tensor<?x3xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x3xf32>) outs(%e : tensor<?x3xf32>) {
  ^bb0(%a: f32, %o: f32):
    %s = arith.addf %a, %a : f32
    linalg.yield %s : f32
  } -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
})";

TEST(Kernel, TakesAndMakesOpenDimensions) {
  isa::HostCode code = compiled(doubled);
  for (int64_t rows : {1, 3, 2}) {
    Input<float> x{{}, {rows, 3}};
    for (int64_t i = 0; i < rows * 3; ++i)
      x.values.push_back(float(i) + 0.5f);
    Output<float> y(2);
    std::vector<TenonHostTensor> tensors{x.tensor(), y.tensor()};
    ASSERT_EQ(call(code, tensors), "");
    EXPECT_THAT(y.extents, ElementsAre(rows, 3));
    std::vector<float> values = y.take(tensors[1]);
    for (int64_t i = 0; i < rows * 3; ++i)
      EXPECT_EQ(values[i], 2 * float(i) + 1);
  }
}

TEST(Kernel, ReturnsTheFirstAssertionThatFails) {
  isa::HostCode code = compiled(doubled);
  Input<float> x{std::vector<float>(12), {4, 3}};
  Output<float> y(2);
  std::vector<TenonHostTensor> tensors{x.tensor(), y.tensor()};
  EXPECT_EQ(call(code, tensors), "x has more than 3 rows");
  x.extents[0] = 0;
  EXPECT_EQ(call(code, tensors), "x has no rows");
}

/// An assertion inside a loop that a while makes, in a branch: step by step
/// down to zero, and never through 13.
TEST(Kernel, AssertsInsideControlFlow) {
  isa::HostCode code = compiled(R"(
func.func @main(%x: tensor<i64>, %by: tensor<i64>) -> tensor<i64> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %thirteen = arith.constant 13 : i64
  %start = tensor.extract %x[] : tensor<i64>
  %step = tensor.extract %by[] : tensor<i64>
  %end:2 = scf.while (%v = %start, %n = %zero) : (i64, i64) -> (i64, i64) {
    %more = arith.cmpi sgt, %v, %zero : i64
    scf.condition(%more) %v, %n : i64, i64
  } do {
  ^bb0(%v: i64, %n: i64):
    %small = arith.cmpi slt, %v, %thirteen : i64
    scf.if %small {
    } else {
      %fine = arith.cmpi ne, %v, %thirteen : i64
      cf.assert %fine, "thirteen"
    }
    %w = arith.subi %v, %step : i64
    %m = arith.addi %n, %one : i64
    scf.yield %w, %m : i64, i64
  }
  %r = tensor.from_elements %end#1 : tensor<i64>
  return %r : tensor<i64>
})");
  auto steps = [&](int64_t start, int64_t by) {
    int64_t result = -1;
    std::vector<TenonHostTensor> tensors{
        {&start, nullptr}, {&by, nullptr}, {&result, nullptr}};
    std::string message = call(code, tensors);
    return message.empty() ? std::to_string(result) : message;
  };
  EXPECT_EQ(steps(20, 3), "7");
  EXPECT_EQ(steps(20, 7), "thirteen");
  EXPECT_EQ(steps(0, 7), "0");
}

/// One array as three results, two of them of the kernel's making, and an
/// argument as a fourth: none shares memory with another.
TEST(Kernel, ResultsAreArraysOfTheirOwn) {
  isa::HostCode code = compiled(R"(
func.func @main(%x: tensor<?xi8>) -> (tensor<?xi8>, tensor<?xi8>, tensor<2xi8>, tensor<?x1xi8>) {
  %part = tensor.extract_slice %x[0] [2] [1] : tensor<?xi8> to tensor<2xi8>
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xi8>
  %open = tensor.expand_shape %x [[0, 1]] output_shape [%size, 1] : tensor<?xi8> into tensor<?x1xi8>
  return %x, %x, %part, %open : tensor<?xi8>, tensor<?xi8>, tensor<2xi8>, tensor<?x1xi8>
})");
  Input<int8_t> x{{5, 6}, {2}};
  Output<int8_t> a(1), b(1), d(2);
  std::vector<int8_t> c(2);
  std::vector<TenonHostTensor> tensors{
      x.tensor(), a.tensor(), b.tensor(), {c.data(), nullptr}, d.tensor()};
  ASSERT_EQ(call(code, tensors), "");
  for (size_t i : {1, 2, 4})
    for (size_t k : {0, 1, 2, 4})
      if (i != k)
        EXPECT_NE(tensors[i].data, tensors[k].data);
  EXPECT_THAT(a.take(tensors[1]), ElementsAre(5, 6));
  EXPECT_THAT(b.take(tensors[2]), ElementsAre(5, 6));
  EXPECT_THAT(c, ElementsAre(5, 6));
  EXPECT_THAT(d.extents, ElementsAre(2, 1));
  EXPECT_THAT(d.take(tensors[4]), ElementsAre(5, 6));
}

TEST(Kernel, KnowsUnsignedTypesAtItsBorder) {
  isa::HostCode code = compiled(R"(
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<3xui32>, %c: tensor<3xi1>) -> (tensor<3xui64>, tensor<3xi1>) {
  %k = arith.constant dense<[4000000000, 1, 2]> : tensor<3xui32>
  %s = tensor.bitcast %x : tensor<3xui32> to tensor<3xi32>
  %t = tensor.bitcast %k : tensor<3xui32> to tensor<3xi32>
  %e = tensor.empty() : tensor<3xi64>
  %n = tensor.empty() : tensor<3xi1>
  %y:2 = linalg.generic {indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%s, %t, %c : tensor<3xi32>, tensor<3xi32>, tensor<3xi1>) outs(%e, %n : tensor<3xi64>, tensor<3xi1>) {
  ^bb0(%a: i32, %b: i32, %d: i1, %o: i64, %p: i1):
    %true = arith.constant true
    %wa = arith.extui %a : i32 to i64
    %wb = arith.extui %b : i32 to i64
    %sum = arith.addi %wa, %wb : i64
    %not = arith.xori %d, %true : i1
    linalg.yield %sum, %not : i64, i1
  } -> (tensor<3xi64>, tensor<3xi1>)
  %u = tensor.bitcast %y#0 : tensor<3xi64> to tensor<3xui64>
  return %u, %y#1 : tensor<3xui64>, tensor<3xi1>
})");
  std::vector<uint32_t> x{4294967295u, 2, 3};
  std::vector<uint8_t> c{1, 0, 1}, inverse(3, 0x55);
  std::vector<uint64_t> y(3, 0x55);
  run(code, {x.data(), c.data(), y.data(), inverse.data()});
  EXPECT_THAT(y, ElementsAre(8294967295u, 3, 5));
  EXPECT_THAT(inverse, ElementsAre(0, 1, 0));
}

/// Places of what is not zero: as many rows as there are.
TEST(Kernel, MakesAsMuchAsTheValuesSay) {
  isa::HostCode code = compiled(R"(
func.func @main(%x: tensor<?xi32>) -> tensor<?xi64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %none = arith.constant 0 : i32
  %size = tensor.dim %x, %zero : tensor<?xi32>
  %room = tensor.empty(%size) : tensor<?xi64>
  %r:2 = scf.for %i = %zero to %size step %one iter_args(%n = %zero, %to = %room) -> (index, tensor<?xi64>) {
    %v = tensor.extract %x[%i] : tensor<?xi32>
    %is = arith.cmpi ne, %v, %none : i32
    %next:2 = scf.if %is -> (index, tensor<?xi64>) {
      %place = arith.index_cast %i : index to i64
      %more = tensor.insert %place into %to[%n] : tensor<?xi64>
      %m = arith.addi %n, %one : index
      scf.yield %m, %more : index, tensor<?xi64>
    } else {
      scf.yield %n, %to : index, tensor<?xi64>
    }
    scf.yield %next#0, %next#1 : index, tensor<?xi64>
  }
  %y = tensor.extract_slice %r#1[0] [%r#0] [1] : tensor<?xi64> to tensor<?xi64>
  return %y : tensor<?xi64>
})");
  for (const std::vector<int32_t> &values :
       {std::vector<int32_t>{0, 4, 0, 4}, {}, {0}, {1, 1, 1}}) {
    Input<int32_t> x{values, {int64_t(values.size())}};
    Output<int64_t> y(1);
    std::vector<TenonHostTensor> tensors{x.tensor(), y.tensor()};
    ASSERT_EQ(call(code, tensors), "");
    std::vector<int64_t> expected;
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i])
        expected.push_back(int64_t(i));
    EXPECT_EQ(y.take(tensors[1]), expected);
  }
}

/// Fibonacci's numbers in two arrays that change places: which of them is the
/// kernel's to release is known only as it runs.
TEST(Kernel, CarriesArraysThroughLoops) {
  isa::HostCode code = compiled(R"(
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<?xi32>, %y: tensor<?xi32>, %n: tensor<i64>) -> tensor<?xi32> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = tensor.extract %n[] : tensor<i64>
  %times = arith.index_cast %count : i64 to index
  %size = tensor.dim %x, %zero : tensor<?xi32>
  %r:2 = scf.for %i = %zero to %times step %one iter_args(%a = %x, %b = %y) -> (tensor<?xi32>, tensor<?xi32>) {
    %e = tensor.empty(%size) : tensor<?xi32>
    %c = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%a, %b : tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?xi32>) {
    ^bb0(%p: i32, %q: i32, %o: i32):
      %s = arith.addi %p, %q : i32
      linalg.yield %s : i32
    } -> tensor<?xi32>
    scf.yield %b, %c : tensor<?xi32>, tensor<?xi32>
  }
  return %r#0 : tensor<?xi32>
})");
  Input<int32_t> x{{0, 2}, {2}}, y{{1, 5}, {2}};
  const std::vector<std::vector<int32_t>> expected{
      {0, 2}, {1, 5}, {1, 7}, {2, 12}, {3, 19}};
  for (int64_t times = 0; times < 5; ++times) {
    Output<int32_t> z(1);
    std::vector<TenonHostTensor> tensors{
        x.tensor(), y.tensor(), {&times, nullptr}, z.tensor()};
    ASSERT_EQ(call(code, tensors), "");
    EXPECT_EQ(z.take(tensors[3]), expected[times]);
  }
}

/// What allocates asks for as many bytes as there are: UINT64_MAX where they
/// have more than 64 bits, for they would else be few.
TEST(Kernel, AsksForSizesThatDoNotOverflow) {
  isa::HostCode code = compiled(R"(
#a = affine_map<(i, j, k) -> (i)>
#b = affine_map<(i, j, k) -> (j)>
#c = affine_map<(i, j, k) -> (k)>
#all = affine_map<(i, j, k) -> (i, j, k)>
func.func @main(%x: tensor<?xi32>, %y: tensor<?xi32>, %z: tensor<?xi32>) -> tensor<?x?x?xi32> {
  %zero = arith.constant 0 : index
  %i = tensor.dim %x, %zero : tensor<?xi32>
  %j = tensor.dim %y, %zero : tensor<?xi32>
  %k = tensor.dim %z, %zero : tensor<?xi32>
  %e = tensor.empty(%i, %j, %k) : tensor<?x?x?xi32>
  %r = linalg.generic {indexing_maps = [#a, #b, #c, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %y, %z : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) outs(%e : tensor<?x?x?xi32>) {
  ^bb0(%p: i32, %q: i32, %s: i32, %o: i32):
    %t = arith.addi %p, %q : i32
    %u = arith.addi %t, %s : i32
    linalg.yield %u : i32
  } -> tensor<?x?x?xi32>
  return %r : tensor<?x?x?xi32>
})");
  auto loaded = runtime::HostCode::load(code);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  auto asked = [&](int64_t i, int64_t j, int64_t k) {
    // The extents lie: nothing is read before memory is asked for.
    int32_t none = 0;
    std::vector<int64_t> made(3);
    std::vector<TenonHostTensor> tensors{
        {&none, &i}, {&none, &j}, {&none, &k}, {nullptr, made.data()}};
    runtime::KernelMemory memory(0);
    auto left =
        memory.call(*loaded->kernel("main_packed"), absl::MakeSpan(tensors));
    return std::string(left.status().message());
  };
  const int64_t big = int64_t(1) << 21;
  EXPECT_THAT(asked(3, 5, 7), HasSubstr("no memory for 420 bytes"));
  EXPECT_THAT(asked(big, big, 7),
              HasSubstr("no memory for 123145302310912 bytes"));
  // 2^65 and 2^64 are 0 in 64 bits.
  for (int64_t last : {big, big / 2, int64_t(-1)})
    EXPECT_EQ(asked(big, big, last),
              "no memory has the 2^64 bytes or more that it asks for");
}

/// With blocks alive, and again: what a call that ended has left is no part of
/// the next one.
TEST(Kernel, EndsWhereMemoryDoes) {
  isa::HostCode code = compiled(R"(
func.func @main(%x: tensor<?xi8>) -> (tensor<?xi8>, tensor<?xi8>, tensor<?x1xi8>) {
  %zero = arith.constant 0 : index
  %size = tensor.dim %x, %zero : tensor<?xi8>
  %open = tensor.expand_shape %x [[0, 1]] output_shape [%size, 1] : tensor<?xi8> into tensor<?x1xi8>
  return %x, %x, %open : tensor<?xi8>, tensor<?xi8>, tensor<?x1xi8>
})");
  auto loaded = runtime::HostCode::load(code);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  auto kernel = loaded->kernel("main_packed");
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  runtime::KernelMemory memory(7);
  for (int times = 0; times < 3; ++times) {
    for (int8_t size : {1, 2, 3, 4, 8}) {
      Input<int8_t> x{std::vector<int8_t>(size), {size}};
      for (int8_t i = 0; i < size; ++i)
        x.values[i] = int8_t(10 * times + i);
      Output<int8_t> a(1), b(1), c(2);
      std::vector<TenonHostTensor> tensors{x.tensor(), a.tensor(), b.tensor(),
                                           c.tensor()};
      auto made = memory.call(*kernel, absl::MakeSpan(tensors));
      if (3 * size <= 7) {
        ASSERT_TRUE(made.ok()) << made.status();
        for (int i = 1; i <= 3; ++i)
          EXPECT_EQ(std::memcmp((*made)[i].get(), x.values.data(), size), 0);
        EXPECT_EQ(memory.allocated(), 3u * size);
        continue;
      }
      const int held = 7 / size * size;
      EXPECT_EQ(made.status(),
                absl::ResourceExhaustedError(absl::StrCat(
                    "there is no memory for ", size, " bytes beside the ", held,
                    " that it has; it may have 7")));
      EXPECT_EQ(memory.allocated(), 0u);
    }
  }
}

/// An assertion on each element.
TEST(Kernel, AssertsInsideElementwiseOperations) {
  isa::HostCode code = compiled(R"(
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<3xi32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%x : tensor<3xi32>) outs(%e : tensor<3xi32>) {
  ^bb0(%a: i32, %o: i32):
    %fine = arith.cmpi sge, %a, %zero : i32
    cf.assert %fine, "an index is negative"
    linalg.yield %a : i32
  } -> tensor<3xi32>
  return %y : tensor<3xi32>
})");
  std::vector<int32_t> x{1, 2, 3}, y(3);
  std::vector<TenonHostTensor> tensors{{x.data(), nullptr},
                                       {y.data(), nullptr}};
  EXPECT_EQ(call(code, tensors), "");
  EXPECT_EQ(y, x);
  x[2] = -1;
  EXPECT_EQ(call(code, tensors), "an index is negative");
}

TEST(Kernel, RefusesWhatIsNoKernel) {
  EXPECT_THAT(refusal("func.func @f() { return }\n"
                      "func.func @main() { call @f() : () -> () return }",
                      defaultHosts()),
              HasSubstr("'func.call' op is in a kernel, which calls no other "
                        "function"));
  EXPECT_THAT(
      refusal("func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> { return %x "
              ": tensor<*xf32> }",
              defaultHosts()),
      HasSubstr("has an argument or a result of type 'memref<*xf32>'; a kernel "
                "has tensors of known rank alone"));
  EXPECT_THAT(
      refusal("func.func @main(%x: index) -> index { return %x : index }",
              defaultHosts()),
      HasSubstr("has an argument or a result of type 'index'; "));
}

TEST(Kernel, HasOneBlock) {
  EXPECT_THAT(refusal(R"(
func.func @main(%x: tensor<4xf32>, %c: tensor<i32>) -> tensor<4xf32> {
  %one = arith.constant 1 : i32
  %zero = arith.constant 0 : i32
  %n = tensor.extract %c[] : tensor<i32>
  cf.br ^again(%n : i32)
^again(%k: i32):
  %less = arith.subi %k, %one : i32
  %more = arith.cmpi ne, %less, %zero : i32
  cf.cond_br %more, ^again(%less : i32), ^end
^end:
  return %x : tensor<4xf32>
})",
                      defaultHosts()),
              HasSubstr("several blocks, a kernel has one"));
}

TEST(Kernel, IsTheSameInterfaceForEveryHost) {
  std::vector<const isa::HostTarget *> targets;
  for (const isa::HostTarget &target : isa::hostTargets())
    targets.push_back(&target);
  EXPECT_EQ(refusal(doubled, targets), "");
}

} // namespace

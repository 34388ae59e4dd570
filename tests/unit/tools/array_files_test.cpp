//===- tests/unit/tools/array_files_test.cpp ------------------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Every element type in NumPy's and ONNX's files. The bytes are those that
// np.save, ml_dtypes and onnx.helper write.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/npy.h"
#include "tools/tenon/tensor_proto.h"

#include "onnx/onnx_pb.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tenon::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string npy(const std::string &descriptor, const std::string &data) {
  std::string header = "{'descr': '" + descriptor +
                       "', 'fortran_order': False, 'shape': (2,), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + char(header.size()) + '\0' +
         header + data;
}

struct NpyCase {
  isa::ElementType type;
  const char *descriptor;
};
const NpyCase npyCases[] = {
    {isa::BOOL, "|b1"},           {isa::INT8, "|i1"},
    {isa::INT16, "<i2"},          {isa::INT32, "<i4"},
    {isa::INT64, "<i8"},          {isa::UINT8, "|u1"},
    {isa::UINT16, "<u2"},         {isa::UINT32, "<u4"},
    {isa::UINT64, "<u8"},         {isa::FLOAT16, "<f2"},
    {isa::FLOAT32, "<f4"},        {isa::FLOAT64, "<f8"},
    {isa::FLOAT8E5M2, "<f1"},     {isa::BFLOAT16, "<V2"},
    {isa::INT4, "<V1"},           {isa::UINT4, "<V1"},
    {isa::INT2, "<V1"},           {isa::UINT2, "<V1"},
    {isa::FLOAT4E2M1, "<V1"},     {isa::FLOAT8E4M3FN, "<V1"},
    {isa::FLOAT8E4M3FNUZ, "<V1"}, {isa::FLOAT8E5M2FNUZ, "<V1"},
    {isa::FLOAT8E8M0, "<V1"}};

TEST(Npy, HasEveryType) {
  EXPECT_EQ(std::size(npyCases), isa::elementFormats().size());
  for (const NpyCase &c : npyCases) {
    const std::string data(2 * isa::elementBytes(c.type), '\1');
    auto read = parseNpy(npy(c.descriptor, data), "x.npy", c.type);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->type, c.type) << c.descriptor;
    EXPECT_THAT(read->shape, ElementsAre(2));
    auto again = parseNpy(toNpy(*read), "y.npy", c.type);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->type, c.type);
    EXPECT_EQ(again->bytes, read->bytes);
  }
}

TEST(Npy, DoesNotGuessAType) {
  EXPECT_THAT(std::string(parseNpy(npy("<V2", "1234"), "x.npy", isa::FLOAT16)
                              .status()
                              .message()),
              HasSubstr("element type '<V2' is not supported for float16 "
                        "values"));
  EXPECT_FALSE(parseNpy(npy("<V2", "1234"), "x.npy").ok());
  EXPECT_EQ(parseNpy(npy("<f4", "12345678"), "x.npy", isa::BFLOAT16)->type,
            isa::FLOAT32);
}

TEST(TensorProto, HasEveryType) {
  int known = 0;
  for (int number = 1; number < 32; ++number) {
    onnx::TensorProto tensor;
    tensor.set_data_type(number);
    tensor.add_dims(0);
    auto read = parseTensorProto(tensor.SerializeAsString(), "x.pb");
    if (!read.ok())
      continue;
    ++known;
    onnx::TensorProto written;
    ASSERT_TRUE(written.ParseFromString(toTensorProto(*read, "x")));
    EXPECT_EQ(written.data_type(), number);
  }
  EXPECT_EQ(known, int(isa::elementFormats().size()));
}

/// onnx.helper.make_tensor("x", TensorProto.INT4, [5], [-8, 7, -1, 3, 1]) has
/// the raw bytes 0x78, 0x3f, 0x01; INT2 of [-2, 1, 0, -1, 1] has 0xc6, 0x01.
TEST(TensorProto, PacksSmallIntegers) {
  struct Case {
    isa::ElementType type;
    int number;
    std::string packed;
    std::vector<uint8_t> elements;
  };
  for (const Case &c :
       {Case{isa::INT4, 22, "\x78\x3f\x01", {0xf8, 7, 0xff, 3, 1}},
        Case{isa::UINT4, 21, "\x78\x3f\x01", {8, 7, 15, 3, 1}},
        Case{isa::FLOAT4E2M1, 23, "\x78\x3f\x01", {8, 7, 15, 3, 1}},
        Case{isa::INT2, 26, "\xc6\x01", {0xfe, 1, 0, 0xff, 1}},
        Case{isa::UINT2, 25, "\xc6\x01", {2, 1, 0, 3, 1}}}) {
    onnx::TensorProto tensor;
    tensor.set_data_type(c.number);
    tensor.add_dims(5);
    tensor.set_raw_data(c.packed);
    auto read = parseTensorProto(tensor.SerializeAsString(), "x.pb");
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->type, c.type);
    EXPECT_EQ(read->bytes, c.elements);
    onnx::TensorProto written;
    ASSERT_TRUE(written.ParseFromString(toTensorProto(*read, "x")));
    EXPECT_EQ(written.raw_data(), c.packed);
    // The same in int32_data, a byte each.
    tensor.clear_raw_data();
    for (char byte : c.packed)
      tensor.add_int32_data(static_cast<uint8_t>(byte));
    EXPECT_EQ(parseTensorProto(tensor.SerializeAsString(), "x.pb")->bytes,
              c.elements);
  }
}

TEST(TensorProto, TakesElementsFromTheirFields) {
  onnx::TensorProto tensor;
  tensor.add_dims(2);
  auto bytes = [&](int number) {
    tensor.set_data_type(number);
    auto read = parseTensorProto(tensor.SerializeAsString(), "x.pb");
    EXPECT_TRUE(read.ok()) << read.status();
    return read.ok() ? read->bytes : std::vector<uint8_t>();
  };
  tensor.add_int32_data(0x3c00);
  tensor.add_int32_data(1);
  EXPECT_THAT(bytes(onnx::TensorProto::FLOAT16), ElementsAre(0, 0x3c, 1, 0));
  EXPECT_THAT(bytes(onnx::TensorProto::BFLOAT16), ElementsAre(0, 0x3c, 1, 0));
  EXPECT_THAT(bytes(onnx::TensorProto::UINT16), ElementsAre(0, 0x3c, 1, 0));
  tensor.set_int32_data(0, 0);
  EXPECT_THAT(bytes(onnx::TensorProto::BOOL), ElementsAre(0, 1));
  tensor.add_uint64_data(7);
  tensor.add_uint64_data(0xffffffff);
  EXPECT_THAT(bytes(onnx::TensorProto::UINT32),
              ElementsAre(7, 0, 0, 0, 0xff, 0xff, 0xff, 0xff));
  tensor.add_double_data(0);
  tensor.add_double_data(-2);
  EXPECT_THAT(bytes(onnx::TensorProto::DOUBLE),
              ElementsAre(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xc0));
}

} // namespace
} // namespace tenon::tools

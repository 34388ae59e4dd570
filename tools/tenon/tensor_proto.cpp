//===- tools/tenon/tensor_proto.cpp - ONNX's tensor files -----------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Source: the comments of TensorProto in onnx.proto.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/tensor_proto.h"

#include "isa/files.h"
#include "isa/program.h"

#include "absl/strings/str_cat.h"

#include "onnx/onnx_pb.h"

#include <climits>

namespace tenon::tools {

using runtime::Array;
using runtime::Shape;

namespace {

/// TensorProto.DataType by number: older headers of ONNX lack the last names.
struct OnnxType {
  isa::ElementType type;
  int32_t number;
};
constexpr OnnxType onnxTypes[] = {{isa::FLOAT32, 1},
                                  {isa::UINT8, 2},
                                  {isa::INT8, 3},
                                  {isa::UINT16, 4},
                                  {isa::INT16, 5},
                                  {isa::INT32, 6},
                                  {isa::INT64, 7},
                                  {isa::BOOL, 9},
                                  {isa::FLOAT16, 10},
                                  {isa::FLOAT64, 11},
                                  {isa::UINT32, 12},
                                  {isa::UINT64, 13},
                                  {isa::BFLOAT16, 16},
                                  {isa::FLOAT8E4M3FN, 17},
                                  {isa::FLOAT8E4M3FNUZ, 18},
                                  {isa::FLOAT8E5M2, 19},
                                  {isa::FLOAT8E5M2FNUZ, 20},
                                  {isa::UINT4, 21},
                                  {isa::INT4, 22},
                                  {isa::FLOAT4E2M1, 23},
                                  {isa::FLOAT8E8M0, 24},
                                  {isa::UINT2, 25},
                                  {isa::INT2, 26}};

template <typename T, typename Field>
void appendAll(std::vector<uint8_t> &bytes, const Field &field) {
  for (auto element : field) {
    T value = static_cast<T>(element);
    auto *raw = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof value);
  }
}

/// The elements as raw_data would have them.
std::vector<uint8_t> rawBytes(const onnx::TensorProto &tensor,
                              const isa::ElementFormat &format) {
  std::vector<uint8_t> bytes;
  if (tensor.has_raw_data())
    bytes.assign(tensor.raw_data().begin(), tensor.raw_data().end());
  else if (format.type == isa::FLOAT32)
    appendAll<float>(bytes, tensor.float_data());
  else if (format.type == isa::FLOAT64)
    appendAll<double>(bytes, tensor.double_data());
  else if (format.type == isa::INT64)
    appendAll<int64_t>(bytes, tensor.int64_data());
  else if (format.type == isa::UINT64)
    appendAll<uint64_t>(bytes, tensor.uint64_data());
  else if (format.type == isa::UINT32)
    appendAll<uint32_t>(bytes, tensor.uint64_data());
  else if (format.bytes == 4)
    appendAll<int32_t>(bytes, tensor.int32_data());
  else if (format.bytes == 2)
    appendAll<uint16_t>(bytes, tensor.int32_data());
  else
    appendAll<uint8_t>(bytes, tensor.int32_data());
  return bytes;
}

bool isPacked(const isa::ElementFormat &format) {
  return format.bits < 8 && format.kind != isa::ElementKind::Bool;
}

/// Bytes in a file.
uint64_t packedSize(uint64_t count, const isa::ElementFormat &format) {
  if (!isPacked(format))
    return count * format.bytes;
  const uint64_t perByte = 8 / format.bits;
  return (count + perByte - 1) / perByte;
}

std::vector<uint8_t> unpacked(const std::vector<uint8_t> &packed, int64_t count,
                              const isa::ElementFormat &format) {
  const int64_t perByte = 8 / format.bits;
  const unsigned above = 8 - format.bits;
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < count; ++i) {
    const auto high = static_cast<uint8_t>(
        packed[i / perByte] >> (i % perByte * format.bits) << above);
    bytes.push_back(
        format.kind == isa::ElementKind::Signed
            ? static_cast<uint8_t>(static_cast<int8_t>(high) >> above)
            : high >> above);
  }
  return bytes;
}

std::string packed(const std::vector<uint8_t> &bytes,
                   const isa::ElementFormat &format) {
  const size_t perByte = 8 / format.bits;
  std::string result((bytes.size() + perByte - 1) / perByte, '\0');
  for (size_t i = 0; i < bytes.size(); ++i)
    result[i / perByte] |= static_cast<char>(
        (bytes[i] & ((1u << format.bits) - 1)) << (i % perByte * format.bits));
  return result;
}

} // namespace

absl::StatusOr<Array> readTensorProto(const std::string &path) {
  auto content = isa::readFile(path);
  return content.ok() ? parseTensorProto(*content, path) : content.status();
}

absl::StatusOr<Array> parseTensorProto(absl::string_view file,
                                       absl::string_view path) {
  onnx::TensorProto tensor;
  if (file.size() > INT_MAX ||
      !tensor.ParseFromArray(file.data(), static_cast<int>(file.size())))
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is not an ONNX tensor (TensorProto)"));
  const isa::ElementFormat *format = nullptr;
  for (const OnnxType &candidate : onnxTypes)
    if (candidate.number == tensor.data_type())
      format = isa::findElementFormat(candidate.type);
  if (!format)
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "': element type ", tensor.data_type(),
                     " is not supported"));
  Array array{format->type, Shape(tensor.dims().begin(), tensor.dims().end()),
              rawBytes(tensor, *format)};
  auto count = isa::elementCount(tensor.dims());
  if (!count.ok() || packedSize(*count, *format) != array.bytes.size())
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "': shape ", runtime::shapeText(array.shape),
                     " does not fit ", array.bytes.size(), " bytes of data"));
  if (isPacked(*format))
    array.bytes = unpacked(array.bytes, static_cast<int64_t>(*count), *format);
  return array;
}

std::string toTensorProto(const Array &array, const std::string &name) {
  const isa::ElementFormat &format = *isa::findElementFormat(array.type);
  onnx::TensorProto tensor;
  tensor.set_name(name);
  for (const OnnxType &candidate : onnxTypes)
    if (candidate.type == array.type)
      tensor.set_data_type(candidate.number);
  for (int64_t extent : array.shape)
    tensor.add_dims(extent);
  if (isPacked(format))
    tensor.set_raw_data(packed(array.bytes, format));
  else
    tensor.set_raw_data(array.bytes.data(), array.bytes.size());
  return tensor.SerializeAsString();
}

} // namespace tenon::tools

//===- tools/tenon/arrays.cpp - Arrays from and to files ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/arrays.h"

#include "isa/files.h"
#include "tools/tenon/npy.h"
#include "tools/tenon/picture.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include "onnx/onnx_pb.h"

#include <climits>
#include <cstring>
#include <random>

namespace tenon::tools {

using runtime::Array;
using runtime::Shape;

static absl::StatusOr<std::vector<float>> numbers(absl::string_view key,
                                                  absl::string_view text) {
  std::vector<float> values;
  for (absl::string_view part : absl::StrSplit(text, '/')) {
    float value;
    if (!absl::SimpleAtof(part, &value))
      return absl::InvalidArgumentError(
          absl::StrCat("--preprocess: ", key,
                       " must be numbers separated by '/', not '", text, "'"));
    values.push_back(value);
  }
  return values;
}

absl::StatusOr<Preprocess> Preprocess::parse(absl::string_view text) {
  Preprocess result;
  for (absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    std::pair<absl::string_view, absl::string_view> pair =
        absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (pair.first == "mean" || pair.first == "std") {
      auto values = numbers(pair.first, pair.second);
      if (!values.ok())
        return values.status();
      (pair.first == "mean" ? result.mean : result.std) = *values;
    } else if (pair.first == "color" &&
               (pair.second == "rgb" || pair.second == "bgr")) {
      result.bgr = pair.second == "bgr";
    } else {
      return absl::InvalidArgumentError(
          absl::StrCat("--preprocess: '", part,
                       "' is not mean=N[/N/N], std=N[/N/N], color=rgb or "
                       "color=bgr"));
    }
  }
  for (float value : result.std)
    if (!(value > 0))
      return absl::InvalidArgumentError("--preprocess: std must be positive");
  return result;
}

static isa::ElementType elementType(int32_t onnx) {
  switch (onnx) {
  case onnx::TensorProto::INT8:
    return isa::INT8;
  case onnx::TensorProto::UINT8:
    return isa::UINT8;
  case onnx::TensorProto::INT32:
    return isa::INT32;
  case onnx::TensorProto::FLOAT:
    return isa::FLOAT32;
  case onnx::TensorProto::INT64:
    return isa::INT64;
  default:
    return isa::ELEMENT_TYPE_UNSPECIFIED;
  }
}

static int32_t onnxType(isa::ElementType type) {
  for (int32_t candidate : {onnx::TensorProto::INT8, onnx::TensorProto::UINT8,
                            onnx::TensorProto::INT32, onnx::TensorProto::FLOAT,
                            onnx::TensorProto::INT64})
    if (elementType(candidate) == type)
      return candidate;
  return onnx::TensorProto::UNDEFINED;
}

template <typename T, typename Field>
static void appendAll(std::vector<uint8_t> &bytes, const Field &field) {
  for (auto element : field) {
    T value = static_cast<T>(element);
    auto *raw = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), raw, raw + sizeof value);
  }
}

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
  Array array{elementType(tensor.data_type()),
              Shape(tensor.dims().begin(), tensor.dims().end()),
              {}};
  if (array.type == isa::ELEMENT_TYPE_UNSPECIFIED)
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "': element type ", tensor.data_type(),
                     " is not supported"));
  if (tensor.has_raw_data())
    array.bytes.assign(tensor.raw_data().begin(), tensor.raw_data().end());
  else if (array.type == isa::FLOAT32)
    appendAll<float>(array.bytes, tensor.float_data());
  else if (array.type == isa::INT64)
    appendAll<int64_t>(array.bytes, tensor.int64_data());
  else if (array.type == isa::INT32)
    appendAll<int32_t>(array.bytes, tensor.int32_data());
  else
    appendAll<uint8_t>(array.bytes, tensor.int32_data());
  double want = runtime::elementBytes(array.type);
  for (int64_t extent : array.shape)
    want *= extent < 0 ? -1e18 : extent;
  if (want != static_cast<double>(array.bytes.size()))
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "': shape ", runtime::shapeText(array.shape),
                     " does not fit ", array.bytes.size(), " bytes of data"));
  return array;
}

std::string toTensorProto(const Array &array, const std::string &name) {
  onnx::TensorProto tensor;
  tensor.set_name(name);
  tensor.set_data_type(onnxType(array.type));
  for (int64_t extent : array.shape)
    tensor.add_dims(extent);
  tensor.set_raw_data(array.bytes.data(), array.bytes.size());
  return tensor.SerializeAsString();
}

static bool endsIn(absl::string_view path,
                   std::initializer_list<absl::string_view> endings) {
  return absl::c_any_of(endings, [&](absl::string_view ending) {
    return absl::EndsWithIgnoreCase(path, ending);
  });
}

bool isPicture(absl::string_view path) {
  return endsIn(path, {".png", ".jpg", ".jpeg", ".bmp"});
}

bool isInputFile(absl::string_view path) {
  return isPicture(path) || endsIn(path, {".npy", ".pb"});
}

absl::StatusOr<Array> readInput(const std::string &path,
                                const isa::Buffer &buffer,
                                const Preprocess &preprocess) {
  if (absl::EndsWithIgnoreCase(path, ".pb"))
    return readTensorProto(path);
  if (absl::EndsWithIgnoreCase(path, ".npy")) {
    auto content = isa::readFile(path);
    if (!content.ok())
      return content.status();
    return parseNpy(*content, path);
  }
  if (isPicture(path))
    return readPicture(path, buffer, preprocess);
  return absl::InvalidArgumentError(absl::StrCat(
      "'", path,
      "': an input file ends in .npy, .pb, .png, .jpg, .jpeg or .bmp"));
}

std::vector<runtime::Array> randomInputs(const isa::Program &program,
                                         uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<runtime::Array> arrays;
  for (uint32_t index : program.inputs()) {
    const isa::Buffer &buffer = program.buffers(index);
    runtime::Array array{
        buffer.type(), {buffer.shape().begin(), buffer.shape().end()}, {}};
    int64_t count = runtime::elementCount(array.shape);
    array.bytes.resize(count * runtime::elementBytes(array.type));
    if (array.type == isa::FLOAT32) {
      auto *values = reinterpret_cast<float *>(array.bytes.data());
      for (int64_t i = 0; i < count; ++i)
        values[i] = static_cast<int32_t>(random()) * 0x1p-31f;
    } else {
      for (uint8_t &byte : array.bytes)
        byte = static_cast<uint8_t>(random());
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

} // namespace tenon::tools

//===- tools/tenon/arrays.cpp - Arrays from and to files ------------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/arrays.h"

#include "isa/files.h"
#include "tools/tenon/npy.h"
#include "tools/tenon/picture.h"
#include "tools/tenon/tensor_proto.h"

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

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
    return parseNpy(*content, path, buffer.type());
  }
  if (isPicture(path))
    return readPicture(path, buffer, preprocess);
  return absl::InvalidArgumentError(absl::StrCat(
      "'", path,
      "': an input file ends in .npy, .pb, .png, .jpg, .jpeg or .bmp"));
}

/// An element of a format that is not IEEE's, drawn from those codes that no
/// format has for an infinity or a NaN; of an integer, any.
static uint8_t randomByte(const isa::ElementFormat &format,
                          std::mt19937_64 &random) {
  const auto byte = static_cast<uint8_t>(random());
  if (format.bits == 8)
    return format.kind == isa::ElementKind::Float ? byte & 0x3f : byte;
  const int above = 8 - static_cast<int>(format.bits);
  const auto high = static_cast<uint8_t>(byte << above);
  return format.kind == isa::ElementKind::Signed
             ? static_cast<uint8_t>(static_cast<int8_t>(high) >> above)
             : static_cast<uint8_t>(high >> above);
}

/// Floats of 16 bits and more lie in [-1, 1).
static void fillRandomly(Array &array, int64_t count, std::mt19937_64 &random) {
  const isa::ElementFormat &format = *isa::findElementFormat(array.type);
  uint8_t *to = array.bytes.data();
  if (format.kind != isa::ElementKind::Float || format.bytes == 1) {
    for (size_t i = 0; i < array.bytes.size(); ++i)
      to[i] = format.bytes == 1 ? randomByte(format, random)
                                : static_cast<uint8_t>(random());
    return;
  }
  for (int64_t i = 0; i < count; ++i, to += format.bytes) {
    const auto number = static_cast<int32_t>(random());
    const float single = number * 0x1p-31f;
    const double value = number * 0x1p-31;
    uint32_t bits;
    std::memcpy(&bits, &single, sizeof bits);
    // Of 16 bits: a bfloat16 is the upper half of a float; a half of a
    // magnitude in [1/2, 1) has its sign and ten more bits at random.
    const auto upper = static_cast<uint16_t>(bits >> 16);
    const auto half = static_cast<uint16_t>(
        (static_cast<uint32_t>(number) >> 16 & 0x83ff) | 0x3800);
    if (array.type == isa::FLOAT32)
      std::memcpy(to, &single, sizeof single);
    else if (array.type == isa::FLOAT64)
      std::memcpy(to, &value, sizeof value);
    else
      std::memcpy(to, array.type == isa::BFLOAT16 ? &upper : &half, 2);
  }
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
    fillRandomly(array, count, random);
    arrays.push_back(std::move(array));
  }
  return arrays;
}

} // namespace tenon::tools

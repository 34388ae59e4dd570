//===- tools/tenon/picture.cpp - Pictures as network inputs ---------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/tenon/picture.h"

#include "isa/files.h"
#include "isa/program.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

// What --input says it reads; the other formats know pictures of no pixels, and
// take files that are no picture.  Its JPEG writes outside of a table where a
// file says so: that is libjpeg-turbo's.
#define STBI_ONLY_BMP
#define STBI_ONLY_PNG
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#define STB_IMAGE_RESIZE_STATIC
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"
// It copies no bytes to where nothing is; of a picture of -2^31 rows it takes
// the absolute value, and then refuses it.
#pragma clang attribute push(                                                  \
    __attribute__((                                                            \
        no_sanitize("nonnull-attribute", "signed-integer-overflow"))),         \
    apply_to = function)
#include "stb/stb_image.h"
#include "stb/stb_image_resize.h"
#pragma clang attribute pop
#pragma clang diagnostic pop
#include "turbojpeg.h"

#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tenon::tools {

using runtime::Array;

namespace {

/// Decoded rows, the colours of a pixel side by side.
struct Pixels {
  int width = 0, height = 0;
  std::unique_ptr<stbi_uc, void (*)(void *)> bytes{nullptr, std::free};
};

/// The picture's place in an input's shape.
struct Geometry {
  int height = 0, width = 0, colors = 0;
  bool channelsFirst = false;
};

void store(Array &array, int64_t index, float value) {
  uint8_t *to = &array.bytes[index * runtime::elementBytes(array.type)];
  float rounded = std::nearbyint(value);
  if (array.type == isa::FLOAT32)
    std::memcpy(to, &value, sizeof value);
  else if (array.type == isa::UINT8)
    *to = static_cast<uint8_t>(std::fmin(std::fmax(rounded, 0), 255));
  else
    *to = static_cast<uint8_t>(
        static_cast<int8_t>(std::fmin(std::fmax(rounded, -128), 127)));
}

} // namespace

static absl::StatusOr<Geometry> geometryOf(const isa::Buffer &buffer) {
  runtime::Shape shape(buffer.shape().begin(), buffer.shape().end());
  auto isColor = [](int64_t extent) { return extent == 1 || extent == 3; };
  bool byteOrFloat = buffer.type() == isa::INT8 ||
                     buffer.type() == isa::UINT8 ||
                     buffer.type() == isa::FLOAT32;
  auto count = isa::elementCount(buffer.shape());
  if (byteOrFloat && shape.size() == 4 && shape[0] == 1 && count.ok() &&
      *count > 0 && *count <= 3 * static_cast<uint64_t>(defaultMostPixels)) {
    if (isColor(shape[1]))
      return Geometry{static_cast<int>(shape[2]), static_cast<int>(shape[3]),
                      static_cast<int>(shape[1]), true};
    if (isColor(shape[3]))
      return Geometry{static_cast<int>(shape[1]), static_cast<int>(shape[2]),
                      static_cast<int>(shape[3]), false};
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "input '", buffer.name(), "' is ", runtime::elementName(buffer.type()),
      " ", runtime::shapeText(shape),
      "; a picture fits int8, uint8 or float32 of 1xCxHxW or 1xHxWxC with C = "
      "1 or 3"));
}

/// Values of pixels, which have their colours first or last.
static absl::StatusOr<Array> valuesOf(const uint8_t *pixels, bool colorsFirst,
                                      const Geometry &geometry,
                                      const isa::Buffer &buffer,
                                      const Preprocess &preprocess) {
  const int c = geometry.colors;
  for (auto *values : {&preprocess.mean, &preprocess.std})
    if (values->size() != 1 && static_cast<int>(values->size()) != c)
      return absl::InvalidArgumentError(
          absl::StrCat("--preprocess: ", values->size(), " values for ", c,
                       " colours; give one, or one a colour"));
  Array array{
      buffer.type(), {buffer.shape().begin(), buffer.shape().end()}, {}};
  const int64_t area = static_cast<int64_t>(geometry.height) * geometry.width;
  array.bytes.resize(area * c * runtime::elementBytes(array.type));
  for (int64_t pixel = 0; pixel < area; ++pixel)
    for (int k = 0; k < c; ++k) {
      int color = preprocess.bgr ? c - 1 - k : k;
      uint8_t value =
          pixels[colorsFirst ? color * area + pixel : pixel * c + color];
      float mean = preprocess.mean[preprocess.mean.size() == 1 ? 0 : k];
      float std = preprocess.std[preprocess.std.size() == 1 ? 0 : k];
      store(array, geometry.channelsFirst ? k * area + pixel : pixel * c + k,
            (value - mean) / std);
    }
  return array;
}

absl::StatusOr<Array> preprocessPixels(const Array &pixels,
                                       const isa::Buffer &buffer,
                                       const Preprocess &preprocess) {
  auto geometry = geometryOf(buffer);
  if (!geometry.ok())
    return geometry.status();
  return valuesOf(pixels.bytes.data(), geometry->channelsFirst, *geometry,
                  buffer, preprocess);
}

static absl::Status checkSize(int width, int height, int64_t mostPixels) {
  if (width < 1 || height < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("is not a picture: ", width, "x", height, " pixels"));
  if (static_cast<int64_t>(width) * height > mostPixels)
    return absl::InvalidArgumentError(absl::StrCat("has ", width, "x", height,
                                                   " pixels, at most ",
                                                   mostPixels, " are read"));
  return absl::OkStatus();
}

/// What a warning is of (a file that ends early, say) is refused as well.
static absl::StatusOr<Pixels> decodeJpeg(absl::string_view file, int colors,
                                         int64_t mostPixels) {
  std::unique_ptr<void, int (*)(tjhandle)> decoder(tjInitDecompress(),
                                                   tjDestroy);
  if (!decoder)
    return absl::ResourceExhaustedError("no memory to decode it");
  auto *bytes = reinterpret_cast<const unsigned char *>(file.data());
  Pixels pixels;
  int subsampling, space;
  auto failed = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("is not a picture: ", tjGetErrorStr2(decoder.get())));
  };
  if (tjDecompressHeader3(decoder.get(), bytes, file.size(), &pixels.width,
                          &pixels.height, &subsampling, &space) != 0)
    return failed();
  if (auto status = checkSize(pixels.width, pixels.height, mostPixels);
      !status.ok())
    return status;
  if (space == TJCS_CMYK || space == TJCS_YCCK)
    return absl::InvalidArgumentError(
        "has the colours of print (CMYK): convert it to RGB");
  pixels.bytes.reset(static_cast<stbi_uc *>(
      std::malloc(static_cast<size_t>(pixels.width) * pixels.height * colors)));
  if (!pixels.bytes)
    return absl::ResourceExhaustedError("no memory to decode it");
  if (tjDecompress2(decoder.get(), bytes, file.size(), pixels.bytes.get(),
                    pixels.width, /*pitch=*/0, pixels.height,
                    colors == 1 ? TJPF_GRAY : TJPF_RGB, TJFLAG_LIMITSCANS) != 0)
    return failed();
  return pixels;
}

static absl::StatusOr<Pixels> decodeOthers(absl::string_view file, int colors,
                                           int64_t mostPixels) {
  auto *bytes = reinterpret_cast<const stbi_uc *>(file.data());
  const int size = static_cast<int>(std::min<size_t>(file.size(), INT_MAX));
  Pixels pixels;
  int inFile;
  if (stbi_info_from_memory(bytes, size, &pixels.width, &pixels.height,
                            &inFile))
    if (auto status = checkSize(pixels.width, pixels.height, mostPixels);
        !status.ok())
      return status;
  pixels.bytes = {stbi_load_from_memory(bytes, size, &pixels.width,
                                        &pixels.height, &inFile, colors),
                  stbi_image_free};
  if (!pixels.bytes)
    return absl::InvalidArgumentError(
        absl::StrCat("is not a picture: ", stbi_failure_reason()));
  if (auto status = checkSize(pixels.width, pixels.height, mostPixels);
      !status.ok())
    return status;
  return pixels;
}

absl::StatusOr<Array> readPicture(const std::string &path,
                                  const isa::Buffer &buffer,
                                  const Preprocess &preprocess) {
  auto content = isa::readFile(path);
  return content.ok() ? decodePicture(*content, path, buffer, preprocess)
                      : content.status();
}

absl::StatusOr<Array> decodePicture(absl::string_view file,
                                    absl::string_view path,
                                    const isa::Buffer &buffer,
                                    const Preprocess &preprocess,
                                    int64_t mostPixels) {
  auto geometry = geometryOf(buffer);
  if (!geometry.ok())
    return geometry.status();
  auto pixels = file.substr(0, 2) == "\xff\xd8"
                    ? decodeJpeg(file, geometry->colors, mostPixels)
                    : decodeOthers(file, geometry->colors, mostPixels);
  if (!pixels.ok())
    return absl::Status(
        pixels.status().code(),
        absl::StrCat("'", path, "' ",
                     absl::CHexEscape(pixels.status().message())));
  const int width = pixels->width, height = pixels->height;
  const int c = geometry->colors;
  std::vector<stbi_uc> sized(geometry->height * geometry->width * c);
  if (width == geometry->width && height == geometry->height)
    std::copy_n(pixels->bytes.get(), sized.size(), sized.begin());
  else if (!stbir_resize_uint8(pixels->bytes.get(), width, height, 0,
                               sized.data(), geometry->width, geometry->height,
                               0, c))
    return absl::ResourceExhaustedError(absl::StrCat(
        "'", path, "': no memory to resize ", width, "x", height, " pixels"));
  return valuesOf(sized.data(), false, *geometry, buffer, preprocess);
}

} // namespace tenon::tools

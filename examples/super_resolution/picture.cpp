// Part of Tenon, under the Apache License v2.0.

#include "picture.h"

#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <stdexcept>

Picture Picture::read(const std::string &path) {
  int width, height;
  stbi_uc *pixels = stbi_load(path.c_str(), &width, &height, nullptr, 3);
  if (!pixels)
    throw std::runtime_error("cannot read the picture '" + path +
                             "': " + stbi_failure_reason());
  const size_t count = size_t(width) * height;
  Plane plane{width, height, std::vector<float>(count)};
  Picture picture{plane, plane, plane};
  for (size_t i = 0; i < count; ++i) {
    const float r = pixels[3 * i], g = pixels[3 * i + 1], b = pixels[3 * i + 2];
    const float y = 0.299f * r + 0.587f * g + 0.114f * b;
    picture.y.values[i] = y;
    picture.cb.values[i] = 128 + (b - y) / 1.772f;
    picture.cr.values[i] = 128 + (r - y) / 1.402f;
  }
  stbi_image_free(pixels);
  return picture;
}

void Picture::writePng(const std::string &path) const {
  if (size_t(3) * y.width * y.height > INT_MAX) // stb_image_write counts in int
    throw std::runtime_error("a picture of " + std::to_string(y.width) + "x" +
                             std::to_string(y.height) +
                             " pixels is too large for stb's PNG writer");
  std::vector<stbi_uc> pixels;
  pixels.reserve(size_t(3) * y.width * y.height);
  for (size_t i = 0; i < y.values.size(); ++i) {
    const float blue = 1.772f * (cb.values[i] - 128);
    const float red = 1.402f * (cr.values[i] - 128);
    const float green = -(0.114f * blue + 0.299f * red) / 0.587f;
    for (float part : {red, green, blue})
      pixels.push_back(
          stbi_uc(std::lround(std::clamp(y.values[i] + part, 0.0f, 255.0f))));
  }
  if (!stbi_write_png(path.c_str(), y.width, y.height, 3, pixels.data(),
                      3 * y.width))
    throw std::runtime_error("cannot write '" + path + "'");
}

Plane resized(const Plane &plane, int width, int height) {
  Plane result{width, height, std::vector<float>(size_t(width) * height)};
  if (!stbir_resize_float(plane.values.data(), plane.width, plane.height, 0,
                          result.values.data(), width, height, 0, 1))
    throw std::runtime_error("there is no memory for the picture");
  return result;
}

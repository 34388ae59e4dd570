// Part of Tenon, under the Apache License v2.0.

#include "planes.h"

#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

Planes::Planes(const Picture &picture) {
  const size_t count = size_t(picture.width) * picture.height;
  y = cb = cr = {picture.width, picture.height, std::vector<float>(count)};
  for (size_t i = 0; i < count; ++i) {
    const uint8_t *pixel = &picture.pixels[3 * i];
    const float r = pixel[0], g = pixel[1], b = pixel[2];
    const float luma = 0.299f * r + 0.587f * g + 0.114f * b;
    y.values[i] = luma;
    cb.values[i] = 128 + (b - luma) / 1.772f;
    cr.values[i] = 128 + (r - luma) / 1.402f;
  }
}

Picture Planes::picture() const {
  Picture result{y.width, y.height, {}};
  result.pixels.reserve(size_t(3) * y.width * y.height);
  for (size_t i = 0; i < y.values.size(); ++i) {
    const float blue = 1.772f * (cb.values[i] - 128);
    const float red = 1.402f * (cr.values[i] - 128);
    const float green = -(0.114f * blue + 0.299f * red) / 0.587f;
    for (float part : {red, green, blue})
      result.pixels.push_back(
          uint8_t(std::lround(std::clamp(y.values[i] + part, 0.0f, 255.0f))));
  }
  return result;
}

Plane resized(const Plane &plane, int width, int height) {
  Plane result{width, height, std::vector<float>(size_t(width) * height)};
  if (!stbir_resize_float(plane.values.data(), plane.width, plane.height, 0,
                          result.values.data(), width, height, 0, 1))
    throw std::runtime_error("there is no memory for the picture");
  return result;
}

// Part of Tenon, under the Apache License v2.0.

#include "picture.h"

#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STB_IMAGE_RESIZE_IMPLEMENTATION
#include <stb/stb_image_resize.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_easy_font.h>

#include <algorithm>
#include <stdexcept>

Picture Picture::read(const std::string &path) {
  Picture result;
  stbi_uc *data =
      stbi_load(path.c_str(), &result.width, &result.height, nullptr, 3);
  if (!data)
    throw std::runtime_error("cannot read the picture '" + path +
                             "': " + stbi_failure_reason());
  result.pixels.assign(data, data + size_t(3) * result.width * result.height);
  stbi_image_free(data);
  return result;
}

void Picture::writePng(const std::string &path) const {
  if (!stbi_write_png(path.c_str(), width, height, 3, pixels.data(), 3 * width))
    throw std::runtime_error("cannot write '" + path + "'");
}

Picture Picture::resized(int toWidth, int toHeight) const {
  Picture result{toWidth, toHeight, {}};
  result.pixels.resize(size_t(3) * toWidth * toHeight);
  if (!stbir_resize_uint8(pixels.data(), width, height, 0, result.pixels.data(),
                          toWidth, toHeight, 0, 3))
    throw std::runtime_error("there is no memory for the picture");
  return result;
}

void Picture::fill(int left, int top, int right, int bottom, bool dark) {
  static constexpr uint8_t Colors[2][3] = {{255, 196, 0}, {24, 24, 24}};
  for (int y = std::max(top, 0); y < std::min(bottom, height); ++y)
    for (int x = std::max(left, 0); x < std::min(right, width); ++x)
      std::copy_n(Colors[dark], 3, &pixels[3 * (size_t(y) * width + x)]);
}

void Picture::drawBox(int left, int top, int right, int bottom,
                      const std::string &text) {
  // Lines and letters that can be seen in a picture of any size.
  const int line = std::max(2, std::min(width, height) / 150);
  left = std::clamp(left, 0, width), right = std::clamp(right, 0, width);
  top = std::clamp(top, 0, height), bottom = std::clamp(bottom, 0, height);
  fill(left, top, right, top + line, false);
  fill(left, bottom - line, right, bottom, false);
  fill(left, top, left + line, bottom, false);
  fill(right - line, top, right, bottom, false);

  std::string words = text;
  fill(left, top, left + line * (stb_easy_font_width(words.data()) + 4),
       top + line * 12, false);
  struct Corner {
    float x, y, z;
    uint8_t color[4];
  };
  std::vector<Corner> corners(words.size() * 80); // at most 20 strokes a letter
  const int strokes =
      stb_easy_font_print(0, 0, words.data(), nullptr, corners.data(),
                          int(corners.size() * sizeof(Corner)));
  for (int i = 0; i < strokes; ++i) {
    const Corner &from = corners[4 * i], &to = corners[4 * i + 2];
    fill(left + line * (2 + int(from.x)), top + line * (2 + int(from.y)),
         left + line * (2 + int(to.x)), top + line * (2 + int(to.y)), true);
  }
}

// Part of Tenon, under the Apache License v2.0.

#include "picture.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_easy_font.h>

#include <algorithm>
#include <cmath>

int Picture::lineWidth() const {
  return std::max(2, std::min(width, height) / 150);
}

void Picture::blend(int left, int top, int right, int bottom,
                    const Color &color, double share) {
  for (int y = std::max(top, 0); y < std::min(bottom, height); ++y)
    for (int x = std::max(left, 0); x < std::min(right, width); ++x)
      for (int c = 0; c < 3; ++c) {
        uint8_t &pixel = pixels[3 * (size_t(y) * width + x) + c];
        pixel = uint8_t(std::lround(pixel + share * (color[c] - pixel)));
      }
}

void Picture::drawText(int left, int top, const std::string &text,
                       const Color &color, int line) {
  static constexpr Color Dark = {24, 24, 24};
  std::string words = text;
  // The font has what ASCII prints.
  std::replace_if(
      words.begin(), words.end(), [](char c) { return c < 32 || c > 126; },
      '?');
  fill(left, top, left + line * (stb_easy_font_width(words.data()) + 4),
       top + line * 12, color);
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
         left + line * (2 + int(to.x)), top + line * (2 + int(to.y)), Dark);
  }
}

void Picture::drawBox(int left, int top, int right, int bottom,
                      const std::string &text, const Color &color) {
  const int line = lineWidth();
  left = std::clamp(left, 0, width), right = std::clamp(right, 0, width);
  top = std::clamp(top, 0, height), bottom = std::clamp(bottom, 0, height);
  fill(left, top, right, top + line, color);
  fill(left, bottom - line, right, bottom, color);
  fill(left, top, left + line, bottom, color);
  fill(right - line, top, right, bottom, color);
  drawText(left, top, text, color, line);
}

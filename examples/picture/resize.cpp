// Part of Tenon, under the Apache License v2.0.
//
// Networks are as good as they were trained to be on pictures that were shrunk
// in one way. Python's is Pillow's BILINEAR, which takes the mean of all pixels
// under a triangle as wide as a pixel of the result reaches; the bits here are
// the same: weights in 22 bits, columns first, rounded to bytes between. (Of
// some tall pictures Pillow does the rows first, which is a step of 256 away.)

#include "picture.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace {

/// What one pixel of the result is made of, along one axis.
struct Taps {
  int first;
  std::vector<int> weights; // in 2^-Bits, their sum near 1
};

constexpr int Bits = 22;

/// `count` pixels of what lies between `begin` and `end` of `size` pixels.
std::vector<Taps> makeTaps(int size, float begin, float end, int count) {
  const double scale = double(end - begin) / count,
               reach = std::max(scale, 1.0);
  std::vector<Taps> result;
  for (int i = 0; i < count; ++i) {
    const double center = begin + (i + 0.5) * scale;
    const int first = std::max(int(center - reach + 0.5), 0);
    const int last = std::min(int(center + reach + 0.5), size);
    std::vector<double> heights;
    double sum = 0;
    for (int at = first; at < last; ++at) {
      heights.push_back(
          std::max(1 - std::abs((at + 0.5 - center) * (1 / reach)), 0.0));
      sum += heights.back();
    }
    Taps taps{first, {}};
    for (double height : heights)
      taps.weights.push_back(int(0.5 + height / sum * (1 << Bits)));
    result.push_back(std::move(taps));
  }
  return result;
}

/// The sum over the taps of bytes that lie `step` apart.
uint8_t apply(const Taps &taps, const uint8_t *line, size_t step) {
  int64_t sum = 1 << (Bits - 1);
  line += taps.first * step;
  for (size_t i = 0; i < taps.weights.size(); ++i)
    sum += int64_t(taps.weights[i]) * line[i * step];
  return uint8_t(std::min<int64_t>(sum >> Bits, 255));
}

} // namespace

Picture Picture::resized(int toWidth, int toHeight, const Region &from) const {
  if (!(from.left >= 0 && from.left < from.right && from.right <= width &&
        from.top >= 0 && from.top < from.bottom && from.bottom <= height))
    throw std::runtime_error("the region does not lie in the picture");
  const auto columns = makeTaps(width, from.left, from.right, toWidth);
  const auto rows = makeTaps(height, from.top, from.bottom, toHeight);
  Picture narrow{toWidth, height, {}};
  narrow.pixels.resize(size_t(3) * toWidth * height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < toWidth; ++x)
      for (int c = 0; c < 3; ++c)
        narrow.pixels[3 * (size_t(y) * toWidth + x) + c] =
            apply(columns[x], &pixels[size_t(3) * y * width + c], 3);
  Picture result{toWidth, toHeight, {}};
  const size_t line = size_t(3) * toWidth;
  result.pixels.resize(line * toHeight);
  for (int y = 0; y < toHeight; ++y)
    for (size_t i = 0; i < line; ++i)
      result.pixels[y * line + i] = apply(rows[y], &narrow.pixels[i], line);
  return result;
}

// Part of Tenon, under the Apache License v2.0.

#ifndef PICTURE_H
#define PICTURE_H

#include <cstdint>
#include <string>
#include <vector>

/// Red, green and blue of every pixel, row by row.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;

  /// Any format that stb_image reads; throws std::runtime_error.
  static Picture read(const std::string &path);
  void writePng(const std::string &path) const;
  Picture resized(int toWidth, int toHeight) const;

  /// Edges in pixels, clipped to the picture; the text stands inside, at the
  /// top.
  void drawBox(int left, int top, int right, int bottom,
               const std::string &text);

private:
  void fill(int left, int top, int right, int bottom, bool dark);
};

#endif // PICTURE_H

// Part of Tenon, under the Apache License v2.0.

#ifndef PICTURE_H
#define PICTURE_H

#include <array>
#include <cstdint>
#include <string>
#include <vector>

using Color = std::array<uint8_t, 3>;

/// Edges in pixels, which may lie between two.
struct Region {
  float left, top, right, bottom;
};

/// Red, green and blue of every pixel, row by row.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> pixels;

  /// Any format that stb_image reads; throws std::runtime_error.
  static Picture read(const std::string &path);
  void writePng(const std::string &path) const;

  /// What lies in a region of the picture, in another size: bilinear, and where
  /// it shrinks the mean of all pixels by the same triangle (resize.cpp).
  Picture resized(int toWidth, int toHeight, const Region &from) const;
  Picture resized(int toWidth, int toHeight) const {
    return resized(toWidth, toHeight, {0, 0, float(width), float(height)});
  }

  /// All of red, all of green, all of blue, as networks take them: 3xHxW.
  std::vector<uint8_t> planes() const;

  // Edges in pixels, clipped to the picture.

  /// Of the color a share from 0 to 1, of the picture the rest.
  void blend(int left, int top, int right, int bottom, const Color &color,
             double share);
  void fill(int left, int top, int right, int bottom, const Color &color) {
    blend(left, top, right, bottom, color, 1);
  }
  /// Dark text of strokes `line` pixels wide on a ground of `color`; `top` and
  /// `left` are the ground's, which is 12 strokes high. What is not ASCII is
  /// drawn as '?', a byte each.
  void drawText(int left, int top, const std::string &text, const Color &color,
                int line);
  /// A frame, and a text inside it at the top.
  void drawBox(int left, int top, int right, int bottom,
               const std::string &text, const Color &color);
  /// Pixels that can be seen in a picture of this size.
  int lineWidth() const;
};

#endif // PICTURE_H

// Part of Tenon, under the Apache License v2.0.

#ifndef PICTURE_H
#define PICTURE_H

#include <string>
#include <vector>

/// One value of every pixel, row by row.
struct Plane {
  int width = 0, height = 0;
  std::vector<float> values;
};

/// Luma and both chromas of JFIF's YCbCr (Rec. 601, all of 0 to 255), not
/// rounded.
struct Picture {
  Plane y, cb, cr;

  /// Any format that stb_image reads; throws std::runtime_error.
  static Picture read(const std::string &path);
  /// Planes of one size; what is no colour is cut off.
  void writePng(const std::string &path) const;
};

/// By Catmull-Rom's cubic.
Plane resized(const Plane &plane, int width, int height);

#endif // PICTURE_H

// Part of Tenon, under the Apache License v2.0.

#ifndef PLANES_H
#define PLANES_H

#include "picture.h"

/// One value of every pixel, row by row.
struct Plane {
  int width = 0, height = 0;
  std::vector<float> values;
};

/// Luma and both chromas of JFIF's YCbCr (Rec. 601, all of 0 to 255), not
/// rounded.
struct Planes {
  Plane y, cb, cr;

  explicit Planes(const Picture &picture);
  /// Of planes of one size; what is no colour is cut off.
  Picture picture() const;
};

/// By Catmull-Rom's cubic.
Plane resized(const Plane &plane, int width, int height);

#endif // PLANES_H

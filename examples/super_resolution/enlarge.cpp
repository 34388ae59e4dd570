// Part of Tenon, under the Apache License v2.0.

#include "enlarge.h"

#include <algorithm>
#include <climits>

/// Of the only input.
static std::vector<int64_t> inputShape(const tenon::Program &program) {
  const tenon_info in = program.input(0), out = program.output(0);
  const std::vector<int64_t> shape(in.shape, in.shape + in.rank);
  if (program.inputs() != 1 || program.outputs() != 1 ||
      in.type != TENON_FLOAT32 || out.type != TENON_FLOAT32 ||
      shape.size() != 4 || shape[0] > 1 || shape[1] != 1)
    throw std::runtime_error("the network does not turn one plane of float32, "
                             "1x1xHxW, into another");
  if (std::count(shape.begin(), shape.end(), 0))
    throw std::runtime_error("the network's shape must be fixed: by --shape of "
                             "tenon compile, as in --shape " +
                             std::string(in.name) + "=1,1,224,224");
  if (std::min(shape[2], shape[3]) <= 2 * Enlarger::Margin)
    throw std::runtime_error(
        "the network's height and width must be more than " +
        std::to_string(2 * Enlarger::Margin));
  return shape;
}

Enlarger::Enlarger(const tenon::Program &program, const std::string &device)
    : shape(inputShape(program)), session(program, device) {
  std::vector<float> nothing;
  resultShape = session.outputShape({tenon::array(nothing, shape)}, 0);
  if (resultShape.size() == 4)
    factor = int(resultShape[2] / shape[2]);
  if (factor < 1 || resultShape != std::vector<int64_t>{1, 1, factor * shape[2],
                                                        factor * shape[3]})
    throw std::runtime_error(
        "the network does not make its plane larger by a whole factor");
}

Plane Enlarger::operator()(const Plane &plane) {
  if (std::max(plane.width, plane.height) > INT_MAX / factor)
    throw std::runtime_error("the picture would be too large");
  const int height = int(shape[2]), width = int(shape[3]);
  const int rows = height - 2 * Margin, columns = width - 2 * Margin;
  std::vector<float> tile(size_t(height) * width);
  std::vector<float> larger(tile.size() * factor * factor);
  Plane result{factor * plane.width, factor * plane.height, {}};
  result.values.resize(size_t(result.width) * result.height);
  for (int top = 0; top < plane.height; top += rows)
    for (int left = 0; left < plane.width; left += columns) {
      for (int y = 0; y < height; ++y) {
        const size_t from = std::clamp(top - Margin + y, 0, plane.height - 1);
        for (int x = 0; x < width; ++x)
          tile[size_t(y) * width + x] =
              plane.values[from * plane.width +
                           std::clamp(left - Margin + x, 0, plane.width - 1)] /
              255;
      }
      session.run({tenon::array(tile, shape)},
                  {tenon::array(larger, resultShape)});
      const int tall = factor * std::min(rows, plane.height - top);
      const int wide = factor * std::min(columns, plane.width - left);
      for (int y = 0; y < tall; ++y) {
        const float *from =
            &larger[(size_t(factor * Margin + y) * width + Margin) * factor];
        float *to = &result.values[size_t(factor * top + y) * result.width +
                                   size_t(factor) * left];
        for (int x = 0; x < wide; ++x)
          to[x] = 255 * from[x];
      }
    }
  return result;
}

// Part of Tenon, under the Apache License v2.0.
//
// Pictures, resized to inputs of both orders of axes, of three and one colour.

#include "tools/tenon/picture.h"
#include "isa/program.h"
#include "tests/fuzz/input/target.h"

namespace tenon::fuzz {
namespace {
// Time goes with the pixels: many small pictures say more than a large one.
constexpr int64_t mostPixels = 1 << 20;
} // namespace

absl::Status picture(absl::string_view input) {
  isa::Buffer color, grey;
  color.set_type(isa::INT8);
  grey.set_type(isa::FLOAT32);
  for (int64_t extent : {1, 3, 5, 7})
    color.add_shape(extent);
  for (int64_t extent : {1, 4, 9, 1})
    grey.add_shape(extent);
  auto first = tools::decodePicture(input, "input", color, {}, mostPixels);
  auto second = tools::decodePicture(input, "input", grey, {}, mostPixels);
  if (!first.ok())
    return first.status();
  if (first->bytes.size() != 105)
    broken("a picture has not the bytes of the input");
  if (second.ok() && second->bytes.size() != 4 * 36)
    broken("a grey picture has not the bytes of the input");
  return second.status();
}

} // namespace tenon::fuzz

// Part of Tenon, under the Apache License v2.0.

#include "picture.h"

#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

#include <climits>
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
  if (pixels.size() > INT_MAX) // stb_image_write counts in int
    throw std::runtime_error("a picture of " + std::to_string(width) + "x" +
                             std::to_string(height) +
                             " pixels is too large for stb's PNG writer");
  if (!stbi_write_png(path.c_str(), width, height, 3, pixels.data(), 3 * width))
    throw std::runtime_error("cannot write '" + path + "'");
}

std::vector<uint8_t> Picture::planes() const {
  std::vector<uint8_t> result(pixels.size());
  const size_t plane = pixels.size() / 3;
  for (size_t i = 0; i < pixels.size(); ++i)
    result[i % 3 * plane + i / 3] = pixels[i];
  return result;
}

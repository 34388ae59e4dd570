// Part of Tenon, under the Apache License v2.0.
//
// Makes a picture larger: super_resolution NETWORK.tenon PICTURE OUT.png
// [DEVICE]

#include "enlarge.h"

#include <cstdio>

int main(int argc, char **argv) try {
  if (argc < 4 || argc > 5)
    throw std::runtime_error("expected NETWORK PICTURE OUT [DEVICE]");
  Enlarger enlarge(tenon::Program(argv[1]), argc > 4 ? argv[4] : "functional");
  Picture picture = Picture::read(argv[2]);

  // The eye sees detail in luma; the network was trained on that alone.
  picture.y = enlarge(picture.y);
  for (Plane *chroma : {&picture.cb, &picture.cr})
    *chroma = resized(*chroma, picture.y.width, picture.y.height);
  picture.writePng(argv[3]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "super_resolution: %s\n", error.what());
  return 1;
}

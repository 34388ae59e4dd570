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
  Planes planes(Picture::read(argv[2]));

  // The eye sees detail in luma; the network was trained on that alone.
  planes.y = enlarge(planes.y);
  for (Plane *chroma : {&planes.cb, &planes.cr})
    *chroma = resized(*chroma, planes.y.width, planes.y.height);
  planes.picture().writePng(argv[3]);
} catch (const std::exception &error) {
  std::fprintf(stderr, "super_resolution: %s\n", error.what());
  return 1;
}

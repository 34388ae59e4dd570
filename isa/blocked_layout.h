// Part of Tenon, under the Apache License v2.0.
//
// How an int8 activation lies in DRAM: [N/BATCH][C/M][H][W][M/B][BATCH][B]
// (isa/tenon.isa). Everything that computes with that order does so here.

#ifndef TENON_ISA_BLOCKED_LAYOUT_H
#define TENON_ISA_BLOCKED_LAYOUT_H

#include "isa/isa.h"

#include <cstdint>

namespace tenon::isa {

/// Distances and sizes in bytes. Groups and blocks at the end are padded.
class BlockedLayout {
public:
  explicit BlockedLayout(const Layout &layout)
      : batch(layout.config.batch()), blockMax(layout.blockMax),
        blockMin(layout.blockMin) {}

  /// Groups of BATCH images, blocks of M channels.
  uint64_t groups(uint64_t images) const { return ceil(images, batch); }
  uint64_t blocks(uint64_t channels) const { return ceil(channels, blockMax); }

  /// From a pixel of a block to the next one.
  uint64_t pixelBytes() const { return batch * blockMax; }
  /// From a block of a group to the next one.
  uint64_t planeBytes(uint64_t h, uint64_t w) const {
    return h * w * pixelBytes();
  }
  /// From a group of a whole tensor to the next one.
  uint64_t groupBytes(uint64_t h, uint64_t w, uint64_t c) const {
    return blocks(c) * planeBytes(h, w);
  }
  uint64_t tensorBytes(uint64_t n, uint64_t h, uint64_t w, uint64_t c) const {
    return groups(n) * groupBytes(h, w, c);
  }

  /// Channel `c` of image `n` (of BATCH, or of M, any number) within the pixel
  /// of their group and block.
  uint64_t withinPixel(uint64_t n, uint64_t c) const {
    return (c % blockMax / blockMin * batch + n % batch) * blockMin +
           c % blockMin;
  }

private:
  static uint64_t ceil(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

  uint64_t batch, blockMax, blockMin;
};

} // namespace tenon::isa

#endif // TENON_ISA_BLOCKED_LAYOUT_H

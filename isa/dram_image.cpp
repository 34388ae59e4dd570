// Part of Tenon, under the Apache License v2.0.

#include "isa/dram_image.h"

namespace tenon::isa {

DramImage::DramImage(const Program &program) {
  for (const Segment &segment : program.segments()) {
    if (segment.data().empty())
      continue;
    segments[segment.offset()] = &segment;
    defined.add({segment.offset(), segment.offset() + segment.data().size()});
  }
}

void DramImage::write(Interval bytes) {
  overwritten.add(bytes);
  defined.add(bytes);
}

const uint8_t *DramImage::constant(uint64_t offset, uint64_t bytes) const {
  auto after = segments.upper_bound(offset);
  if (after == segments.begin())
    return nullptr;
  const Segment &segment = *std::prev(after)->second;
  uint64_t at = offset - segment.offset();
  if (at > segment.data().size() || bytes > segment.data().size() - at ||
      overwritten.intersects({offset, offset + bytes}))
    return nullptr;
  return reinterpret_cast<const uint8_t *>(segment.data().data()) + at;
}

} // namespace tenon::isa

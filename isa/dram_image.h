// Part of Tenon, under the Apache License v2.0.
//
// What a program alone says about the contents of DRAM: its segments, as long
// as nothing has overwritten them.

#ifndef TENON_ISA_DRAM_IMAGE_H
#define TENON_ISA_DRAM_IMAGE_H

#include "isa/intervals.h"
#include "isa/proto/program.pb.h"

namespace tenon::isa {

class DramImage {
public:
  /// `program` must outlive the image.
  explicit DramImage(const Program &program);

  /// Bytes that got contents which the program does not say, by a STORE or by
  /// the host.
  void write(Interval bytes);

  /// The contents where they are known and lie in one segment, else null.
  const uint8_t *constant(uint64_t offset, uint64_t bytes) const;

  /// The first byte that nothing has given contents; bytes.end if there is
  /// none.
  uint64_t firstUndefined(Interval bytes) const {
    return defined.firstMissing(bytes);
  }

private:
  std::map<uint64_t, const Segment *> segments; // not empty, by offset
  IntervalSet overwritten, defined;
};

} // namespace tenon::isa

#endif // TENON_ISA_DRAM_IMAGE_H

//===- runtime/transfer.h - Between host arrays and DRAM tensors *- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// A pack or unpack step with everything computed that does not depend on the
// data. In a dense array as in the blocked layout, an element's place is a sum
// of one term for each axis, so that a table an axis is all there is to look
// up.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_TRANSFER_H
#define TENON_RUNTIME_TRANSFER_H

#include "isa/isa.h"
#include "isa/proto/program.pb.h"

#include <array>
#include <cstdint>
#include <vector>

namespace tenon::runtime {

/// The blocked tensor of a step: its extents in N, H, W, C, and for each axis
/// the term of each index.
struct BlockedPlaces {
  BlockedPlaces(const isa::Layout &layout, const isa::DramTensor &tensor);

  std::array<int64_t, 4> extents;
  std::array<std::vector<uint64_t>, 4> terms;
  uint64_t bytes; // with the padding of batch and channel blocks
};

/// Steps and tensors are those of a valid program (isa::validateProgram).
class PackPlan {
public:
  PackPlan(const isa::Layout &layout, const isa::Pack &step,
           const isa::Buffer &buffer, const isa::DramTensor &tensor);

  uint64_t bytes() const { return places.bytes; }

  /// Writes all elements of the tensor and none of the padding.
  void run(const uint8_t *buffer, uint8_t *blocked) const;

private:
  /// One axis along which windows are gathered: index `at` and phase `p` of the
  /// tensor take element at * step + p * dilation + origin of the buffer.
  struct Window {
    int64_t phases = 1, step = 1, dilation = 1, origin = 0;
    int64_t source(int64_t at, int64_t phase) const {
      return at * step + phase * dilation + origin;
    }
  };

  void gather(const uint8_t *source, const uint64_t *channels,
              uint8_t *to) const;

  BlockedPlaces places;
  std::array<int64_t, 4> extents; // of the buffer, in the tensor's order
  std::array<int64_t, 4> strides;
  std::array<Window, 2> windows; // along H and W
  uint8_t offset, outside;
};

class UnpackPlan {
public:
  UnpackPlan(const isa::Layout &layout, const isa::Unpack &step,
             const isa::DramTensor &tensor);

  uint64_t bytes() const { return places.bytes; }

  void run(const uint8_t *blocked, uint8_t *buffer) const;

private:
  BlockedPlaces places;
  std::array<int64_t, 4> strides; // of the buffer, in the tensor's order
  uint8_t offset;
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_TRANSFER_H

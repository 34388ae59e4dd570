//===- Stream.h - Instructions and data of one launch -----------*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_SCHEDULING_STREAM_H
#define TENON_SCHEDULING_STREAM_H

#include "isa/isa.h"

#include <map>
#include <string>
#include <vector>

namespace tenon::scheduling {

/// An instruction, and the tile and layer it works for.
struct StreamInstruction {
  isa::Instruction Inst;
  uint32_t Layer = 0;
  uint32_t Tile = 0;
};

/// Bytes of the initial DRAM image.
struct Segment {
  std::string Name;
  uint64_t Offset = 0; ///< bytes from the DRAM base
  std::vector<uint8_t> Data;
};

/// Constants of a program, placed one behind the other. Equal ones share.
class ConstantPool {
public:
  ConstantPool(uint64_t Begin, uint32_t Alignment)
      : End(Begin), Alignment(Alignment) {}

  /// Offset of `Data` in DRAM, in bytes.
  uint64_t add(const std::string &Name, std::vector<uint8_t> Data);
  uint64_t end() const { return End; }
  const std::vector<Segment> &segments() const { return Segments; }

private:
  uint64_t End;
  uint32_t Alignment;
  std::vector<Segment> Segments;
  std::multimap<uint64_t, size_t> ByHash;
};

} // namespace tenon::scheduling

#endif // TENON_SCHEDULING_STREAM_H

//===- runtime/fpga/block_mirror.h - What a board's memory holds -*- C++-*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_BLOCK_MIRROR_H
#define TENON_RUNTIME_FPGA_BLOCK_MIRROR_H

#include "runtime/fpga/link.h"

#include <cstdint>
#include <vector>

namespace tenon::runtime {

/// The contents of a board's memory, twice: as they should be, and as the board
/// has them as far as that is known. Checksums made by the board tell which
/// blocks have to be transferred.
class BlockMirror {
public:
  static constexpr uint32_t blockBytes = 1024;

  /// Wants `bytes` bytes (a multiple of 8), poisoned. What is known of the
  /// board stays known.
  void resize(uint64_t bytes);
  uint64_t size() const { return wanted.size(); }
  /// Up to date where the board has not been changed since, see `download`.
  absl::Span<const uint8_t> contents() const { return wanted; }

  /// Blocks that a launch may have changed are downloaded first.
  absl::Status write(Link &link, uint64_t offset,
                     absl::Span<const uint8_t> data);

  /// Makes the board hold what was written. DataLoss: its memory does not keep
  /// it.
  absl::Status upload(Link &link);

  /// The board has changed, nobody knows where.
  void changed() { states.assign(states.size(), State::Changed); }

  /// Brings `contents` up to date in this range.
  absl::Status download(Link &link, uint64_t offset, uint64_t bytes);

private:
  enum class State : uint8_t {
    Unknown, // what the board has does not matter
    Changed, // what the board has counts, and may differ from `board`
    Known,   // the board has `board`
  };

  uint64_t blocks() const { return states.size(); }
  uint32_t bytesOf(uint64_t block) const;
  uint64_t runEnd(uint64_t first, uint64_t limit, State state) const;
  absl::Status compareUnknown(Link &link);
  absl::Status sendDifference(Link &link, uint64_t block,
                              std::vector<bool> &sent);
  absl::StatusOr<bool> verify(Link &link, const std::vector<bool> &sent);
  absl::StatusOr<bool> same(Link &link, uint64_t first, uint64_t end,
                            const std::vector<uint8_t> &image) const;

  std::vector<uint8_t> wanted, board;
  std::vector<State> states; // of the blocks
};

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_BLOCK_MIRROR_H

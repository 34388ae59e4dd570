//===- runtime/fpga/block_mirror.cpp - What a board's memory holds --------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/block_mirror.h"

#include "sim/memory/poison.h"

#include "absl/strings/str_format.h"

#include <algorithm>
#include <zlib.h>

namespace tenon::runtime {
namespace {

// Blocks that one checksum compares before an upload: a board has either most
// of a program or nothing of it.
constexpr uint64_t compareBlocks = 8;
constexpr uint64_t memoryUnit = 8; // of memory requests
constexpr unsigned repairs = 3;

} // namespace

uint32_t BlockMirror::bytesOf(uint64_t block) const {
  return std::min<uint64_t>(blockBytes, wanted.size() - block * blockBytes);
}

// The end of the blocks from `first` on, up to `limit`, that are in `state`.
uint64_t BlockMirror::runEnd(uint64_t first, uint64_t limit,
                             State state) const {
  while (first < limit && states[first] == state)
    ++first;
  return first;
}

void BlockMirror::resize(uint64_t bytes) {
  // The last block holds bytes now that were beyond the end, or the other way.
  const bool cut = bytes != wanted.size() && !states.empty();
  if (cut)
    states.back() = State::Unknown;
  wanted.resize(bytes);
  board.resize(bytes);
  states.resize((bytes + blockBytes - 1) / blockBytes, State::Unknown);
  if (cut && !states.empty())
    states.back() = State::Unknown;
  std::replace(states.begin(), states.end(), State::Changed, State::Unknown);
  sim::poison(wanted.data(), 0, bytes);
}

absl::Status BlockMirror::write(Link &link, uint64_t offset,
                                absl::Span<const uint8_t> data) {
  absl::Status status = download(link, offset, data.size());
  if (status.ok())
    std::copy(data.begin(), data.end(), wanted.begin() + offset);
  return status;
}

absl::StatusOr<bool>
BlockMirror::same(Link &link, uint64_t first, uint64_t end,
                  const std::vector<uint8_t> &image) const {
  uint64_t offset = first * blockBytes;
  uint64_t bytes = std::min<uint64_t>(end * blockBytes, image.size()) - offset;
  absl::StatusOr<uint32_t> sum = link.checksum(offset, bytes);
  if (!sum.ok())
    return sum.status();
  return *sum == crc32(crc32(0, nullptr, 0), image.data() + offset, bytes);
}

// Blocks that turn out to be as wanted become known.
absl::Status BlockMirror::compareUnknown(Link &link) {
  for (uint64_t first = 0, end; first < blocks(); first = end) {
    end = runEnd(first, std::min(blocks(), first + compareBlocks),
                 State::Unknown);
    if (end == first) {
      ++end;
      continue;
    }
    absl::StatusOr<bool> equal = same(link, first, end, wanted);
    if (!equal.ok())
      return equal.status();
    for (uint64_t block = first; *equal && block < end; ++block) {
      std::copy_n(wanted.begin() + block * blockBytes, bytesOf(block),
                  board.begin() + block * blockBytes);
      states[block] = State::Known;
    }
  }
  return absl::OkStatus();
}

// The words from the first to the last that differ; all of an unknown block.
absl::Status BlockMirror::sendDifference(Link &link, uint64_t block,
                                         std::vector<bool> &sent) {
  const uint8_t *want = &wanted[block * blockBytes];
  uint8_t *have = &board[block * blockBytes];
  uint64_t begin = 0, end = bytesOf(block);
  if (states[block] == State::Known) {
    while (begin < end && want[begin] == have[begin])
      ++begin;
    while (end > begin && want[end - 1] == have[end - 1])
      --end;
    begin = begin / memoryUnit * memoryUnit;
    end = (end + memoryUnit - 1) / memoryUnit * memoryUnit;
  }
  if (begin == end)
    return absl::OkStatus();
  states[block] = State::Unknown; // until it is there
  absl::Status status =
      link.writeMemory(block * blockBytes + begin,
                       absl::MakeConstSpan(want + begin, end - begin));
  if (!status.ok())
    return status;
  std::copy(want + begin, want + end, have + begin);
  states[block] = State::Known;
  sent[block] = true;
  return absl::OkStatus();
}

// Whether the blocks that were sent have arrived; those that have not become
// unknown.
absl::StatusOr<bool> BlockMirror::verify(Link &link,
                                         const std::vector<bool> &sent) {
  bool good = true;
  for (uint64_t first = 0, end; first < blocks(); first = end) {
    end = first;
    while (end < blocks() && sent[end])
      ++end;
    if (end == first) {
      ++end;
      continue;
    }
    absl::StatusOr<bool> equal = same(link, first, end, wanted);
    if (!equal.ok())
      return equal.status();
    if (*equal)
      continue;
    good = false;
    std::fill(states.begin() + first, states.begin() + end, State::Unknown);
  }
  return good;
}

absl::Status BlockMirror::upload(Link &link) {
  // A frame's CRC has 16 bits: over a bad line some damage gets past it, which
  // the checksum at the end finds.
  for (unsigned i = 0; i <= repairs; ++i) {
    if (absl::Status status = compareUnknown(link); !status.ok())
      return status;
    std::vector<bool> sent(blocks());
    for (uint64_t block = 0; block < blocks(); ++block)
      if (states[block] != State::Changed)
        if (absl::Status status = sendDifference(link, block, sent);
            !status.ok())
          return status;
    absl::StatusOr<bool> good = verify(link, sent);
    if (!good.ok() || *good)
      return good.status();
  }
  return absl::DataLossError(
      absl::StrFormat("%s: the board's memory does not keep what is written to "
                      "it: the checksum "
                      "of %u bytes is wrong after %u repairs",
                      link.path(), wanted.size(), repairs));
}

absl::Status BlockMirror::download(Link &link, uint64_t offset,
                                   uint64_t bytes) {
  if (!bytes)
    return absl::OkStatus();
  const uint64_t end = (offset + bytes - 1) / blockBytes + 1;
  for (uint64_t block = offset / blockBytes; block < end; ++block) {
    if (states[block] != State::Changed)
      continue;
    absl::StatusOr<bool> equal = same(link, block, block + 1, board);
    if (!equal.ok())
      return equal.status();
    auto image = absl::MakeSpan(&board[block * blockBytes], bytesOf(block));
    if (!*equal)
      if (absl::Status status = link.readMemory(block * blockBytes, image);
          !status.ok())
        return status;
    states[block] = State::Known;
    std::copy(image.begin(), image.end(), &wanted[block * blockBytes]);
  }
  return absl::OkStatus();
}

} // namespace tenon::runtime

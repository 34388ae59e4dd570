// Part of Tenon, under the Apache License v2.0.
//
// LOAD: a strided, padded rectangle of DRAM into a scratchpad.

#include "sim/functional/instructions.h"

#include "absl/strings/str_format.h"
#include "sim/functional/transfer.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tenon::sim::functional {
namespace {

uint32_t word(const uint8_t *bytes) {
  return bytes[0] | bytes[1] << 8 | bytes[2] << 16 | uint32_t(bytes[3]) << 24;
}

void writeUops(State &state, bool gemm, uint32_t line, const uint8_t *bytes) {
  uint32_t perLine = state.layout.uopsPerBeat;
  for (uint32_t i = 0; i < perLine; ++i) {
    uint32_t bits = word(bytes + 4 * i);
    if (gemm)
      state.uopGemm[line * perLine + i] =
          isa::decodeGemmUop(state.layout, bits);
    else
      state.uopAlu[line * perLine + i] = isa::decodeAluUop(state.layout, bits);
  }
}

void writeAcc(State &state, uint32_t index, const uint8_t *bytes) {
  int32_t *to = &state.acc[size_t(index) * state.lanes];
  for (uint32_t lane = 0; lane < state.lanes; ++lane)
    to[lane] = int32_t(word(bytes + 4 * lane));
}

void writeAcc8(State &state, uint32_t index, const uint8_t *bytes) {
  int32_t zeroPoint = state.reg(isa::LoadRegister::ZeroPoint);
  int32_t *to = &state.acc[size_t(index) * state.lanes];
  if (state.bytesAreLanes)
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      to[lane] = int8_t(bytes[lane]) - zeroPoint;
  else
    for (uint32_t lane = 0; lane < state.lanes; ++lane)
      to[lane] = int8_t(bytes[state.byteOfLane[lane]]) - zeroPoint;
}

void writePrm(State &state, uint32_t index, const uint8_t *bytes) {
  uint32_t channels = state.blockOut;
  for (uint32_t o = 0; o < channels; ++o) {
    size_t to = size_t(index) * channels + o;
    state.prm.bias[to] = int32_t(word(bytes + 4 * o));
    state.prm.multiplier[to] = int32_t(word(bytes + 4 * (channels + o)));
    state.prm.shift[to] = bytes[8 * channels + o];
  }
}

// Writes `count` elements from consecutive bytes.
void writeElements(State &state, isa::Memory memory, uint32_t index,
                   const uint8_t *bytes, uint32_t count) {
  const isa::Layout &layout = state.layout;
  auto copy = [&](std::vector<int8_t> &to, size_t elementBytes) {
    std::memcpy(to.data() + index * elementBytes, bytes, count * elementBytes);
  };
  if (memory == isa::Memory::Inp)
    return copy(state.inp, layout.inpBytes);
  if (memory == isa::Memory::Dwt)
    return copy(state.dwt, state.blockOut);
  size_t elementBytes = layout.transferBytes(memory);
  for (uint32_t i = 0; i < count; ++i, bytes += elementBytes) {
    switch (memory) {
    case isa::Memory::UopGemm:
    case isa::Memory::UopAlu:
      writeUops(state, memory == isa::Memory::UopGemm, index + i, bytes);
      break;
    case isa::Memory::Wgt:
      state.weights.write(index + i, reinterpret_cast<const int8_t *>(bytes));
      break;
    case isa::Memory::Acc:
      writeAcc(state, index + i, bytes);
      break;
    case isa::Memory::Acc8:
      writeAcc8(state, index + i, bytes);
      break;
    case isa::Memory::Prm:
      writePrm(state, index + i, bytes);
      break;
    case isa::Memory::Inp:
    case isa::Memory::Dwt:
      break; // copied above
    }
  }
}

template <size_t Bytes>
void copyStrided(int8_t *to, const uint8_t *from, uint32_t count,
                 size_t stride) {
  for (uint32_t i = 0; i < count; ++i, to += Bytes, from += stride)
    std::memcpy(to, from, Bytes);
}

// Writes `count` elements that lie `stride` bytes apart.
void writeStrided(State &state, isa::Memory memory, uint32_t index,
                  const uint8_t *bytes, uint32_t count, size_t stride) {
  size_t elementBytes = state.layout.transferBytes(memory);
  if (memory == isa::Memory::Inp) {
    int8_t *to = state.inp.data() + index * elementBytes;
    switch (elementBytes) { // the usual sizes without a call for each element
    case 8:
      return copyStrided<8>(to, bytes, count, stride);
    case 16:
      return copyStrided<16>(to, bytes, count, stride);
    case 32:
      return copyStrided<32>(to, bytes, count, stride);
    case 64:
      return copyStrided<64>(to, bytes, count, stride);
    }
  }
  for (uint32_t i = 0; i < count; ++i)
    writeElements(state, memory, index + i, bytes + i * stride, 1);
}

template <typename Element> Element padding(const State &state, isa::Pad kind) {
  switch (kind) {
  case isa::Pad::Zero:
    return 0;
  case isa::Pad::Min:
    return std::numeric_limits<Element>::min();
  case isa::Pad::Max:
    return std::numeric_limits<Element>::max();
  case isa::Pad::Value:
    return Element(state.reg(isa::LoadRegister::PadValue));
  }
  return 0;
}

// Pads `count` elements of INP or ACC; no other memory has padding.
void pad(State &state, const isa::Load &load, uint32_t index, uint32_t count) {
  if (load.memory == isa::Memory::Inp) {
    size_t bytes = state.layout.inpBytes;
    std::fill_n(state.inp.begin() + index * bytes, count * bytes,
                padding<int8_t>(state, load.padKind));
  } else {
    std::fill_n(state.acc.begin() + size_t(index) * state.lanes,
                size_t(count) * state.lanes,
                padding<int32_t>(state, load.padKind));
  }
}

bool canPad(isa::Memory memory) {
  return memory == isa::Memory::Inp || memory == isa::Memory::Acc ||
         memory == isa::Memory::Acc8;
}

absl::Status check(const isa::Load &load, const State &state, uint64_t rows,
                   uint64_t columns) {
  if (rows * columns != uint64_t(load.ySize) * load.xSize &&
      !canPad(load.memory))
    return absl::InvalidArgumentError(
        "padding is defined for inp, acc and acc8 only");
  uint64_t end = load.sram + rows * columns;
  uint64_t entries = state.layout.entries(load.memory);
  if (end <= entries)
    return absl::OkStatus();
  // The first element outside, in rows and columns that count padding.
  uint64_t first = entries > load.sram ? entries - load.sram : 0;
  return absl::InvalidArgumentError(absl::StrFormat(
      "row %d, column %d (padding counted) goes to element %d of the "
      "scratchpad, which has %d entries",
      first / columns, first % columns, load.sram + first, entries));
}

} // namespace

absl::Status execute(const isa::Load &load, State &state) {
  uint64_t rows = uint64_t(load.padTop) + load.ySize + load.padBottom;
  uint64_t columns = uint64_t(load.padLeft) + load.xSize + load.padRight;
  if (absl::Status s = check(load, state, rows, columns); !s.ok())
    return s;
  Transfer transfer(load, state.layout.beatBytes,
                    state.layout.transferBytes(load.memory));
  if (absl::Status s = checkDram(transfer, state.dram.size()); !s.ok())
    return s;

  uint32_t at = load.sram;
  auto padElements = [&](uint64_t count) {
    if (count != 0)
      pad(state, load, at, count);
    at += count;
  };
  padElements(load.padTop * columns);
  for (uint32_t y = 0; y < load.ySize; ++y) {
    padElements(load.padLeft);
    if (transfer.dense()) {
      writeElements(state, load.memory, at, &state.dram[transfer.address(y, 0)],
                    load.xSize);
    } else {
      writeStrided(state, load.memory, at, &state.dram[transfer.address(y, 0)],
                   load.xSize, transfer.elementStride);
    }
    at += load.xSize;
    padElements(load.padRight);
  }
  padElements(load.padBottom * columns);
  return absl::OkStatus();
}

} // namespace tenon::sim::functional

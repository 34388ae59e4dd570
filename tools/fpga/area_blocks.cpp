//===- tools/fpga/area_blocks.cpp - Block RAMs and multipliers ------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "tools/fpga/area_blocks.h"

#include <algorithm>
#include <map>

namespace tenon::fpga {
namespace {

absl::StatusOr<std::vector<int64_t>>
evaluateAll(const std::vector<const char *> &texts, const isa::Names &names) {
  std::vector<int64_t> values;
  for (const char *text : texts) {
    auto value = isa::evaluate(text, names);
    if (!value.ok())
      return value.status();
    values.push_back(*value);
  }
  return values;
}

int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// One way to use a block RAM: so many entries of so many bits, of which
/// `granule` at a time can be written on their own.
struct BlockShape {
  int64_t entries, bits, granule;
  double blocks; // that it takes
};

/// What memory_libmap of Yosys 0.70 (xc7: 0.23) chooses from.
const std::vector<BlockShape> &blockShapes(absl::string_view family) {
  static const std::map<std::string, std::vector<BlockShape>, std::less<>> all{
      // DP16KD; a narrower word than nine bits loses the ninth.
      {"ecp5",
       {{512, 36, 9, 1},
        {1024, 18, 9, 1},
        {2048, 9, 9, 1},
        {4096, 4, 4, 1},
        {8192, 2, 2, 1},
        {16384, 1, 1, 1}}},
      {"gowin",
       {{512, 36, 9, 1},
        {1024, 18, 9, 1},
        {2048, 9, 9, 1},
        {4096, 4, 4, 1},
        {8192, 2, 2, 1},
        {16384, 1, 1, 1}}},
      // SB_RAM40 masks single bits at its full width.
      {"ice40",
       {{256, 16, 1, 1}, {512, 8, 8, 1}, {1024, 4, 4, 1}, {2048, 2, 2, 1}}},
      // RAMB18 is half a RAMB36; a port that only reads or writes is twice as
      // wide.
      {"xc7",
       {{512, 36, 9, 0.5},
        {1024, 18, 9, 0.5},
        {2048, 9, 9, 0.5},
        {4096, 4, 4, 0.5},
        {8192, 2, 2, 0.5},
        {16384, 1, 1, 0.5},
        {512, 72, 9, 1},
        {1024, 36, 9, 1},
        {2048, 18, 9, 1},
        {4096, 9, 9, 1},
        {8192, 4, 4, 1},
        {16384, 2, 2, 1},
        {32768, 1, 1, 1}}},
  };
  return all.find(family)->second;
}

/// What Yosys weighs a block RAM and its alternative at: RAM out of LUTs of so
/// many entries and bits, on iCE40 registers. The cheaper is taken, and of two
/// equal ones the block, but for registers. `luts` is what one such RAM takes;
/// a bit of a deeper memory takes a LUT more to choose between two of them.
struct Costs {
  double block;
  int64_t entries, bits;
  double alternative;
  double luts;
  const char *kind;
};

const Costs &costsOf(absl::string_view family) {
  static const std::map<std::string, Costs, std::less<>> all{
      {"ecp5", {128, 16, 4, 4, 6, "distributed"}},
      {"gowin", {128, 16, 4, 4, 4, "distributed"}},
      {"ice40", {64, 1, 1, 1, 0, "registers"}},
      {"xc7", {2 * 129, 64, 3, 8, 4, "distributed"}},
  };
  return all.find(family)->second;
}

/// A memory of the RTL: sizes are expressions in the names of a configuration.
struct Memory {
  const char *name, *part, *entries, *lanes, *laneBits, *copies;
};

// Scratchpads that LOAD fills are written beat by beat.
constexpr Memory memories[] = {
    {"uop", "tenon_top", "uop_lines", "1", "bus_bits", "2"},
    {"inp", "tenon_top", "inp_entries", "inp_bytes/beat_bytes", "bus_bits",
     "1"},
    {"wgt", "tenon_top", "wgt_entries", "wgt_bytes/beat_bytes", "bus_bits",
     "1"},
    {"dwt", "tenon_top", "dwt_entries", "block_out/beat_bytes", "bus_bits",
     "1"},
    {"prm", "tenon_top", "prm_entries", "prm_bytes/beat_bytes", "bus_bits",
     "1"},
    {"out", "tenon_top", "out_entries", "1", "out_bytes*8", "1"},
    {"acc", "acc", "acc_entries/acc_banks", "1", "acc_bytes*8", "acc_banks"},
    // small ones, in block RAM where there is no RAM out of LUTs: the ALU's
    // results and where they go, STORE's elements
    {"results", "alu", "16", "1", "acc_bytes*8", "1"},
    {"entries", "alu", "16", "1", "alu_dst_bits+3", "1"},
    {"elements", "store", "8", "1", "out_bytes*8", "1"},
    // FETCH's buffer; the counters' words
    {"fetch", "fetch", "64", "1", "bus_bits", "1"},
    {"counters", "counters", "64", "1", "32", "min(counters,1)"},
};

/// Products of a configuration: how many, of how many bits; expressions again.
struct Product {
  const char *count, *left, *right;
};

// GEMM: where there are many, two outputs share the product with a column; a
// row's sum times the zero point, then twice. A lane of the ALU multiplies 32
// by 32/n bits and their sign in n cycles. LOAD: a row's beats.
constexpr Product products[] = {
    {"batch*block_in*block_out*(1-min(batch*block_in*block_out/65,1))", "8",
     "8"},
    {"batch*block_in*(block_out/2)*min(batch*block_in*block_out/65,1)", "25",
     "8"},
    {"batch*(1+min(batch*block_in*block_out/65,1))", "8+clog2(block_in)", "10"},
    {"alu_lanes", "32", "32/alu_multiply_cycles+1-1/alu_multiply_cycles"},
    {"1", "11", "16"},
};

/// Multipliers of at most `most` signed bits that a factor is cut into.
int64_t pieces(int64_t bits, int64_t most) {
  return bits <= most ? 1 : divideUp(bits - 1, most - 1);
}

/// Gowin's in units of MULT9X9: a 36x36 is eight, an 18x18 two. Factors are cut
/// into 17 bits; a rest of up to nine bits takes a 9x9.
double gowinMultipliers(int64_t left, int64_t right) {
  if (std::min(left, right) > 18)
    return 8;
  if (std::min(left, right) < 4) // made of LUTs
    return 0;
  const int64_t wide = std::max(left, right), narrow = std::min(left, right);
  double units = 0;
  for (int64_t rest = wide; rest > 0; rest -= 17) {
    const int64_t piece = wide <= 18 ? wide : std::min<int64_t>(rest, 18);
    units += std::max(piece, narrow) > 9 ? 2 : 1;
    if (piece == rest)
      break;
  }
  return units;
}

/// What synthesis makes of one product.
double multipliersOf(absl::string_view family, int64_t left, int64_t right) {
  if (family == "ice40") // without -dsp: it miscompiles sums of products
    return 0;
  if (family == "gowin")
    return gowinMultipliers(left, right);
  if (family == "xc7")
    return std::min(pieces(left, 25) * pieces(right, 18),
                    pieces(left, 18) * pieces(right, 25));
  return pieces(left, 18) * pieces(right, 18);
}

} // namespace

double blockRams(absl::string_view family, const MemoryShape &shape,
                 bool forced) {
  double fewest = 0;
  for (const BlockShape &block : blockShapes(family)) {
    int64_t lane = shape.lanes == 1 ? shape.laneBits
                                    : divideUp(shape.laneBits, block.granule) *
                                          block.granule;
    double blocks = divideUp(shape.lanes * lane, block.bits) *
                    divideUp(shape.entries, block.entries) * block.blocks;
    if (fewest == 0 || blocks < fewest)
      fewest = blocks;
  }
  const Costs &costs = costsOf(family);
  double alternative = costs.alternative *
                       divideUp(shape.entries, costs.entries) * shape.lanes *
                       divideUp(shape.laneBits, costs.bits);
  const bool isBlock = costs.luts ? fewest * costs.block <= alternative
                                  : fewest * costs.block < alternative;
  return forced || isBlock ? fewest : 0;
}

absl::StatusOr<std::vector<AreaMemory>> blockMemories(absl::string_view family,
                                                      const isa::Names &names) {
  std::vector<AreaMemory> result;
  for (const Memory &memory : memories) {
    auto values = evaluateAll(
        {memory.entries, memory.lanes, memory.laneBits, memory.copies}, names);
    if (!values.ok())
      return values.status();
    const int64_t entries = (*values)[0], lanes = (*values)[1],
                  laneBits = (*values)[2], copies = (*values)[3];
    AreaMemory &entry = result.emplace_back();
    entry.set_name(memory.name);
    entry.set_entries(entries);
    entry.set_bits(lanes * laneBits);
    entry.set_copies(copies);
    entry.set_blocks(copies * blockRams(family, {entries, lanes, laneBits}));
    entry.set_part(memory.part);
    const Costs &costs = costsOf(family);
    entry.set_kind(entry.blocks() ? "block" : costs.kind);
    if (entry.blocks())
      continue;
    const int64_t rows = divideUp(entries, costs.entries);
    // A block has the register behind its read port.
    entry.set_ff(copies * entry.bits() *
                 (entry.kind() == "registers" ? entries + 1 : 1));
    entry.set_lut(copies *
                  (rows * lanes * divideUp(laneBits, costs.bits) * costs.luts +
                   (rows - 1) * entry.bits()));
  }
  return result;
}

absl::StatusOr<double> multipliers(absl::string_view family,
                                   const isa::Names &names) {
  double total = 0;
  for (const Product &product : products) {
    auto values =
        evaluateAll({product.count, product.left, product.right}, names);
    if (!values.ok())
      return values.status();
    total += (*values)[0] * multipliersOf(family, (*values)[1], (*values)[2]);
  }
  return total;
}

} // namespace tenon::fpga

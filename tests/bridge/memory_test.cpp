// Part of Tenon, under the Apache License v2.0.
//
// block_memory against a model in C++: random bursts of reads and writes at
// once, with strobes, back-pressure and the bridge's bytes in between; beats
// outside the memory; and that nothing is lost where nobody waits.

#include MODEL_HEADER
#include "sim/rtl/coverage_counts.h"
#include "tests/rtl_memory/common.h"
#include "gtest/gtest.h"

#include <deque>

namespace tenon::test {
namespace {

using Top = MODEL_CLASS;
constexpr uint32_t beatBytes = MODEL_BEAT_BYTES, memoryBytes = MODEL_BYTES;
constexpr bool isSinglePort = MODEL_SINGLE_PORT;
constexpr uint32_t words = memoryBytes / beatBytes;

/// One side of the bus reads, the other writes, a third is the bridge.  Reads
/// and writes that run at the same time go to different rows of 256 beats, so
/// that their order does not matter; the bridge writes to the last two rows.
class MemoryTest : public ::testing::TestWithParam<unsigned> {
protected:
  MemoryTest() : chance(GetParam()), model(memoryBytes) {
    top.rst_i = 1;
    edge();
    top.rst_i = 0;
    for (uint32_t at = 0; at < memoryBytes; ++at) {
      model[at] = uint8_t((at * 0x9E3779B97F4A7C15ull) >> 56);
      byteWrite(at, model[at]);
    }
  }
  ~MemoryTest() override { sim::writeCoverage(*Verilated::threadContextp()); }

  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    ++cycles;
  }

  void byteWrite(uint32_t address, uint8_t value) {
    top.byte_write_i = 1;
    top.byte_address_i = address;
    top.byte_data_i = value;
    edge();
    top.byte_write_i = 0;
  }

  uint8_t byteRead(uint32_t address) {
    top.byte_read_i = 1;
    top.byte_address_i = address;
    bool taken = false;
    for (int i = 0; i < 2000; ++i) {
      top.clk_i = 0;
      top.eval();
      taken |= top.byte_read_i && top.byte_ready_o;
      edge();
      top.byte_read_i = !taken;
      if (top.byte_valid_o)
        return top.byte_data_o;
    }
    ADD_FAILURE() << "no byte at " << address;
    return 0;
  }

  void address(bool isRead, uint64_t at, unsigned beats, unsigned burst = 1,
               unsigned size = __builtin_ctz(beatBytes)) {
    if (isRead) {
      top.s_axi_arvalid_i = 1;
      top.s_axi_araddr_i = at;
      top.s_axi_arlen_i = beats - 1;
      top.s_axi_arburst_i = burst;
      top.s_axi_arsize_i = size;
      top.s_axi_arid_i = at / beatBytes & 1;
    } else {
      top.s_axi_awvalid_i = 1;
      top.s_axi_awaddr_i = at;
      top.s_axi_awlen_i = beats - 1;
      top.s_axi_awburst_i = burst;
      top.s_axi_awsize_i = size;
    }
  }

  struct Beat {
    std::vector<uint8_t> bytes;
    bool last, bad;
    unsigned id;
  };

  /// One burst, alone; what came, or the write's response.
  std::vector<Beat> read(uint64_t at, unsigned beats, unsigned burst = 1,
                         unsigned size = __builtin_ctz(beatBytes)) {
    std::vector<Beat> found;
    address(true, at, beats, burst, size);
    top.s_axi_rready_i = 1;
    for (int i = 0; i < 1000 && (found.empty() || !found.back().last); ++i) {
      top.clk_i = 0;
      top.eval();
      bool taken = top.s_axi_arvalid_i && top.s_axi_arready_o;
      if (top.s_axi_rvalid_o)
        found.push_back(currentBeat());
      edge();
      if (taken)
        top.s_axi_arvalid_i = 0;
    }
    return found;
  }
  Beat currentBeat() {
    const uint8_t *data = bytesOf(top.s_axi_rdata_o);
    return {{data, data + beatBytes},
            bool(top.s_axi_rlast_o),
            top.s_axi_rresp_o == 2,
            top.s_axi_rid_o};
  }

  bool write(uint64_t at, unsigned beats, uint64_t strobe, uint8_t first,
             unsigned burst = 1) {
    address(false, at, beats, burst);
    top.s_axi_bready_i = 1;
    unsigned sent = 0;
    for (int i = 0; i < 2000; ++i) {
      top.s_axi_wvalid_i = sent < beats;
      top.s_axi_wlast_i = sent + 1 == beats;
      for (uint32_t b = 0; b < beatBytes; ++b)
        bytesOf(top.s_axi_wdata_i)[b] = uint8_t(first + sent * 31 + b * 7);
      setStrobe(strobe);
      top.clk_i = 0;
      top.eval();
      bool taken = top.s_axi_awvalid_i && top.s_axi_awready_o;
      sent += top.s_axi_wvalid_i && top.s_axi_wready_o;
      bool done = top.s_axi_bvalid_o, bad = top.s_axi_bresp_o == 2;
      edge();
      if (taken)
        top.s_axi_awvalid_i = 0;
      if (done)
        return !bad;
    }
    ADD_FAILURE() << "no response";
    return false;
  }
  void setStrobe(uint64_t strobe) {
    for (uint32_t b = 0; b < beatBytes / 8 + (beatBytes < 8); ++b)
      bytesOf(top.s_axi_wstrb_i)[b] = uint8_t(strobe >> 8 * b);
  }

  Top top;
  Chance chance;
  std::vector<uint8_t> model;
  uint64_t cycles = 0;
};

TEST_P(MemoryTest, RandomBurstsAgreeWithTheModel) {
  struct Burst {
    uint32_t word;
    unsigned left;
  };
  std::deque<Burst> reads, writes;
  uint64_t readBeats = 0, writeBeats = 0, responses = 0, bursts = 0;
  bool byteFlight = false;
  uint32_t byteAt = 0;
  unsigned readWord = 0, readLength = 0, writeWord = 0, writeLength = 0;
  // Beats of even rows of 256 are read, of odd rows written, then the reverse.
  for (unsigned round = 0; round < 6; ++round) {
    unsigned parity = round % 2;
    auto place = [&](unsigned half, uint32_t &word, unsigned &length) {
      uint32_t row = chance.in(0, words / 512 - 2) * 2 + half;
      uint32_t from = chance.in(0, 255);
      length = chance.percent(20) ? 256 - from : chance.in(1, 256 - from);
      word = row * 256 + from;
    };
    for (unsigned step = 0; step < 4000 || !reads.empty() || !writes.empty() ||
                            top.s_axi_arvalid_i || top.s_axi_awvalid_i ||
                            responses < bursts || byteFlight;
         ++step) {
      ASSERT_LT(step, 100'000u);
      bool more = step < 4000;
      if (more && !top.s_axi_arvalid_i && chance.percent(70)) {
        place(parity, readWord, readLength);
        address(true, uint64_t(readWord) * beatBytes, readLength);
      }
      if (more && !top.s_axi_awvalid_i && chance.percent(70)) {
        place(!parity, writeWord, writeLength);
        address(false, uint64_t(writeWord) * beatBytes, writeLength);
        ++bursts;
      }
      // Bytes: never more than one in eight cycles.
      top.byte_write_i = more && step % 8 == 4 && !byteFlight;
      if (top.byte_write_i) {
        uint32_t at = memoryBytes - 1 - chance.in(0, 512 * beatBytes - 1);
        top.byte_address_i = at;
        top.byte_data_i = model[at] = uint8_t(chance.in(0, 255));
      }
      if (more && !byteFlight && step % 8 == 0 && chance.percent(50)) {
        byteAt = (chance.in(0, words / 512 - 1) * 512 + parity * 256 +
                  chance.in(0, 255)) *
                     beatBytes +
                 chance.in(0, beatBytes - 1);
        top.byte_address_i = byteAt;
        top.byte_read_i = byteFlight = true;
      }
      if (!top.s_axi_wvalid_i && !writes.empty() && chance.percent(80)) {
        top.s_axi_wvalid_i = 1;
        top.s_axi_wlast_i = writes.front().left == 1;
        for (uint32_t b = 0; b < beatBytes; ++b)
          bytesOf(top.s_axi_wdata_i)[b] = uint8_t(chance.in(0, 255));
        setStrobe(chance.percent(50)
                      ? ~0ull
                      : uint64_t(chance.in(0, ~0u)) << 32 | chance.in(0, ~0u));
      }
      top.s_axi_rready_i = chance.percent(round < 2 ? 100 : 60);
      top.s_axi_bready_i = chance.percent(80);
      top.clk_i = 0;
      top.eval();

      if (top.s_axi_rvalid_o && top.s_axi_rready_i) {
        ASSERT_FALSE(reads.empty());
        Burst &burst = reads.front();
        Beat beat = currentBeat();
        ASSERT_FALSE(beat.bad);
        ASSERT_EQ(beat.last, burst.left == 1);
        for (uint32_t b = 0; b < beatBytes; ++b)
          ASSERT_EQ(beat.bytes[b], model[burst.word * beatBytes + b])
              << "seed " << chance.seed << ", word " << burst.word;
        ++burst.word;
        ++readBeats;
        if (--burst.left == 0)
          reads.pop_front();
      }
      bool readTaken = top.s_axi_arvalid_i && top.s_axi_arready_o;
      bool writeTaken = top.s_axi_awvalid_i && top.s_axi_awready_o;
      bool dataTaken = top.s_axi_wvalid_i && top.s_axi_wready_o;
      bool byteTaken = top.byte_read_i && top.byte_ready_o;
      if (dataTaken) {
        Burst &burst = writes.front();
        for (uint32_t b = 0; b < beatBytes; ++b)
          if (bytesOf(top.s_axi_wstrb_i)[b / 8] >> b % 8 & 1)
            model[burst.word * beatBytes + b] = bytesOf(top.s_axi_wdata_i)[b];
        ++burst.word;
        ++writeBeats;
        if (--burst.left == 0)
          writes.pop_front();
      }
      if (top.s_axi_bvalid_o && top.s_axi_bready_i) {
        ASSERT_EQ(top.s_axi_bresp_o, 0);
        ++responses;
      }
      edge();
      if (top.byte_valid_o) {
        ASSERT_TRUE(byteFlight);
        ASSERT_EQ(top.byte_data_o, model[byteAt]) << byteAt;
        byteFlight = false;
      }
      if (readTaken) {
        reads.push_back({readWord, readLength});
        top.s_axi_arvalid_i = 0;
      }
      if (writeTaken) {
        writes.push_back({writeWord, writeLength});
        top.s_axi_awvalid_i = 0;
      }
      if (dataTaken)
        top.s_axi_wvalid_i = 0;
      if (byteTaken)
        top.byte_read_i = 0;
    }
  }
  EXPECT_GT(readBeats, 5000u);
  EXPECT_GT(writeBeats, 5000u);
  EXPECT_EQ(responses, bursts);
}

TEST_P(MemoryTest, StreamsABeatACycle) {
  top.s_axi_rready_i = 1;
  unsigned beats = 0, asked = 0, sent = 0, addresses = 0, length = 16;
  uint64_t start = cycles;
  // 32 bursts each way, back to back, in different halves.
  while (beats < 32 * length || sent < 32 * length) {
    ASSERT_LT(cycles - start, 5000u);
    if (asked < 32)
      address(true, uint64_t(asked) * length * beatBytes, length);
    if (addresses < 32)
      address(false, uint64_t(words / 2 + addresses * length) * beatBytes,
              length);
    top.s_axi_wvalid_i = sent < addresses * length;
    top.s_axi_wlast_i = sent % length == length - 1;
    setStrobe(~0ull);
    top.s_axi_bready_i = 1;
    top.clk_i = 0;
    top.eval();
    asked += top.s_axi_arvalid_i && top.s_axi_arready_o;
    bool addressTaken = top.s_axi_awvalid_i && top.s_axi_awready_o;
    sent += top.s_axi_wvalid_i && top.s_axi_wready_o;
    beats += top.s_axi_rvalid_o;
    edge();
    addresses += addressTaken;
    if (asked == 32)
      top.s_axi_arvalid_i = 0;
    if (addresses == 32)
      top.s_axi_awvalid_i = 0;
  }
  // With one port, reads and writes take turns.
  EXPECT_LE(cycles - start, (isSinglePort ? 2 : 1) * 32 * length + 7);
}

TEST_P(MemoryTest, BytesGoWhereTheyBelong) {
  for (int i = 0; i < 300; ++i) {
    uint32_t at = chance.in(0, memoryBytes - 1);
    model[at] ^= 0x55;
    byteWrite(at, model[at]);
    uint32_t other = chance.percent(50) ? at : chance.in(0, memoryBytes - 1);
    ASSERT_EQ(byteRead(other), model[other]) << other;
  }
}

TEST_P(MemoryTest, WhatLiesOutsideAnswersWithAnError) {
  std::vector<Beat> beats = read(memoryBytes - 2 * beatBytes, 4);
  ASSERT_EQ(beats.size(), 4u);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_EQ(beats[i].bad, i >= 2) << i;
  EXPECT_EQ(beats[1].bytes,
            std::vector<uint8_t>(model.end() - beatBytes, model.end()));
  for (uint64_t high : {16, 32, 40, 63}) {
    EXPECT_TRUE(read(1ull << high | 64, 1)[0].bad || 1ull << high < memoryBytes)
        << high;
    EXPECT_EQ(write(1ull << high | 64, 1, ~0ull, 1),
              1ull << high < memoryBytes);
  }
  EXPECT_TRUE(read(64, 2, 0)[1].bad) << "FIXED";
  EXPECT_TRUE(read(64, 2, 2)[0].bad) << "WRAP";
  EXPECT_TRUE(read(64, 1, 1, 0)[0].bad) << "single bytes";
  EXPECT_FALSE(write(memoryBytes - beatBytes, 2, ~0ull, 9));
  EXPECT_FALSE(write(64, 2, ~0ull, 1, 0));
  EXPECT_TRUE(write(128, 1, 5, 77));
  EXPECT_EQ(byteRead(128), 77);
  EXPECT_EQ(byteRead(129), model[129]);
  EXPECT_EQ(byteRead(130), uint8_t(77 + 14));
  // The beat inside was written, the one outside nowhere.
  EXPECT_EQ(byteRead(memoryBytes - 1), uint8_t(9 + (beatBytes - 1) * 7));
  for (uint32_t at : {0u, 1u, 64u, 65u, 131u, beatBytes})
    EXPECT_EQ(byteRead(at), model[at]) << at;
}

INSTANTIATE_TEST_SUITE_P(MODEL_NAME, MemoryTest, ::testing::Values(1, 2));

} // namespace
} // namespace tenon::test

// Part of Tenon, under the Apache License v2.0.
//
// The AXI memory: cycles calculated by hand, protocol violations by name.

#include "sim/memory/axi_memory.h"
#include "sim/memory/poison.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>
#include <map>
#include <vector>

namespace tenon::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr uint64_t base = 0x1000000000;
constexpr uint32_t beatBytes = 8;

// A memory of 16 KiB and requests by cycle.
class AxiMemoryTest : public ::testing::Test {
protected:
  void use(uint32_t latency, uint32_t rate = 0, uint32_t outstanding = 64) {
    MemoryTiming timing;
    timing.latency = latency;
    timing.bytesPerCycle = rate;
    timing.outstanding = outstanding;
    use(timing);
  }

  void use(const MemoryTiming &timing,
           const MemoryDisturbance &disturbance = {}) {
    poison(dram.data(), 0, dram.size());
    memory = std::make_unique<AxiMemory>(
        timing, AxiRange{dram.data(), base, 16384}, beatBytes, 16, disturbance);
  }

  static AxiAddress request(uint64_t offset, uint32_t beats, uint32_t id = 0) {
    AxiAddress address;
    address.valid = true;
    address.address = base + offset;
    address.length = beats - 1;
    address.size = 3;
    address.burst = 1;
    address.id = id;
    return address;
  }

  // One cycle; what the memory drove in it.
  AxiOutputs cycle(AxiRequests in = {}) {
    memory->drive();
    AxiOutputs out = memory->outputs();
    in.rReady = in.rReady || !stallReads;
    in.bReady = true;
    memory->sample(in);
    return out;
  }

  // Issues the read bursts one a cycle from cycle 0 and returns the cycles in
  // which beats were valid and taken.
  std::vector<uint64_t> readCycles(std::vector<AxiAddress> bursts,
                                   uint64_t cycles) {
    std::vector<uint64_t> beats;
    size_t next = 0;
    for (uint64_t now = 0; now < cycles; ++now) {
      AxiRequests in;
      if (next < bursts.size())
        in.ar = bursts[next];
      AxiOutputs out = cycle(in);
      if (in.ar.valid && out.arReady)
        ++next;
      if (out.rValid)
        beats.push_back(now);
    }
    EXPECT_EQ(memory->error(), "");
    return beats;
  }

  std::vector<uint8_t> dram = std::vector<uint8_t>(20480);
  std::unique_ptr<AxiMemory> memory;
  bool stallReads = false;
};

TEST_F(AxiMemoryTest, FirstBeatAfterLatencyThenOneACycle) {
  use(32);
  EXPECT_THAT(readCycles({request(64, 4)}, 50), ElementsAre(32, 33, 34, 35));
}

TEST_F(AxiMemoryTest, BurstsFollowWithoutGap) {
  use(5);
  // Addresses in cycles 0 and 1: data from 5 on; the second's are due in 6 and
  // wait for the first's.
  EXPECT_THAT(readCycles({request(0, 3), request(512, 2)}, 20),
              ElementsAre(5, 6, 7, 8, 9));
}

TEST_F(AxiMemoryTest, BandwidthBelowABeat) {
  use(4, 3);
  // Eight bytes saved up by cycle 4; then 3 a cycle: the balance after each
  // cycle's income is 10 (4), 5 8 (6), 3 6 9 (9), 4 7 10 (12).
  EXPECT_THAT(readCycles({request(0, 4)}, 20), ElementsAre(4, 6, 9, 12));
}

TEST_F(AxiMemoryTest, MoreThanABeatACycleIsABeatACycle) {
  use(4, 64);
  EXPECT_THAT(readCycles({request(0, 3)}, 20), ElementsAre(4, 5, 6));
}

TEST_F(AxiMemoryTest, OutstandingBurstsAreLimited) {
  use(10, 0, 1);
  // The second address is accepted in the cycle after the first's last beat.
  EXPECT_THAT(readCycles({request(0, 2), request(64, 1)}, 40),
              ElementsAre(10, 11, 22));
}

// The cycles that dram_timing_test.cpp calculates, at the port.
TEST_F(AxiMemoryTest, BankedReads) {
  MemoryTiming timing;
  timing.latency = 5;
  timing.dram.banks = 4;
  timing.dram.megabytes = 400; // two cycles a beat
  timing.dram.activate = 20000;
  timing.dram.column = 30000;
  timing.dram.precharge = 40000;
  use(timing);
  // Row 0 is opened first: 0 + 5 + 2. Its burst has the bus from 50 to 90 ns;
  // the second, there at 10, could have it at 60: 50 ns later than a hit.
  EXPECT_THAT(readCycles({request(0, 2), request(4096, 2)}, 40),
              ElementsAre(7, 9, 11, 13));
}

TEST_F(AxiMemoryTest, BankedWriteDelaysRead) {
  MemoryTiming timing;
  timing.latency = 5;
  timing.dram.banks = 4;
  timing.dram.megabytes = 800;
  timing.dram.writeToRead = 60000;
  use(timing);
  uint8_t data[8] = {}, strobe = 0xff;
  std::vector<uint64_t> response, beat;
  for (uint64_t now = 0; now < 30; ++now) {
    AxiRequests in;
    if (now == 0)
      in.aw = request(0, 1);
    if (now == 1) {
      in.wValid = in.wLast = true;
      in.wData = data;
      in.wStrobe = &strobe;
    }
    if (now == 2)
      in.ar = request(8, 1);
    AxiOutputs out = cycle(in);
    if (out.bValid)
      response.push_back(now);
    if (out.rValid)
      beat.push_back(now);
  }
  // The write has the bus from 10 to 20 ns; the read, there at 20, waits
  // until 80.
  EXPECT_THAT(response, ElementsAre(6));
  EXPECT_THAT(beat, ElementsAre(13));
  EXPECT_EQ(memory->error(), "");
}

TEST_F(AxiMemoryTest, ReadDataIdsAndLast) {
  use(1);
  std::vector<uint32_t> ids;
  std::vector<bool> last;
  std::vector<uint64_t> offsets;
  for (int now = 0; now < 6; ++now) {
    AxiRequests in;
    if (now == 0)
      in.ar = request(128, 2, axiLoad);
    if (now == 1)
      in.ar = request(256, 1, axiFetch);
    AxiOutputs out = cycle(in);
    if (!out.rValid)
      continue;
    ids.push_back(out.rId);
    last.push_back(out.rLast);
    offsets.push_back(out.rData - dram.data());
    EXPECT_EQ(out.rData[5], poisonByte(offsets.back() + 5));
  }
  EXPECT_THAT(ids, ElementsAre(0, 0, 1));
  EXPECT_THAT(last, ElementsAre(false, true, true));
  EXPECT_THAT(offsets, ElementsAre(128, 136, 256));
}

TEST_F(AxiMemoryTest, BeatIsHeldUntilTaken) {
  use(2);
  stallReads = true;
  AxiRequests in;
  in.ar = request(0, 1);
  cycle(in);
  cycle();
  EXPECT_TRUE(cycle().rValid);
  EXPECT_TRUE(cycle().rValid);
  stallReads = false;
  EXPECT_TRUE(cycle().rValid);
  EXPECT_FALSE(cycle().rValid);
  EXPECT_TRUE(memory->idle());
}

TEST_F(AxiMemoryTest, WritesWithStrobesAndResponse) {
  use(6);
  std::array<uint8_t, 16> data;
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = 0xb0 + i;
  uint8_t strobes[] = {0xff, 0x0f};
  std::vector<uint64_t> responses;
  size_t beat = 0;
  for (uint64_t now = 0; now < 20; ++now) {
    AxiRequests in;
    if (now == 0)
      in.aw = request(4000, 2);
    in.wValid = beat < 2;
    in.wLast = beat == 1;
    in.wData = &data[8 * beat];
    in.wStrobe = &strobes[beat];
    AxiOutputs out = cycle(in);
    EXPECT_EQ(out.wReady, now == 1 || now == 2) << now;
    if (in.wValid && out.wReady)
      ++beat;
    if (out.bValid)
      responses.push_back(now);
  }
  // Address in cycle 0, data in 1 and 2, response 6 later.
  EXPECT_THAT(responses, ElementsAre(8));
  for (size_t i = 0; i < 12; ++i)
    EXPECT_EQ(dram[4000 + i], 0xb0 + i);
  for (size_t i = 12; i < 16; ++i)
    EXPECT_EQ(dram[4000 + i], poisonByte(4000 + i));
  EXPECT_EQ(memory->error(), "");
}

TEST_F(AxiMemoryTest, ViolationsNameEngineAndAddress) {
  AxiAddress wrap = request(0, 2), narrow = request(0, 2);
  wrap.burst = 2;
  narrow.size = 2;
  struct Case {
    AxiAddress ar, aw;
    const char *message;
  };
  for (const Case &c : {
           Case{request(4088, 2),
                {},
                "LOAD's burst of 2 beats at address "
                "0x1000000ff8 crosses a 4 KiB boundary"},
           Case{request(4088, 2, axiFetch), {}, "FETCH's burst"},
           Case{{}, request(4088, 2), "STORE's burst"},
           Case{request(4, 1), {}, "is not aligned to a beat of 8 bytes"},
           Case{request(0, 17), {}, "is longer than 16 beats"},
           Case{wrap, {}, "burst type 2 and size 3; expected 1 and 3"},
           Case{narrow, {}, "burst type 1 and size 2"},
       }) {
    use(4);
    AxiRequests in;
    in.ar = c.ar;
    in.aw = c.aw;
    cycle(in);
    EXPECT_THAT(memory->error(), HasSubstr(c.message));
  }
}

// Outside of the memory nothing answers; a byte that has failed does, with an
// error, in its beat of every read and in every write that touches it.
TEST_F(AxiMemoryTest, ErrorsOfBursts) {
  MemoryDisturbance broken;
  broken.faultOffset = 4100;
  const struct {
    uint64_t offset;
    uint32_t beats, response, badBeats;
  } cases[] = {{0, 2, axiOkay, 0},
               {4096, 1, axiSlaveError, 1},
               {4080, 2, axiOkay, 0},
               {4104, 4, axiOkay, 0},
               {4096, 16, axiSlaveError, 1},
               {16376, 1, axiOkay, 0},
               {16384, 1, axiDecodeError, 1},
               {uint64_t(-8), 1, axiDecodeError, 1},
               {1 << 20, 4, axiDecodeError, 4}};
  for (const auto &[offset, beats, response, badBeats] : cases) {
    SCOPED_TRACE(offset);
    MemoryTiming timing;
    timing.latency = 2;
    use(timing, broken);
    const std::vector<uint8_t> before = dram;
    AxiRequests in;
    in.ar = request(offset, beats, axiFetch);
    in.aw = request(offset, beats);
    std::vector<uint8_t> data(beatBytes, 0x33);
    uint8_t strobe = 0xff;
    uint32_t read = 0, bad = 0, written = 0, sent = 0;
    for (uint64_t now = 0; now < 60; ++now) {
      AxiOutputs out = cycle(in);
      if (in.wValid && out.wReady)
        ++sent;
      in = {};
      in.wValid = now > 0 && sent < beats;
      in.wLast = sent + 1 == beats;
      in.wData = data.data();
      in.wStrobe = &strobe;
      if (out.rValid) {
        EXPECT_TRUE(out.rResponse == axiOkay || out.rResponse == response);
        bad += out.rResponse != axiOkay;
        ++read;
      }
      if (out.bValid) {
        EXPECT_EQ(out.bResponse, response);
        ++written;
      }
    }
    EXPECT_EQ(read, beats);
    EXPECT_EQ(bad, badBeats);
    EXPECT_EQ(written, 1u);
    EXPECT_EQ(dram == before, response != axiOkay);
    EXPECT_EQ(memory->error(), "");
  }
}

// Every burst is answered once, those of one id in order, whatever is late;
// what stands stays until it is taken.
TEST_F(AxiMemoryTest, JitterKeepsTheProtocol) {
  std::vector<uint64_t> first;
  for (int again = 0; again < 2; ++again) {
    MemoryDisturbance late;
    late.jitterSeed = 5;
    use(MemoryTiming(), late);
    for (uint64_t offset = 0; offset < dram.size(); offset += beatBytes)
      std::memcpy(&dram[offset], &offset, sizeof offset);
    std::array<std::vector<uint64_t>, 2> offsets; // of the beats, by id
    std::vector<uint64_t> cycles;
    uint32_t asked = 0, overtaken = 0;
    for (uint64_t now = 0; now < 100000 && cycles.size() < 300; ++now) {
      AxiRequests in;
      if (asked < 100)
        in.ar = request(asked % 16 * 256, 3, asked / 2 % 2);
      stallReads = now % 5 == 0;
      AxiOutputs out = cycle(in);
      if (in.ar.valid && out.arReady)
        ++asked;
      if (!out.rValid || stallReads)
        continue;
      overtaken += !offsets[1 - out.rId].empty() && out.rId == 1 &&
                   offsets[1].size() > offsets[0].size();
      uint64_t offset = 0; // which DRAM tells
      std::memcpy(&offset, out.rData, sizeof offset);
      offsets[out.rId].push_back(offset);
      cycles.push_back(now);
    }
    EXPECT_EQ(memory->error(), "");
    EXPECT_GT(overtaken, 0u);
    for (uint32_t id = 0; id < 2; ++id) {
      std::vector<uint64_t> expected;
      for (uint32_t i = 0; i < 100; ++i)
        for (uint32_t beat = 0; beat < 3 && i / 2 % 2 == id; ++beat)
          expected.push_back(i % 16 * 256 + beat * beatBytes);
      EXPECT_EQ(offsets[id], expected);
    }
    EXPECT_GT(cycles.back(), 1000u); // 332 without it
    if (again)
      EXPECT_EQ(cycles, first);
    first = cycles;
  }
}

TEST_F(AxiMemoryTest, RequestsAreStable) {
  use(20, 0, 1);
  AxiRequests in;
  in.ar = request(0, 1);
  cycle(in);
  in.ar = request(8, 1);
  cycle(in);
  in.ar = request(16, 1);
  cycle(in);
  EXPECT_THAT(memory->error(),
              HasSubstr("LOAD changed its address request before it was "
                        "accepted: first 0x1000000008, now 0x1000000010"));
}

TEST_F(AxiMemoryTest, MisplacedLast) {
  use(20);
  uint8_t data[8] = {}, strobe = 0xff;
  AxiRequests in;
  in.aw = request(32, 2);
  cycle(in);
  in.aw = {};
  in.wValid = in.wLast = true;
  in.wData = data;
  in.wStrobe = &strobe;
  cycle(in);
  EXPECT_THAT(memory->error(),
              HasSubstr("STORE sets WLAST in beat 1 of its burst of 2 at "
                        "address 0x1000000020"));
}

TEST_F(AxiMemoryTest, DataAreStable) {
  use(20);
  uint8_t data[8] = {}, strobe = 0xff;
  AxiRequests in;
  in.wValid = in.wLast = true;
  in.wData = data;
  in.wStrobe = &strobe;
  cycle(in); // not taken: no address
  data[3] = 1;
  cycle(in);
  EXPECT_THAT(memory->error(),
              HasSubstr("STORE changed its data before they were accepted"));
}

// A hostile memory takes data before their address by some seeds and the
// address before the data by others; what is written is there with its response
// and not before.
TEST_F(AxiMemoryTest, HostileWrites) {
  unsigned dataFirst = 0, addressFirst = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    MemoryDisturbance hostile;
    hostile.jitterSeed = seed;
    use(MemoryTiming(), hostile);
    std::vector<uint8_t> data(beatBytes, 0x33);
    uint8_t strobe = 0xff;
    constexpr uint32_t beats = 4;
    uint32_t sent = 0;
    bool addressed = false, answered = false;
    for (uint64_t now = 0; now < 20000 && !answered; ++now) {
      AxiRequests in;
      if (!addressed)
        in.aw = request(64, beats);
      in.wValid = sent < beats;
      in.wLast = sent + 1 == beats;
      in.wData = data.data();
      in.wStrobe = &strobe;
      EXPECT_EQ(dram[64], poisonByte(64));
      AxiOutputs out = cycle(in);
      answered = out.bValid;
      if (in.aw.valid && out.awReady) {
        addressed = true;
        dataFirst += sent > 0;
        addressFirst += sent == 0;
      }
      sent += in.wValid && out.wReady;
    }
    EXPECT_TRUE(answered) << "seed " << seed;
    EXPECT_EQ(memory->error(), "");
    EXPECT_EQ(dram[64], 0x33);
    EXPECT_EQ(dram[64 + beats * beatBytes - 1], 0x33);
  }
  EXPECT_GT(dataFirst, 3u);
  EXPECT_GT(addressFirst, 3u);
}

// Beats of the two ids come between each other; a read sees DRAM as it was
// before a change that was made between its address and its data, or as it is
// behind it.
TEST_F(AxiMemoryTest, HostileReads) {
  unsigned changes = 0, before = 0, after = 0;
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    MemoryDisturbance hostile;
    hostile.jitterSeed = seed;
    use(MemoryTiming(), hostile);
    std::fill(dram.begin(), dram.end(), 1);
    uint32_t asked = 0, beats = 0, last = 2, wait = 16; // of a latency of 32
    for (uint64_t now = 0; now < 20000 && beats < 16; ++now) {
      AxiRequests in;
      if (asked < 2)
        in.ar = request(asked * 1024, 8, asked);
      AxiOutputs out = cycle(in);
      asked += in.ar.valid && out.arReady;
      if (asked == 2 && wait-- == 0)
        std::fill(dram.begin(), dram.end(), 2);
      if (!out.rValid)
        continue;
      changes += last != 2 && out.rId != last;
      last = out.rId;
      ++beats;
      before += out.rData[0] == 1;
      after += out.rData[0] == 2;
    }
    EXPECT_EQ(beats, 16u) << "seed " << seed;
    EXPECT_EQ(memory->error(), "");
  }
  EXPECT_GT(changes, 80u); // 40 if burst behind burst
  EXPECT_GT(before, 40u);
  EXPECT_GT(after, 40u);
}

} // namespace
} // namespace tenon::sim

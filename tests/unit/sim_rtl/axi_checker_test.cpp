// Part of Tenon, under the Apache License v2.0.
//
// The rules of AXI at a port: each broken once, by a few cycles of both sides
// written by hand, and kept in the same cycles otherwise.

#include "sim/memory/axi_checker.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <array>

namespace tenon::sim {
namespace {

using ::testing::HasSubstr;

// A port of 8 bytes; what it does not say is idle.
class Port {
public:
  Port &ar(uint32_t beats, uint32_t id = 0, bool ready = true) {
    in.ar = address(beats);
    in.ar.id = id;
    out.arReady = ready;
    return *this;
  }
  Port &aw(uint32_t beats, bool ready = true) {
    in.aw = address(beats);
    out.awReady = ready;
    return *this;
  }
  Port &w(bool last, bool ready = true, uint8_t byte = 0) {
    data[0] = byte;
    in.wValid = true;
    in.wLast = last;
    in.wData = data.data();
    in.wStrobe = &strobe;
    out.wReady = ready;
    return *this;
  }
  Port &b(bool ready = true) {
    out.bValid = true;
    in.bReady = ready;
    return *this;
  }
  Port &r(uint32_t id, bool last, bool ready = true,
          const uint8_t *bytes = nullptr) {
    out.rValid = true;
    out.rId = id;
    out.rLast = last;
    out.rData = bytes;
    in.rReady = ready;
    return *this;
  }
  /// The end of the cycle.
  Port &end() {
    checker.watch(in, out);
    in = {};
    out = {};
    return *this;
  }
  const std::string &error() const { return checker.error(); }

private:
  static AxiAddress address(uint32_t beats) {
    AxiAddress address;
    address.valid = true;
    address.address = 0x1000;
    address.length = beats - 1;
    address.size = 3;
    address.burst = 1;
    return address;
  }

  AxiChecker checker{8, 16};
  AxiRequests in;
  AxiOutputs out;
  std::array<uint8_t, 8> data{};
  uint8_t strobe = 0xff;
};

TEST(AxiChecker, DataMayComeBeforeBesideAndBehindTheirAddress) {
  Port port;
  port.w(false).end().w(true).end().aw(2).end().b().end(); // before
  port.aw(1).w(true).end().b(false).end().b().end();       // beside
  port.aw(2).end().w(false).end().w(true).end().b().end(); // behind
  EXPECT_EQ(port.error(), "");
}

TEST(AxiChecker, WritesOfTheWrongLength) {
  Port early, late, ahead;
  early.aw(2).end().w(true).end();
  EXPECT_THAT(early.error(),
              HasSubstr("STORE sets WLAST in beat 1 of its burst "
                        "of 2 at address 0x1000 (cycle 1)"));
  late.aw(1).end().w(false).end();
  EXPECT_THAT(late.error(), HasSubstr("STORE does not set WLAST in beat 1"));
  ahead.w(true).end().aw(3).end();
  EXPECT_THAT(ahead.error(),
              HasSubstr("STORE sets WLAST in beat 1 of its burst "
                        "of 3 at address 0x1000"));
}

TEST(AxiChecker, DataThatDoNotStand) {
  Port withdrawn, changed, last;
  withdrawn.w(true, false).end().end();
  EXPECT_THAT(withdrawn.error(), HasSubstr("STORE withdrew WVALID before its "
                                           "data were accepted (cycle 1)"));
  changed.w(true, false, 1).end().w(true, true, 2).end();
  EXPECT_THAT(changed.error(),
              HasSubstr("STORE changed its data before they were accepted"));
  last.w(true, false).end().w(false).end();
  EXPECT_THAT(last.error(),
              HasSubstr("STORE changed its data before they were accepted"));
}

TEST(AxiChecker, ResponsesOfTheMemory) {
  Port early, twice, withdrawn;
  early.aw(1).end().b().end();
  EXPECT_THAT(early.error(),
              HasSubstr("the memory answers a write that is not complete"));
  twice.aw(1).w(true).end().b().end().b().end();
  EXPECT_THAT(twice.error(),
              HasSubstr("the memory answers a write that is not complete"));
  withdrawn.aw(1).w(true).end().b(false).end().end();
  EXPECT_THAT(withdrawn.error(), HasSubstr("the memory withdrew BVALID"));
}

TEST(AxiChecker, ReadsOfTwoIdsBetweenEachOther) {
  Port port;
  port.ar(2, 0).end().ar(2, 1).end();
  port.r(1, false).end().r(0, false).end().r(0, true).end().r(1, true).end();
  EXPECT_EQ(port.error(), "");
}

TEST(AxiChecker, ReadDataOfTheMemory) {
  Port nobody, early, late, changed;
  nobody.ar(1, 0).end().r(1, true).end();
  EXPECT_THAT(nobody.error(),
              HasSubstr("the memory answers a read that nobody asked for"));
  early.ar(2).end().r(0, true).end();
  EXPECT_THAT(early.error(), HasSubstr("the memory misplaces RLAST"));
  late.ar(1).end().r(0, false).end();
  EXPECT_THAT(late.error(), HasSubstr("the memory misplaces RLAST"));
  const uint8_t bytes[16] = {};
  changed.ar(2).end().r(0, false, false, bytes).end();
  changed.r(0, false, true, bytes + 8).end();
  EXPECT_THAT(
      changed.error(),
      HasSubstr("the memory changed read data before they were accepted"));
}

} // namespace
} // namespace tenon::sim

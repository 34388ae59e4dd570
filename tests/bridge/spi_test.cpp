// Part of Tenon, under the Apache License v2.0.
//
// The bridge on SPI pins: the same frames, answers clocked out by zeros,
// transfers that end anywhere.

#include "Vbridge_spi.h"
#include "tests/bridge/lines.h"
#include "gtest/gtest.h"

#include <random>
#include <zlib.h>

namespace tenon::test {
namespace {

class SpiTest : public ::testing::TestWithParam<unsigned> {
protected:
  SpiTest() : line(GetParam()) { line.select(true); }

  void send(const Bytes &bytes) {
    for (uint8_t byte : bytes)
      EXPECT_EQ(line.exchange(byte), 0) << "an answer before its time";
  }

  /// Zeros until an answer begins, at most `patience`, then all of it;
  /// `release` raises CSN after every byte.
  Bytes receive(unsigned patience, bool release = false) {
    Bytes bytes;
    size_t size = 7;
    while (bytes.size() < size && patience) {
      uint8_t byte = line.exchange(0);
      if (release) {
        line.select(false);
        line.select(true);
      }
      if (bytes.empty() && byte != 0x5A) {
        --patience;
        continue;
      }
      bytes.push_back(byte);
      if (bytes.size() == 7)
        size += bytes[3] | bytes[4] << 8 ? 2 + (bytes[3] | bytes[4] << 8) : 0;
    }
    return bytes;
  }

  Response call(Request request, unsigned patience = 100,
                bool release = false) {
    request.seq = ++seq;
    send(encode(request));
    std::string why;
    auto response = decode(receive(patience, release), why);
    EXPECT_TRUE(response) << why;
    if (!response)
      return {0, 255, {}};
    EXPECT_EQ(response->seq, request.seq);
    return *response;
  }

  SpiLine<Vbridge_spi> line;
  uint8_t seq = 0;
};

Bytes someBytes(size_t count) {
  std::mt19937 engine(unsigned(count) + 1);
  Bytes bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(engine());
  return bytes;
}

TEST_P(SpiTest, CarriesEveryOperation) {
  EXPECT_EQ(wordAt(call({0, Op::Hello}).payload, 0), 0x52424E54u);
  EXPECT_EQ(call({0, Op::ReadRegister, 0x24, 4}).payload, word(0x09090909 + 7));
  EXPECT_EQ(call({0, Op::WriteRegister, 0x24, 4, word(0xCAFEF00D)}).status, 0);
  EXPECT_EQ(call({0, Op::ReadRegister, 0x24, 4}).payload, word(0xCAFEF00D));
  Bytes data = someBytes(1024);
  EXPECT_EQ(call({0, Op::WriteMemory, 2048, 1024, data}).status, 0);
  EXPECT_EQ(call({0, Op::ReadMemory, 2048, 1024}).payload, data);
  EXPECT_EQ(call({0, Op::Checksum, 2048, 4, word(1024)}).payload,
            word(uint32_t(crc32(0, data.data(), 1024))));
  EXPECT_EQ(call({0, Op::SetDivisor, 0, 4, word(20)}).status, 0);
  line.select(false);
  line.select(true);
  EXPECT_EQ(wordAt(call({0, Op::Hello}).payload, 16), 20u);
}

TEST_P(SpiTest, TransferMayEndAtAnyByte) {
  Bytes data = someBytes(64);
  EXPECT_EQ(call({0, Op::WriteMemory, 0, 64, data}, 100, true).status, 0);
  EXPECT_EQ(call({0, Op::ReadMemory, 0, 64}, 100, true).payload, data);
}

TEST_P(SpiTest, HalfAByteIsForgotten) {
  line.exchange(0xA5, 5);
  line.select(false);
  line.select(true);
  EXPECT_EQ(call({0, Op::Hello}).status, 0);
}

TEST_P(SpiTest, SilenceDropsARequest) {
  Bytes frame = encode({9, Op::WriteRegister, 0x10, 4, word(1)});
  frame.resize(14);
  send(frame);
  line.run(4096 * 80 + 1000);
  EXPECT_EQ(call({0, Op::ReadRegister, 0x10, 4}).payload, word(0x04040404 + 7));
}

TEST_P(SpiTest, DamageIsNoticed) {
  Request request{1, Op::WriteRegister, 0x10, 4, word(1)};
  Bytes frame = encode(request);
  frame[12] ^= 0x20;
  send(frame);
  std::string why;
  EXPECT_EQ(decode(receive(100), why)->status, 1);
  EXPECT_EQ(call({0, Op::ReadRegister, 0x10, 4}).payload, word(0x04040404 + 7));
}

// Clocks of the board to half a clock of SPI: 4 is the fastest.
INSTANTIATE_TEST_SUITE_P(Rates, SpiTest, ::testing::Values(4, 5, 11));

} // namespace
} // namespace tenon::test

// Part of Tenon, under the Apache License v2.0.
//
// The bridge at the end of its serial line, with a stand-in for the
// accelerator: every operation and status, and what becomes of frames that
// arrive damaged, cut short, or twice.

#include "Vbridge_uart.h"
#include "isa/configuration.h"
#include "tests/bridge/host.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>
#include <zlib.h>

namespace tenon::test {
namespace {

// As tests/bridge/CMakeLists.txt builds it.
constexpr uint32_t clockHz = 80'000'000, memoryBytes = 40960;
constexpr unsigned defaultDivisor = 80;
constexpr unsigned silence = 4096; // bit times

// The stand-in's registers.
constexpr uint32_t adding = 0x10, failing = 0x800;
uint32_t registerValue(uint32_t address) {
  return 0x01010101u * (address / 4) + 7;
}

Bytes randomBytes(size_t count, uint32_t seed) {
  std::mt19937 engine(seed);
  Bytes bytes(count);
  for (uint8_t &byte : bytes)
    byte = uint8_t(engine());
  return bytes;
}

class BridgeTest : public ::testing::Test, protected Host<Vbridge_uart> {
protected:
  BridgeTest() : Host(defaultDivisor) {}

  void fast() { ASSERT_EQ(setDivisor(1).status, 0); }

  /// Whether nothing at all is answered.
  bool staysSilent() {
    line.bitTimes(silence + 200);
    return line.take().empty();
  }
};

TEST(Frames, CrcIsTheOneInTheSpecification) {
  Bytes digits;
  for (char c : std::string("123456789"))
    digits.push_back(uint8_t(c));
  EXPECT_EQ(crc16(digits), 0x29B1);
}

TEST_F(BridgeTest, HelloSaysWhoItIs) {
  Response response = hello();
  EXPECT_EQ(response.status, 0);
  ASSERT_EQ(response.payload.size(), 24u);
  EXPECT_EQ(std::string(response.payload.begin(), response.payload.begin() + 4),
            "TNBR");
  EXPECT_EQ(wordAt(response.payload, 4), 1u);
  EXPECT_EQ(wordAt(response.payload, 8), memoryBytes);
  EXPECT_EQ(wordAt(response.payload, 12), clockHz);
  EXPECT_EQ(wordAt(response.payload, 16), defaultDivisor);
  auto configuration = isa::loadConfiguration("tiny");
  ASSERT_TRUE(configuration.ok());
  EXPECT_EQ(wordAt(response.payload, 20),
            uint32_t(isa::configurationHash(*configuration)));
}

TEST_F(BridgeTest, ReadsOneRegisterAndMany) {
  EXPECT_EQ(readRegister(0x20).payload, word(registerValue(0x20)));
  fast();
  Bytes expected;
  for (uint32_t at = 0x100; at < 0x500; at += 4)
    put(expected, registerValue(at), 4);
  Response response = readRegister(0x100, 1024);
  EXPECT_EQ(response.status, 0);
  EXPECT_EQ(response.payload, expected);
  EXPECT_EQ(readRegister(0xFFC).payload, word(registerValue(0xFFC)));
}

TEST_F(BridgeTest, WritesRegisters) {
  EXPECT_EQ(writeRegister(0x7C, 0xDEADBEEF).status, 0);
  EXPECT_EQ(writeRegister(0x80, 0x12345678).status, 0);
  Bytes expected;
  for (uint32_t value :
       {registerValue(0x78), 0xDEADBEEFu, 0x12345678u, registerValue(0x84)})
    put(expected, value, 4);
  EXPECT_EQ(readRegister(0x78, 16).payload, expected);
}

TEST_F(BridgeTest, MemoryHoldsWhatWasWritten) {
  fast();
  std::vector<Bytes> blocks;
  for (uint32_t at = 0; at < memoryBytes; at += 1024) {
    blocks.push_back(randomBytes(1024, at));
    ASSERT_EQ(writeMemory(at, blocks.back()).status, 0) << at;
  }
  Bytes middle = randomBytes(24, 4711);
  ASSERT_EQ(writeMemory(2048 + 8, middle).status, 0);
  std::copy(middle.begin(), middle.end(), blocks[2].begin() + 8);
  for (size_t i = 0; i < blocks.size(); ++i)
    ASSERT_EQ(readMemory(uint32_t(1024 * i), 1024).payload, blocks[i]) << i;
  EXPECT_EQ(readMemory(2048 + 16, 8).payload,
            Bytes(blocks[2].begin() + 16, blocks[2].begin() + 24));
}

TEST_F(BridgeTest, AnswersFollowWithoutGaps) {
  fast();
  uint64_t start = line.cycles;
  ASSERT_EQ(readMemory(0, 1024).payload.size(), 1024u);
  // Request and answer.
  EXPECT_LT(line.lastBit - start, (11 + 7 + 1024 + 2) * 10 + 30);
}

TEST_F(BridgeTest, ChecksumsAreZlibs) {
  fast();
  Bytes memory;
  for (uint32_t at = 0; at < 4096; at += 1024) {
    Bytes block = randomBytes(1024, 77 + at);
    ASSERT_EQ(writeMemory(memoryBytes - 4096 + at, block).status, 0);
    memory.insert(memory.end(), block.begin(), block.end());
  }
  for (auto [offset, bytes] :
       std::vector<std::pair<uint32_t, uint32_t>>{{0, 4096},
                                                  {8, 4088},
                                                  {0, 0},
                                                  {16, 1},
                                                  {24, 7},
                                                  {4088, 8},
                                                  {40, 999}}) {
    Response response = checksum(memoryBytes - 4096 + offset, bytes);
    EXPECT_EQ(response.status, 0);
    EXPECT_EQ(response.payload,
              word(uint32_t(crc32(0, memory.data() + offset, bytes))))
        << offset << ", " << bytes;
  }
  uint64_t start = line.cycles;
  checksum(0, memoryBytes);
  EXPECT_LT(line.lastBit - start, memoryBytes + 400) << "a byte a cycle";
}

TEST_F(BridgeTest, RefusesWhatIsOutOfRange) {
  fast();
  auto bytes = [](size_t count) { return randomBytes(count, 1); };
  struct Case {
    Request request;
    int status;
  } cases[] = {
      {{0, Op::Hello, 0, 4}, 3},
      {{0, Op::ReadRegister, 0, 0}, 3},
      {{0, Op::ReadRegister, 0, 6}, 3},
      {{0, Op::ReadRegister, 2, 4}, 3},
      {{0, Op::ReadRegister, 0, 1028}, 3},
      {{0, Op::ReadRegister, 0xFFC, 8}, 3},
      {{0, Op::ReadRegister, 0x1000, 4}, 3},
      {{0, Op::ReadRegister, 0x80000000, 4}, 3},
      {{0, Op::ReadRegister, 0xC00, 1024}, 0},
      {{0, Op::WriteRegister, 0x40, 8, bytes(8)}, 3},
      {{0, Op::WriteRegister, 0x41, 4, bytes(4)}, 3},
      {{0, Op::WriteRegister, 0x1000, 4, bytes(4)}, 3},
      {{0, Op::WriteRegister, 0x40, 0}, 3},
      {{0, Op::ReadMemory, 0, 0}, 3},
      {{0, Op::ReadMemory, 4, 8}, 3},
      {{0, Op::ReadMemory, 0, 12}, 3},
      {{0, Op::ReadMemory, 0, 1032}, 3},
      {{0, Op::ReadMemory, memoryBytes - 8, 8}, 0},
      {{0, Op::ReadMemory, memoryBytes - 8, 16}, 3},
      {{0, Op::ReadMemory, memoryBytes, 8}, 3},
      {{0, Op::ReadMemory, 0xFFFFFFF8, 8}, 3},
      {{0, Op::WriteMemory, memoryBytes, 8, bytes(8)}, 3},
      {{0, Op::WriteMemory, memoryBytes - 8, 16, bytes(16)}, 3},
      {{0, Op::WriteMemory, 3, 8, bytes(8)}, 3},
      {{0, Op::WriteMemory, 0, 9, bytes(9)}, 3},
      {{0, Op::WriteMemory, 0, 2000, bytes(2000)}, 3},
      {{0, Op::SetDivisor, 0, 4, word(0)}, 3},
      {{0, Op::SetDivisor, 0, 4, word(65536)}, 3},
      {{0, Op::SetDivisor, 0, 2, bytes(2)}, 3},
      {{0, Op::Checksum, 4, 4, word(8)}, 3},
      {{0, Op::Checksum, 0, 4, word(memoryBytes)}, 0},
      {{0, Op::Checksum, 0, 4, word(memoryBytes + 1)}, 3},
      {{0, Op::Checksum, 8, 4, word(memoryBytes)}, 3},
      {{0, Op::Checksum, memoryBytes, 4, word(0)}, 0},
      {{0, Op::Checksum, 0, 4, word(0xFFFFFFFF)}, 3},
      {{0, Op::Checksum, 0, 8, bytes(8)}, 3},
      {{0, Op(7), 0, 0}, 2},
      {{0, Op(0x10), 0, 0}, 2},
      {{0, Op(0x83), 0, 8}, 2},
  };
  Bytes first = randomBytes(16, 5), last = randomBytes(16, 6);
  ASSERT_EQ(writeMemory(0, first).status, 0);
  ASSERT_EQ(writeMemory(memoryBytes - 16, last).status, 0);
  for (const Case &test : cases) {
    Response response = call(test.request);
    EXPECT_EQ(response.status, test.status)
        << "op " << int(test.request.op) << ", address " << test.request.address
        << ", length " << test.request.length;
    if (test.status) {
      EXPECT_TRUE(response.payload.empty());
    }
  }
  EXPECT_EQ(readMemory(0, 16).payload, first);
  EXPECT_EQ(readMemory(memoryBytes - 16, 16).payload, last);
  EXPECT_EQ(readRegister(0x40).payload, word(registerValue(0x40)));
}

TEST_F(BridgeTest, SaysThatARegisterFailed) {
  EXPECT_EQ(readRegister(failing).status, 4);
  EXPECT_EQ(readRegister(failing, 8).status, 4);
  EXPECT_EQ(writeRegister(failing + 4, 1).status, 4);
  EXPECT_EQ(readRegister(failing - 4).payload,
            word(registerValue(failing - 4)));
  // One that fails after the first word cannot be taken for good.
  line.send(encode({9, Op::ReadRegister, failing - 8, 12}));
  std::string why;
  EXPECT_FALSE(decode(line.receive(10'000), why));
  EXPECT_EQ(why, "the payload's CRC is wrong");
  EXPECT_EQ(readRegister(0).status, 0);
}

TEST_F(BridgeTest, ActsOnceOnARepeatedWrite) {
  uint32_t value = registerValue(adding);
  Request request{42, Op::WriteRegister, adding, 4, word(5)};
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(sendAgain(request).status, 0);
  EXPECT_EQ(readRegister(adding).payload, word(value += 5));
  // The same seq after another request is another request.
  EXPECT_EQ(sendAgain(request).status, 0);
  EXPECT_EQ(readRegister(adding).payload, word(value += 5));
  EXPECT_EQ(sendAgain(request).status, 0);
  value += 5;
  EXPECT_EQ(sendAgain({42, Op::Hello}).status, 0);
  EXPECT_EQ(sendAgain(request).status, 0);
  EXPECT_EQ(readRegister(adding).payload, word(value += 5));
  // One that was refused was not acted on.
  Bytes damaged = encode(request);
  damaged.back() ^= 1;
  line.send(damaged);
  std::string why;
  EXPECT_EQ(decode(line.receive(10'000), why)->status, 1);
  EXPECT_EQ(sendAgain(request).status, 0);
  EXPECT_EQ(readRegister(adding).payload, word(value += 5));
}

// The requests whose damage is tried, and what shows that nothing happened.
std::vector<Request> victims() {
  Bytes data = randomBytes(16, 8);
  data[3] = 0xA5; // as a header begins
  return {{0, Op::Hello},
          {0, Op::ReadRegister, 0x24, 8},
          {0, Op::WriteRegister, adding, 4, word(0x01A50300)},
          {0, Op::ReadMemory, 0x108, 8},
          {0, Op::WriteMemory, 0x200, 16, data},
          {0, Op::SetDivisor, 0, 4, word(3)},
          {0, Op::Checksum, 0x200, 4, word(64)}};
}

TEST_F(BridgeTest, EveryFlippedByteIsNoticed) {
  fast();
  uint32_t value = registerValue(adding);
  Bytes before = randomBytes(64, 9);
  for (const Request &victim : victims()) {
    Request request = victim;
    Bytes good = encode({uint8_t(seq + 1), request.op, request.address,
                         request.length, request.payload});
    for (size_t at = 0; at < good.size(); ++at)
      for (uint8_t flip : {0x01, 0x10, 0x80, 0xFF}) {
        ASSERT_EQ(writeMemory(0x200, before).status, 0);
        request.seq = ++seq;
        Bytes frame = encode(request);
        frame[at] ^= flip;
        line.send(frame);
        Bytes answer = line.receive(3000);
        bool inHeader = at < 11;
        std::string why;
        if (inHeader) {
          ASSERT_TRUE(answer.empty()) << int(request.op) << ", byte " << at;
          line.bitTimes(silence + 20);
        } else {
          auto response = decode(answer, why);
          ASSERT_TRUE(response) << why;
          ASSERT_EQ(response->status, 1) << int(request.op) << ", byte " << at;
          ASSERT_EQ(response->seq, request.seq);
        }
        ASSERT_EQ(readRegister(adding).payload, word(value));
        if (inHeader)
          ASSERT_EQ(readMemory(0x200, 64).payload, before);
      }
    // Undamaged, it is done.
    if (request.op == Op::SetDivisor)
      continue;
    EXPECT_EQ(call(request).status, 0);
    if (request.op == Op::WriteRegister)
      value += wordAt(request.payload, 0);
    if (request.op == Op::WriteMemory)
      EXPECT_EQ(readMemory(0x200, 16).payload, request.payload);
  }
}

TEST_F(BridgeTest, EveryTruncatedFrameIsDropped) {
  fast();
  uint32_t value = registerValue(adding);
  for (const Request &victim : victims()) {
    Request request = victim;
    size_t size = encode(request).size();
    for (size_t cut = 1; cut < size; ++cut) {
      request.seq = ++seq;
      Bytes frame = encode(request);
      frame.resize(cut);
      line.send(frame);
      ASSERT_TRUE(staysSilent()) << int(request.op) << " cut after " << cut;
      ASSERT_EQ(readRegister(adding).payload, word(value))
          << int(request.op) << " cut after " << cut;
    }
  }
  // Silence that is shorter cuts nothing.
  Bytes frame = encode({++seq, Op::WriteMemory, 0, 8, randomBytes(8, 3)});
  for (uint8_t byte : frame) {
    line.sendByte(byte);
    line.bitTimes(silence - 200);
  }
  std::string why;
  auto response = decode(line.receive(1000), why);
  ASSERT_TRUE(response) << why;
  EXPECT_EQ(response->status, 0);
}

TEST_F(BridgeTest, EveryLostByteIsNoticed) {
  fast();
  Request request{0, Op::WriteMemory, 0x300, 16, randomBytes(16, 21)};
  for (size_t at = 0; at < encode(request).size(); ++at) {
    request.seq = ++seq;
    Bytes frame = encode(request);
    frame.erase(frame.begin() + at);
    line.send(frame);
    ASSERT_TRUE(staysSilent()) << at;
    ASSERT_EQ(sendAgain(request).status, 0) << at;
    ASSERT_EQ(readMemory(0x300, 16).payload, request.payload);
  }
}

TEST_F(BridgeTest, NoiseBeforeAFrameIsIgnored) {
  fast();
  for (int i = 0; i < 50; ++i) {
    Bytes noise = randomBytes(20, 100 + i);
    for (uint8_t &byte : noise)
      byte = byte == 0xA5 ? 0x5A : byte;
    line.send(noise);
    ASSERT_EQ(hello().status, 0);
  }
}

TEST_F(BridgeTest, ByteWithoutStopBitIsDropped) {
  Bytes frame = encode({1, Op::Hello});
  for (size_t i = 0; i < frame.size(); ++i) {
    line.sendByte(frame[i], i != 4);
    line.bitTimes(20); // the line is back before the next byte
  }
  EXPECT_TRUE(line.receive(100'000).empty());
  line.bitTimes(silence);
  EXPECT_EQ(hello().status, 0);
}

TEST_F(BridgeTest, GlitchIsNoStartBit) {
  line.hold(false, defaultDivisor / 2 - 4);
  line.run(3 * defaultDivisor);
  EXPECT_EQ(hello().status, 0);
}

TEST_F(BridgeTest, SpeaksAtEveryRate) {
  Bytes data = randomBytes(64, 11);
  for (unsigned divisor : {1u, 2u, 3u, 7u, 80u, 1000u, 5u, 1u}) {
    ASSERT_EQ(setDivisor(divisor).status, 0) << divisor;
    EXPECT_EQ(wordAt(hello().payload, 16), divisor);
    EXPECT_EQ(writeMemory(64, data).status, 0);
    EXPECT_EQ(readMemory(64, 64).payload, data) << divisor;
    std::rotate(data.begin(), data.begin() + 1, data.end());
  }
}

TEST_F(BridgeTest, SenderMayBeTwoPercentOff) {
  // A byte drifts by a fifth of a bit, both ways.
  for (unsigned sender : {defaultDivisor - 2, defaultDivisor + 2}) {
    Bytes frame = encode({++seq, Op::ReadRegister, 0x30, 4});
    line.divisor = sender;
    line.send(frame);
    line.divisor = defaultDivisor;
    std::string why;
    auto response = decode(line.receive(100'000), why);
    ASSERT_TRUE(response) << why;
    EXPECT_EQ(response->payload, word(registerValue(0x30)));
  }
}

TEST_F(BridgeTest, BreakBringsTheDefaultBack) {
  for (unsigned divisor : {1u, 7u, 500u}) {
    ASSERT_EQ(setDivisor(divisor).status, 0);
    line.hold(false, 42 * divisor);
    line.run(10);
    line.divisor = defaultDivisor;
    line.take();
    EXPECT_EQ(wordAt(hello().payload, 16), defaultDivisor);
  }
  // In the middle of a request, which is forgotten.
  ASSERT_EQ(setDivisor(7).status, 0);
  Bytes frame = encode({++seq, Op::WriteRegister, adding, 4, word(1)});
  frame.resize(13);
  line.send(frame);
  line.hold(false, 42 * 7);
  line.run(10);
  line.divisor = defaultDivisor;
  EXPECT_EQ(readRegister(adding).payload, word(registerValue(adding)));
  // During the answer to SET_DIVISOR, which then sets nothing.
  ASSERT_EQ(setDivisor(500).status, 0);
  line.send(encode({++seq, Op::SetDivisor, 0, 4, word(7)}));
  line.listen(false); // the rate changes within the answer
  line.hold(false, 42 * 500);
  line.run(70 * 500);
  line.listen(true);
  line.divisor = defaultDivisor;
  line.take();
  EXPECT_EQ(wordAt(hello().payload, 16), defaultDivisor);
  // A byte of zeros is no break.
  ASSERT_EQ(setDivisor(7).status, 0);
  line.send(Bytes(8, 0));
  EXPECT_EQ(wordAt(hello().payload, 16), 7u);
}

TEST_F(BridgeTest, IgnoresWhatComesDuringAnAnswer) {
  fast();
  Request request{++seq, Op::Checksum, 0, 4, word(memoryBytes)};
  line.send(encode(request));
  line.send(encode({++seq, Op::WriteRegister, adding, 4, word(1)}));
  std::string why;
  auto response = decode(line.receive(500'000), why);
  ASSERT_TRUE(response) << why;
  EXPECT_EQ(response->seq, request.seq);
  EXPECT_TRUE(staysSilent());
  EXPECT_EQ(readRegister(adding).payload, word(registerValue(adding)));
}

TEST_F(BridgeTest, FindsItsWayThroughRandomDamage) {
  // Half of the requests and a quarter of the answers are damaged: what is
  // answered with 0 was done, once, and nothing else was.
  fast();
  std::mt19937 engine(12);
  uint32_t value = registerValue(adding);
  int repeats = 0;
  for (int i = 0; i < 300; ++i) {
    Request request{++seq, Op::WriteRegister, adding, 4, word(engine())};
    bool done = false;
    for (int attempt = 0; attempt < 50 && !done; ++attempt) {
      Bytes frame = encode(request);
      if (engine() % 2)
        frame[engine() % frame.size()] ^= uint8_t(1 << engine() % 8);
      line.send(frame);
      Bytes answer = line.receive(1000);
      if (!answer.empty() && engine() % 4 == 0)
        answer[engine() % answer.size()] ^= 0x40;
      std::string why;
      auto response = decode(answer, why);
      done = response && response->status == 0 && response->seq == request.seq;
      if (!done) {
        ++repeats;
        line.bitTimes(silence + 20);
        line.take();
      }
    }
    ASSERT_TRUE(done) << i;
    value += wordAt(request.payload, 0);
    ASSERT_EQ(readRegister(adding).payload, word(value)) << i;
  }
  EXPECT_GT(repeats, 100);
}

} // namespace
} // namespace tenon::test

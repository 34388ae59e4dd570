// Part of Tenon, under the Apache License v2.0.
//
// Bytes of the protocol against hand-made ones and against the plain encoder of
// tests/bridge.

#include "runtime/fpga/frames.h"
#include "tests/bridge/frames.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <random>

namespace tenon::runtime {
namespace {

using test::Bytes;
using ::testing::ElementsAre;

TEST(Frames, CrcIsCcittFalse) {
  const std::string text = "123456789"; // the catalogue's check value
  Bytes bytes(text.begin(), text.end());
  EXPECT_EQ(crc16(bytes), 0x29B1);
  EXPECT_EQ(crc16({}), 0xFFFF);
}

TEST(Frames, RequestsAreAsSpecified) {
  std::mt19937 random(1);
  for (unsigned op = 0; op < 7; ++op) {
    Request request;
    request.seq = uint8_t(17 + op);
    request.op = Op(op);
    request.address = 0x12345678 + op;
    request.length = carriesPayload(request.op) ? 4 * (op + 1) : 40;
    if (carriesPayload(request.op))
      for (unsigned i = 0; i < request.length; ++i)
        request.payload.push_back(uint8_t(random()));
    test::Request plain{request.seq, test::Op(op), request.address,
                        request.length, request.payload};
    EXPECT_EQ(encode(request), test::encode(plain)) << opName(request.op);
    EXPECT_EQ(encode(request).size(), requestBytes(request.op, request.length));
  }
}

TEST(Frames, AReadRequestByHand) {
  // The CRC of A5 07 03 08 00 00 00 10 00, worked out bit by bit elsewhere
  // (Python's binascii.crc_hqx with 0xFFFF).
  EXPECT_THAT(
      encode(Request{7, Op::ReadMemory, 8, 16, {}}),
      ElementsAre(0xA5, 0x07, 0x03, 0x08, 0, 0, 0, 0x10, 0, 0x5B, 0x66));
}

Bytes responseBytesOf(uint8_t seq, const Bytes &payload) {
  return encode(Response{seq, FrameStatus::Ok, payload});
}

TEST(Frames, ResponsesAreUnderstoodByThePlainDecoder) {
  for (const Bytes &payload : {Bytes{}, Bytes{1, 2, 3, 4}, Bytes(1024, 0x5A)}) {
    std::string why;
    auto decoded = test::decode(responseBytesOf(9, payload), why);
    ASSERT_TRUE(decoded) << why;
    EXPECT_EQ(decoded->seq, 9);
    EXPECT_EQ(decoded->payload, payload);
  }
}

TEST(ResponseDecoder, FindsResponsesInAnyPieces) {
  Bytes stream;
  for (uint8_t i = 0; i < 20; ++i)
    for (uint8_t byte : responseBytesOf(i, Bytes(i * 3, uint8_t(0x5A + i))))
      stream.push_back(byte);
  std::mt19937 random(3);
  ResponseDecoder decoder;
  uint8_t next = 0;
  for (size_t at = 0; at < stream.size();) {
    size_t count = std::min<size_t>(random() % 9, stream.size() - at);
    decoder.push(absl::MakeConstSpan(stream.data() + at, count));
    at += count;
    while (auto response = decoder.next()) {
      EXPECT_EQ(response->seq, next);
      EXPECT_EQ(response->payload, Bytes(next * 3, uint8_t(0x5A + next)));
      ++next;
    }
  }
  EXPECT_EQ(next, 20);
  EXPECT_EQ(decoder.skippedBytes(), 0u);
}

TEST(ResponseDecoder, SkipsWhatIsNone) {
  ResponseDecoder decoder;
  decoder.push(Bytes{0x5A, 0x5A, 0xA5, 0, 0x5A});
  decoder.push(responseBytesOf(1, {9, 8, 7}));
  auto response = decoder.next();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->payload, (Bytes{9, 8, 7}));
  EXPECT_EQ(decoder.skippedBytes(), 5u);
}

// No flip of one, two or three bits of a frame goes unnoticed.
TEST(ResponseDecoder, RefusesDamagedFrames) {
  const Bytes good = responseBytesOf(4, {1, 2, 3, 4, 5, 6, 7, 8});
  std::mt19937 random(5);
  for (unsigned i = 0; i < 5000; ++i) {
    Bytes bad = good;
    for (unsigned flips = 1 + i % 3; flips; --flips)
      bad[random() % bad.size()] ^= 1 << random() % 8;
    if (bad == good)
      continue;
    ResponseDecoder decoder;
    decoder.push(bad);
    decoder.push(Bytes(1100)); // ends whatever length the header has now
    EXPECT_FALSE(decoder.next()) << "after " << i;
  }
}

TEST(Hello, IsReadBack) {
  HelloAnswer hello{1, 163840, 80'000'000, 80, 0xfeedbeef};
  Bytes bytes = encode(hello);
  EXPECT_THAT(Bytes(bytes.begin(), bytes.begin() + 8),
              ElementsAre('T', 'N', 'B', 'R', 1, 0, 0, 0));
  auto parsed = parseHello(bytes);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->memoryBytes, 163840u);
  EXPECT_EQ(parsed->clockHz, 80'000'000u);
  EXPECT_EQ(parsed->divisor, 80u);
  EXPECT_EQ(parsed->configuration, 0xfeedbeefu);
  bytes[0] = 'X';
  EXPECT_FALSE(parseHello(bytes));
  EXPECT_FALSE(parseHello(Bytes(23)));
}

} // namespace
} // namespace tenon::runtime

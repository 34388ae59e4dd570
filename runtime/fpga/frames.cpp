//===- runtime/fpga/frames.cpp - What goes over a serial line -------------===//
//
// Part of Tenon, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//

#include "runtime/fpga/frames.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime {
namespace {

constexpr uint8_t requestStart = 0xa5;
constexpr uint8_t responseStart = 0x5a;
constexpr char helloMagic[] = "TNBR";

void put(std::vector<uint8_t> &bytes, uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
}

uint32_t get(const uint8_t *bytes, unsigned count) {
  uint32_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= static_cast<uint32_t>(bytes[i]) << 8 * i;
  return value;
}

void putPayload(std::vector<uint8_t> &bytes,
                const std::vector<uint8_t> &payload) {
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  put(bytes, crc16(payload), crcBytes);
}

} // namespace

const char *opName(Op op) {
  static const char *const names[] = {
      "HELLO",        "READ_REGISTER", "WRITE_REGISTER", "READ_MEMORY",
      "WRITE_MEMORY", "SET_DIVISOR",   "CHECKSUM"};
  return names[static_cast<uint8_t>(op)];
}

bool carriesPayload(Op op) {
  return op == Op::WriteRegister || op == Op::WriteMemory ||
         op == Op::SetDivisor || op == Op::Checksum;
}

std::array<uint8_t, 4> wordBytes(uint32_t word) {
  return {uint8_t(word), uint8_t(word >> 8), uint8_t(word >> 16),
          uint8_t(word >> 24)};
}

uint32_t wordAt(const uint8_t *bytes) { return get(bytes, 4); }

uint16_t crc16(absl::Span<const uint8_t> bytes) {
  uint32_t crc = 0xffff;
  for (uint8_t byte : bytes) {
    crc ^= static_cast<uint32_t>(byte) << 8;
    for (unsigned bit = 0; bit < 8; ++bit)
      crc = crc & 0x8000 ? crc << 1 ^ 0x1021 : crc << 1;
  }
  return static_cast<uint16_t>(crc);
}

std::vector<uint8_t> encode(const Request &request) {
  std::vector<uint8_t> bytes;
  put(bytes, requestStart, 1);
  put(bytes, request.seq, 1);
  put(bytes, static_cast<uint8_t>(request.op), 1);
  put(bytes, request.address, 4);
  put(bytes, request.length, 2);
  put(bytes, crc16(bytes), crcBytes);
  if (carriesPayload(request.op))
    putPayload(bytes, request.payload);
  return bytes;
}

uint32_t requestBytes(Op op, uint32_t length) {
  return requestHeaderBytes + (carriesPayload(op) ? length + crcBytes : 0);
}

uint32_t responseBytes(Op op, uint32_t length) {
  uint32_t payload = 0;
  if (op == Op::Hello)
    payload = helloBytes;
  else if (op == Op::Checksum)
    payload = 4;
  else if (op == Op::ReadMemory || op == Op::ReadRegister)
    payload = length;
  return responseHeaderBytes + (payload ? payload + crcBytes : 0);
}

std::vector<uint8_t> encode(const Response &response) {
  std::vector<uint8_t> bytes;
  put(bytes, responseStart, 1);
  put(bytes, response.seq, 1);
  put(bytes, static_cast<uint8_t>(response.status), 1);
  put(bytes, response.payload.size(), 2);
  put(bytes, crc16(bytes), crcBytes);
  if (!response.payload.empty())
    putPayload(bytes, response.payload);
  return bytes;
}

void ResponseDecoder::push(absl::Span<const uint8_t> bytes) {
  buffer.insert(buffer.end(), bytes.begin(), bytes.end());
}

std::optional<Response> ResponseDecoder::next() {
  size_t at = 0;
  std::optional<Response> found;
  for (; buffer.size() - at >= responseHeaderBytes; ++at) {
    const uint8_t *header = buffer.data() + at;
    uint32_t length = get(header + 3, 2);
    if (header[0] != responseStart ||
        crc16({header, 5}) != get(header + 5, crcBytes) ||
        length > mostPayloadBytes) {
      ++skipped;
      continue;
    }
    size_t whole = responseHeaderBytes + (length ? length + crcBytes : 0);
    if (buffer.size() - at < whole)
      break;
    const uint8_t *payload = header + responseHeaderBytes;
    at += whole;
    if (length && crc16({payload, length}) != get(payload + length, crcBytes)) {
      --at; // of the loop's step
      continue;
    }
    found.emplace();
    found->seq = header[1];
    found->status = static_cast<FrameStatus>(header[2]);
    found->payload.assign(payload, payload + length);
    break;
  }
  buffer.erase(buffer.begin(), buffer.begin() + at);
  return found;
}

std::optional<HelloAnswer> parseHello(absl::Span<const uint8_t> payload) {
  if (payload.size() != helloBytes ||
      std::memcmp(payload.data(), helloMagic, 4) != 0)
    return std::nullopt;
  HelloAnswer hello;
  hello.version = wordAt(payload.data() + 4);
  hello.memoryBytes = wordAt(payload.data() + 8);
  hello.clockHz = wordAt(payload.data() + 12);
  hello.divisor = wordAt(payload.data() + 16);
  hello.configuration = wordAt(payload.data() + 20);
  return hello;
}

std::vector<uint8_t> encode(const HelloAnswer &hello) {
  std::vector<uint8_t> bytes(helloMagic, helloMagic + 4);
  for (uint32_t word : {hello.version, hello.memoryBytes, hello.clockHz,
                        hello.divisor, hello.configuration})
    put(bytes, word, 4);
  return bytes;
}

} // namespace tenon::runtime

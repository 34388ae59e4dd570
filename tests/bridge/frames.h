// Part of Tenon, under the Apache License v2.0.
//
// The bridge's frames as hw/bridge/README.md has them, made and read in the
// plainest way: the CRC is the definition, bit by bit.

#ifndef TENON_TESTS_BRIDGE_FRAMES_H
#define TENON_TESTS_BRIDGE_FRAMES_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenon::test {

using Bytes = std::vector<uint8_t>;

enum class Op : uint8_t {
  Hello,
  ReadRegister,
  WriteRegister,
  ReadMemory,
  WriteMemory,
  SetDivisor,
  Checksum
};

struct Request {
  uint8_t seq = 0;
  Op op = Op::Hello;
  uint32_t address = 0;
  uint16_t length = 0;
  Bytes payload = {};
};

struct Response {
  uint8_t seq = 0;
  uint8_t status = 0;
  Bytes payload;
};

/// CRC-16/CCITT-FALSE.
inline uint16_t crc16(const Bytes &bytes) {
  uint32_t crc = 0xFFFF;
  for (uint8_t byte : bytes)
    for (int bit = 7; bit >= 0; --bit) {
      bool high = (crc >> 15 & 1) != (byte >> bit & 1u);
      crc = (crc << 1 & 0xFFFF) ^ (high ? 0x1021 : 0);
    }
  return uint16_t(crc);
}

inline void put(Bytes &bytes, uint64_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    bytes.push_back(uint8_t(value >> 8 * i));
}

inline uint32_t wordAt(const Bytes &bytes, size_t at) {
  uint32_t word = 0;
  for (size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
    word |= uint32_t(bytes[at + i]) << 8 * i;
  return word;
}

inline Bytes word(uint32_t value) {
  Bytes bytes;
  put(bytes, value, 4);
  return bytes;
}

inline bool carriesPayload(Op op) {
  return op == Op::WriteRegister || op == Op::WriteMemory ||
         op == Op::SetDivisor || op == Op::Checksum;
}

inline Bytes encode(const Request &request) {
  Bytes bytes = {0xA5, request.seq, uint8_t(request.op)};
  put(bytes, request.address, 4);
  put(bytes, request.length, 2);
  put(bytes, crc16(bytes), 2);
  if (!carriesPayload(request.op))
    return bytes;
  bytes.insert(bytes.end(), request.payload.begin(), request.payload.end());
  put(bytes, crc16(request.payload), 2);
  return bytes;
}

/// The response that `bytes` are, from its first byte to its last; empty, with
/// the reason in `why`, if they are none.
inline std::optional<Response> decode(const Bytes &bytes, std::string &why) {
  constexpr size_t header = 7;
  if (bytes.size() < header || bytes[0] != 0x5A)
    return why = "no header", std::nullopt;
  size_t length = bytes[3] | bytes[4] << 8;
  if (crc16({bytes.begin(), bytes.begin() + 5}) != (bytes[5] | bytes[6] << 8))
    return why = "the header's CRC is wrong", std::nullopt;
  if (bytes.size() != header + (length ? length + 2 : 0))
    return why = "expected a payload of " + std::to_string(length) +
                 ", found " + std::to_string(bytes.size() - header) + " bytes",
           std::nullopt;
  Response response{bytes[1], bytes[2], {}};
  if (!length)
    return response;
  response.payload.assign(bytes.begin() + header,
                          bytes.begin() + header + length);
  const uint8_t *end = &bytes[header + length];
  if (crc16(response.payload) != (end[0] | end[1] << 8))
    return why = "the payload's CRC is wrong", std::nullopt;
  return response;
}

} // namespace tenon::test

#endif // TENON_TESTS_BRIDGE_FRAMES_H

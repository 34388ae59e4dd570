//===- runtime/fpga/frames.h - What goes over a serial line -----*- C++ -*-===//
//
// Part of Tenon, under the Apache License v2.0.
//
// Requests and responses of the host bridge as bytes; hw/bridge/README.md is
// the specification. All numbers are little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef TENON_RUNTIME_FPGA_FRAMES_H
#define TENON_RUNTIME_FPGA_FRAMES_H

#include "absl/types/span.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::runtime {

enum class Op : uint8_t {
  Hello = 0,
  ReadRegister = 1,
  WriteRegister = 2,
  ReadMemory = 3,
  WriteMemory = 4,
  SetDivisor = 5,
  Checksum = 6,
};

/// "READ_MEMORY", as the specification has it.
const char *opName(Op op);

/// Whether a request of this kind has a payload.
bool carriesPayload(Op op);

enum class FrameStatus : uint8_t {
  Ok = 0,
  BadPayload = 1,
  BadOp = 2,
  OutOfRange = 3,
  RegisterFailed = 4,
};

constexpr uint32_t protocolVersion = 1;
constexpr uint32_t mostPayloadBytes = 1024;
constexpr uint32_t requestHeaderBytes = 11;
constexpr uint32_t responseHeaderBytes = 7;
constexpr uint32_t crcBytes = 2;
constexpr uint32_t helloBytes = 24;

/// A word as it goes over the line.
std::array<uint8_t, 4> wordBytes(uint32_t word);
uint32_t wordAt(const uint8_t *bytes);

/// CRC-16/CCITT-FALSE: polynomial 0x1021 from 0xffff on, not reflected.
uint16_t crc16(absl::Span<const uint8_t> bytes);

struct Request {
  uint8_t seq = 0;
  Op op = Op::Hello;
  uint32_t address = 0;
  uint16_t length = 0;          // of the payload, or of what is to be read
  std::vector<uint8_t> payload; // `length` bytes where the op carries one
};
std::vector<uint8_t> encode(const Request &request);

/// Bytes of the request on the line, and of its answer without an error.
uint32_t requestBytes(Op op, uint32_t length);
uint32_t responseBytes(Op op, uint32_t length);

struct Response {
  uint8_t seq = 0;
  FrameStatus status = FrameStatus::Ok;
  std::vector<uint8_t> payload;
};
std::vector<uint8_t> encode(const Response &response);

/// Finds responses in a stream of bytes, whatever else is in it. A header whose
/// CRC is wrong is skipped byte by byte; a response whose payload's CRC is
/// wrong is dropped as a whole.
class ResponseDecoder {
public:
  void push(absl::Span<const uint8_t> bytes);
  /// The next whole response; nullopt: more bytes are needed.
  std::optional<Response> next();
  /// Forgets what has not become a response.
  void clear() { buffer.clear(); }
  /// Bytes that belonged to no response.
  uint64_t skippedBytes() const { return skipped; }

private:
  std::vector<uint8_t> buffer;
  uint64_t skipped = 0;
};

struct HelloAnswer {
  uint32_t version = 0;
  uint32_t memoryBytes = 0;
  uint32_t clockHz = 0;
  uint32_t divisor = 0;       // clocks a bit
  uint32_t configuration = 0; // low word of its hash
};
/// nullopt where the bytes are no answer to HELLO.
std::optional<HelloAnswer> parseHello(absl::Span<const uint8_t> payload);
std::vector<uint8_t> encode(const HelloAnswer &hello);

} // namespace tenon::runtime

#endif // TENON_RUNTIME_FPGA_FRAMES_H
